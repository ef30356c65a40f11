"""What is left to do in each batch, counted without any payload: by a worker, by a person, or by a command."""

from __future__ import annotations

from typing import NamedTuple

from sqlalchemy import ColumnElement, Connection, and_, case, func, or_, select

from resources.databases.supply_store.states import FINAL, NOT_BOUND, TaskStatus
from resources.databases.supply_store.tables import supply_crawler_plan as p
from resources.databases.supply_store.tables import supply_task as t
from resources.databases.supply_store.task_index import task_index as x
from resources.databases.supply_store.tasks.conditions import is_frozen, is_held


class OutstandingTasks(NamedTuple):
    """Tasks of one batch by what they wait for.

    ``unbound``: completed, and the binding of their plan failed. ``given_up``: failed, and no run tries them again.
    ``failed``: failed, and the next run tries them again. ``held``, ``frozen``: open, and a person or the facts stand
    in their way. ``waiting``: open, for a worker.
    """

    batch: str
    unbound: int
    given_up: int
    failed: int
    held: int
    frozen: int
    waiting: int


def outstanding_tasks(connection: Connection, always_retried: str) -> list[OutstandingTasks]:
    """Batches with anything left to do, by key; one statement.

    ``always_retried`` is the error code of which a failed task is looked up again however often it failed.
    """
    counts = _conditions(always_retried)
    statement = (
        select(x.c.batch, *(func.coalesce(func.sum(case((one, 1), else_=0)), 0).label(n) for n, one in counts.items()))
        .select_from(x.join(t, t.c.id == x.c.task_row_id).outerjoin(p, p.c.task_id == t.c.task_id))
        .where(x.c.batch.is_not(None), or_(*counts.values()))
        .group_by(x.c.batch)
        .order_by(x.c.batch)
    )
    return [OutstandingTasks(row[0], *map(int, row[1:])) for row in connection.execute(statement)]


def _conditions(always_retried: str) -> dict[str, ColumnElement[bool]]:
    failed = t.c.status == str(TaskStatus.FAILED)
    tried_again = and_(x.c.is_retryable == 1, or_(t.c.error_code == always_retried, t.c.retry_count < t.c.max_retry))
    is_open = t.c.status.not_in([str(status) for status in (*FINAL, TaskStatus.FAILED)])
    return {
        "unbound": p.c.produce_bind_status == NOT_BOUND,
        "given_up": and_(failed, ~tried_again),
        "failed": and_(failed, tried_again),
        "held": and_(is_open, is_held()),
        "frozen": and_(is_open, ~is_held(), is_frozen()),
        "waiting": and_(is_open, ~is_held(), ~is_frozen()),
    }
