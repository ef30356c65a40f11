"""The supply store: nine tables on MySQL, MariaDB or embedded SQLite (S-040 … S-042).

Belongs here: metadata, migration, statements, legal moves, leases. Does not belong here: what a stage does.
"""
