"""What every Dagster code location shares: how assets present themselves, what a person looks at, how errors show.

Belongs here: Dagster's own types, filled with plain values. Does not belong here: any asset, and any domain.
"""
