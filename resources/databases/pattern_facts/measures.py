"""What the facts hold, in numbers."""

from __future__ import annotations

from typing import Any, NamedTuple

from sqlalchemy import Connection, func, select

from resources.databases.pattern_facts.tables import execution


class Executions(NamedTuple):
    """Executions of one status; ``newest`` is the latest ``created_at`` as the database has it."""

    status: str
    number: int
    newest: Any


def executions_by_status(connection: Connection) -> list[Executions]:
    """How many executions there are of each status, and the newest of them."""
    e = execution.c
    statement = select(e.status, func.count(), func.max(e.created_at)).group_by(e.status)
    return [Executions(*row) for row in connection.execute(statement)]
