"""Runs spread over several hosts by Celery: the worker's entry point and the launcher that looks after its runs.

Belongs here: how a run reaches a worker, how it is stopped there, and how a lost worker is noticed. Needs the extra
``deploy``; nothing of the product imports it, an instance's ``dagster.yaml`` names it.
"""
