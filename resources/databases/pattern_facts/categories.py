"""Names of an execution's categories, also of those that no itemset holds, by one statement."""

from __future__ import annotations

from sqlalchemy import Connection, select

from resources.databases.pattern_facts import tables as t


def read_category_names(connection: Connection, execution_id: int) -> dict[int, str | None]:
    """Category id to name, in the order of ids."""
    c = t.category
    statement = select(c.c.id, c.c.name).where(c.c.execution_id == execution_id).order_by(c.c.id)
    return {row[0]: row[1] for row in connection.execute(statement)}
