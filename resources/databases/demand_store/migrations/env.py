"""Alembic environment of the demand store; the connection is handed in by ``upgrade``."""

from alembic import context

from resources.databases.demand_store.tables import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    version_table="pattern2plan_demand_version",
)
with context.begin_transaction():
    context.run_migrations()
