"""Proven rows and requests into snapshots and tasks; what is asked for, and the evidence a task inherits."""
