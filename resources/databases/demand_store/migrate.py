"""Bring the demand store to the current schema (``pattern2plan db upgrade``)."""

from __future__ import annotations

from pathlib import Path

from resources.databases.demand_store.engine import DemandStore

MIGRATIONS = Path(__file__).parent / "migrations"


def upgrade(store: DemandStore) -> None:
    """Run every migration that has not run; needs an account that may create tables.

    Raises:
        StoreUnwritable: the database refused.
    """
    store.migrate(MIGRATIONS)
