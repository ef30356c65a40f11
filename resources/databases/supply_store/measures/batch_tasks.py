"""How far the batches of executions are: tasks by batch and status, without any payload."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection, func, select

from resources.databases.supply_store.tables import supply_task as t
from resources.databases.supply_store.task_index import task_index as x


def tasks_by_batch(connection: Connection, batches: Sequence[str]) -> dict[str, dict[str, int]]:
    """Tasks of each batch by status; a batch without a task is absent."""
    joined = select(x.c.batch, t.c.status, func.count()).join(t, t.c.id == x.c.task_row_id)
    found: dict[str, dict[str, int]] = {}
    for batch, status, number in connection.execute(
        joined.where(x.c.batch.in_(list(batches))).group_by(x.c.batch, t.c.status)
    ):
        found.setdefault(str(batch), {})[str(status)] = int(number)
    return found
