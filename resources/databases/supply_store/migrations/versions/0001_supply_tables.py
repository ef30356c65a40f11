"""Create the nine tables where they are not (S-040); tables that are there are left exactly as they are.

One file of statements a kind of database: on MySQL each table comes with its keys in one statement, so that a
migration that was killed half-way can simply run again.
"""

from pathlib import Path

import sqlalchemy as sa
from alembic import op

from resources.foundation.errors import StoreUnwritable

revision = "0001"
down_revision = None

CANDIDATE_KEY = ["task_id", "dedup_hash"]


def upgrade() -> None:
    connection = op.get_bind()
    backend = "sqlite" if connection.dialect.name == "sqlite" else "mysql"
    statements = Path(__file__).with_name(f"0001_supply_tables.{backend}.sql").read_text(encoding="utf-8")
    for statement in statements.split(";\n"):
        if statement.strip():
            connection.exec_driver_sql(statement)
    if backend == "mysql":
        refuse_prefix_key(connection)


def refuse_prefix_key(connection: sa.Connection) -> None:
    """A table made with a key on the first 255 characters of the URL would merge different articles silently."""
    table = "supply_candidate_content"
    keys = {index["name"]: index["column_names"] for index in sa.inspect(connection).get_indexes(table)}
    if keys.get("uk_task_url") != CANDIDATE_KEY:
        raise StoreUnwritable(
            f"{table} is there already and its uk_task_url is not on ({', '.join(CANDIDATE_KEY)})",
            f"ALTER TABLE {table} DROP KEY uk_task_url, ADD UNIQUE KEY uk_task_url ({', '.join(CANDIDATE_KEY)})",
        )


def downgrade() -> None:
    raise NotImplementedError("the supply tables may not be ours to drop")
