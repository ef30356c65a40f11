"""Great Expectations suites over packs and facts, one module a subject, and the adapter to Dagster asset checks.

Belongs here: what is expected, of which frame, under which rule id. Does not belong here: decisions; a suite only
shows. It imports ``resources`` and the domain packages, and is imported by assets and jobs.
"""
