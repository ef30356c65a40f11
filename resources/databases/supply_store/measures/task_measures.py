"""What the supply store holds, in numbers: one statement a measure, none that grows with the tasks asked for.

Belongs here: counts and ages over all tasks, plans and candidates. Calls of the platform are in ``call_measures``.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import Connection, Integer, Select, case, func, select

from resources.databases.supply_store.states import ENDED, TaskStatus
from resources.databases.supply_store.tables import supply_candidate_content as candidate
from resources.databases.supply_store.tables import supply_content_score as score
from resources.databases.supply_store.tables import supply_crawler_plan as plan
from resources.databases.supply_store.tables import supply_task as t
from resources.databases.supply_store.task_index import task_index as x
from resources.databases.supply_store.tasks.conditions import is_frozen, is_held, is_open
from resources.foundation.clock import epoch_ms


class OpenTasks(NamedTuple):
    """Tasks that are neither COMPLETED nor CANCELLED; ``oldest_run_out_ms`` in ms since 1970."""

    held: int
    frozen: int
    leases_in_use: int
    leases_run_out: int
    oldest_run_out_ms: int | None


def tasks_by_state(connection: Connection) -> dict[tuple[str, str], int]:
    """Tasks by status and stage."""
    stage = func.coalesce(t.c.current_stage, "INIT")
    statement = select(t.c.status, stage, func.count()).group_by(t.c.status, stage)
    return {(row[0], row[1]): int(row[2]) for row in connection.execute(statement)}


def open_tasks(connection: Connection, now: datetime) -> OpenTasks:
    """Tasks held by a person, frozen by today's facts, and the leases on tasks."""
    until = x.c.lease_until_ms
    run_out = until <= epoch_ms(now)
    marked = select(x.c.task_row_id).join(t, t.c.id == x.c.task_row_id)
    held_now = _count_of_open(connection, marked.where(is_held()))
    frozen_now = _count_of_open(connection, marked.where(is_frozen()))
    statement = select(
        func.sum(case((until > epoch_ms(now), 1), else_=0), type_=Integer),
        func.sum(case((run_out, 1), else_=0), type_=Integer),
        func.min(case((run_out, until))),
    )
    leased = statement.select_from(x).join(t, t.c.id == x.c.task_row_id).where(until.is_not(None), is_open())
    in_use, ran_out, oldest = connection.execute(leased).one()
    return OpenTasks(held_now, frozen_now, int(in_use or 0), int(ran_out or 0), None if oldest is None else int(oldest))


def oldest_unfinished(connection: Connection) -> datetime | None:
    """When the oldest task was made that has neither ended nor failed; ``None`` where there is none."""
    statement = select(func.min(t.c.created_at)).where(t.c.status.not_in([str(status) for status in sorted(ENDED)]))
    made: datetime | None = connection.execute(statement).scalar()
    return made


def failed_by_code(connection: Connection) -> dict[str, int]:
    """Failed tasks by error code."""
    code = func.coalesce(t.c.error_code, "")
    statement = select(code, func.count()).where(t.c.status == str(TaskStatus.FAILED)).group_by(code)
    return {row[0]: int(row[1]) for row in connection.execute(statement)}


def plans_by_status(connection: Connection) -> dict[str, int]:
    """Plans by status."""
    statement = select(plan.c.plan_status, func.count()).group_by(plan.c.plan_status)
    return {row[0]: int(row[1]) for row in connection.execute(statement)}


def candidate_count(connection: Connection) -> int:
    """Candidates in all pools."""
    return int(connection.execute(select(func.count()).select_from(candidate)).scalar_one())


def selected_count(connection: Connection) -> int:
    """Articles that are selected for a plan."""
    return int(connection.execute(select(func.count()).where(score.c.is_selected == 1)).scalar_one())


def _count_of_open(connection: Connection, marked: Select[Any]) -> int:
    return int(connection.execute(marked.where(is_open()).with_only_columns(func.count())).scalar_one())
