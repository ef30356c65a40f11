"""Tasks that stand still although something could be done with them: their worker is gone, or nobody began (S-005)."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import NamedTuple

from sqlalchemy import ColumnElement, Connection, and_, func, or_, select

from resources.databases.supply_store.states import STARTED, TaskStatus
from resources.databases.supply_store.tables import supply_task as t
from resources.databases.supply_store.task_index import task_index as x
from resources.databases.supply_store.tasks.conditions import is_frozen, is_held
from resources.foundation.clock import epoch_ms

PATIENCE_AFTER_FAILURE = 3
"""A failed task is left alone this many times longer: what failed it shall have time to pass."""


class StuckBatch(NamedTuple):
    """A batch with tasks that stand still, how many, and when the last of them moved; no zone, as UTC.

    Runs created until ``revoked_ms`` (ms since 1970) were cancelled; ``None`` where none was.
    """

    batch: str
    tasks: int
    moved_at: datetime
    revoked_ms: int | None


def stuck_batches(
    connection: Connection, now: datetime, idle_s: float, always_retried: str, limit: int
) -> list[StuckBatch]:
    """At most ``limit`` batches, the longest without a move first; one statement.

    A task that a person holds or that drift froze waits for somebody. ``always_retried`` is the error code of which a
    failed task is looked up again however often it failed.
    """
    nobody = or_(x.c.lease_until_ms <= epoch_ms(now), x.c.lease_until_ms.is_(None))
    working = t.c.status.in_([str(status) for status in (TaskStatus.PENDING, *STARTED)])
    moved = func.max(t.c.updated_at)
    statement = (
        select(x.c.batch, func.count(), moved, func.max(x.c.revoked_ms))
        .join(t, t.c.id == x.c.task_row_id)
        .where(
            nobody,
            x.c.batch.is_not(None),
            *_waits_for_nobody(),
            or_(
                and_(working, t.c.updated_at <= now - timedelta(seconds=idle_s)),
                and_(
                    *_may_be_tried_again(always_retried),
                    t.c.updated_at <= now - timedelta(seconds=PATIENCE_AFTER_FAILURE * idle_s),
                ),
            ),
        )
        .group_by(x.c.batch)
        .order_by(moved, x.c.batch)
        .limit(limit)
    )
    return [StuckBatch(*row) for row in connection.execute(statement)]


def _waits_for_nobody() -> tuple[ColumnElement[bool], ColumnElement[bool]]:
    # What has its plan already is past the freeze: it is only finished (D-073).
    planned = t.c.status == str(TaskStatus.PLAN_CREATED)
    return ~is_held(), or_(~is_frozen(), planned)


def _may_be_tried_again(always_retried: str) -> tuple[ColumnElement[bool], ...]:
    return (
        t.c.status == str(TaskStatus.FAILED),
        x.c.is_retryable == 1,
        or_(t.c.error_code == always_retried, t.c.retry_count < t.c.max_retry),
    )
