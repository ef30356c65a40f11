"""Bring the supply store to the current schema (``pattern2plan db upgrade``)."""

from __future__ import annotations

from pathlib import Path

from resources.databases.supply_store.engine import SupplyStore

MIGRATIONS = Path(__file__).parent / "migrations"


def upgrade(store: SupplyStore) -> None:
    """Run every migration that has not run; needs an account that may create tables.

    Raises:
        StoreUnwritable: the database refused.
    """
    store.migrate(MIGRATIONS)
