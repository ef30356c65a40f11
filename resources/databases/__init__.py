"""Engines, statement limits and migrations of every database; a room a database, and no SQL text outside of them."""
