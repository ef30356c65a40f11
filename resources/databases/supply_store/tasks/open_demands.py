"""Open tasks that a published demand stands behind: those that may still bring about a plan (D-073)."""

from __future__ import annotations

from collections.abc import Iterable

from sqlalchemy import ColumnElement, Connection, exists, select

from resources.databases.supply_store.rows import select_in
from resources.databases.supply_store.tables import supply_crawler_plan as p
from resources.databases.supply_store.tables import supply_task as t
from resources.databases.supply_store.tasks.conditions import is_open
from resources.databases.supply_store.tasks.tasks import TaskRow, lock_tasks, task_row

PUBLISHED = "demand_content"


def open_demands_after(connection: Connection, after: int, size: int) -> list[TaskRow]:
    """At most ``size`` tasks of published demands with an ``id`` above ``after``, by id.

    Open are those that are neither COMPLETED nor CANCELLED and of which no plan of the platform is recorded.
    """
    statement = select(t).where(t.c.id > after, *_open()).order_by(t.c.id).limit(size)
    return [task_row(row) for row in connection.execute(statement).mappings()]


def lock_open_demands(connection: Connection, task_ids: Iterable[str]) -> list[TaskRow]:
    """Those of the tasks that are still open, as they are now; nobody else changes them until the transaction ends."""
    wanted = list(task_ids)
    lock_tasks(connection, wanted)
    statement = select(t).where(*_open()).order_by(t.c.id)
    return [task_row(row._mapping) for row in select_in(connection, statement, t.c.task_id, wanted)]


def _open() -> tuple[ColumnElement[bool], ...]:
    origin: ColumnElement[str] = t.c.ext[("source_evidence", "origin")].as_string()
    planned = exists(select(1).where(p.c.task_id == t.c.task_id, p.c.crawler_plan_id.is_not(None)))
    return is_open(), origin == PUBLISHED, ~planned
