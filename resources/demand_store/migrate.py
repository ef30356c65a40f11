"""Bring the demand store to the current schema (``pattern2plan db upgrade``)."""

from __future__ import annotations

from pathlib import Path

from alembic import command
from alembic.config import Config
from sqlalchemy.exc import SQLAlchemyError

from resources.demand_store.engine import DemandStore, store_error

MIGRATIONS = Path(__file__).parent / "migrations"


def upgrade(store: DemandStore) -> None:
    """Run every migration that has not run; needs an account that may create tables.

    Raises:
        StoreUnwritable: the database refused.
    """
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    try:
        with store.engine.connect() as connection, connection.begin():
            config.attributes["connection"] = connection
            command.upgrade(config, "head")
    except SQLAlchemyError as error:
        raise store_error(error) from error
