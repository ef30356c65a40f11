"""Alembic environment of the supply store; the connection is handed in by ``upgrade``."""

from alembic import context

from resources.databases.supply_store.tables import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    version_table="pattern2plan_supply_version",
)
with context.begin_transaction():
    context.run_migrations()
