"""What lists show of tasks: a few columns and two small keys of ``ext``; no payload is read."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, select

from resources.databases.supply_store.rows import select_in
from resources.databases.supply_store.states import Stage, TaskStatus
from resources.databases.supply_store.tables import supply_demand_snapshot as d
from resources.databases.supply_store.tables import supply_task as t
from resources.databases.supply_store.tasks.conditions import FROZEN, REVIEW


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskHead:
    """A task in short; ``ext`` holds what was decided of it and why it is frozen, ``query`` what it searches for."""

    id: int
    task_id: str
    status: TaskStatus
    current_stage: Stage
    error_code: str | None
    error_message: str | None
    query: str
    ext: dict[str, Any]


def task_heads(connection: Connection, row_ids: Iterable[int]) -> list[TaskHead]:
    """The tasks of the rows, in the order given."""
    shown = (t.c.id, t.c.task_id, t.c.status, t.c.current_stage, t.c.error_code, t.c.error_message)
    statement = select(*shown, d.c.query, t.c.ext[REVIEW], t.c.ext[FROZEN]).join(d, d.c.id == t.c.demand_snapshot_id)
    wanted = list(row_ids)
    found = {row[0]: _head(row) for row in select_in(connection, statement, t.c.id, wanted)}
    return [found[row_id] for row_id in wanted]


def most_urgent(connection: Connection, statuses: Iterable[TaskStatus], limit: int) -> list[TaskHead]:
    """At most ``limit`` tasks in one of the statuses, the most urgent first, then the oldest."""
    wanted = [str(status) for status in statuses]
    statement = select(t.c.id).where(t.c.status.in_(wanted)).order_by(t.c.priority, t.c.id).limit(limit)
    return task_heads(connection, list(connection.execute(statement).scalars()))


def _head(row: Any) -> TaskHead:
    row_id, task_id, status, stage, code, message, query, review, frozen = row
    return TaskHead(
        id=row_id,
        task_id=task_id,
        status=TaskStatus(status),
        current_stage=Stage(stage or Stage.INIT),
        error_code=code,
        error_message=message,
        query=query,
        ext={REVIEW: review, FROZEN: frozen},
    )
