"""Read-only access to the pattern facts (Pattern V2): tables, engine, set-based queries, doctor.

Belongs here: every SQL statement that reads the facts. ``scratch`` and ``alterations`` change private copies,
never the facts themselves. Does not belong here: what a fact means for a candidate.
"""
