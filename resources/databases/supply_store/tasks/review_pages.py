"""Open tasks page after page, the newest first, as somebody who reviews looks for them; and how many there are."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, func, select

from resources.databases.supply_store.states import TaskStatus
from resources.databases.supply_store.tables import supply_demand_snapshot as d
from resources.databases.supply_store.tables import supply_task as t
from resources.databases.supply_store.task_index import task_index as x
from resources.databases.supply_store.tasks.conditions import is_frozen, is_held, is_open
from resources.databases.supply_store.tasks.heads import TaskHead, task_heads


class Kind(StrEnum):
    """Which open tasks are looked for."""

    OPEN = "open"
    HELD = "held"
    FROZEN = "frozen"
    FAILED = "failed"


@dataclass(frozen=True)
class ReviewPage:
    """Tasks in short; ``older`` is where the next page begins, ``None`` on the last one."""

    tasks: list[TaskHead]
    older: int | None


def review_page(connection: Connection, kind: Kind, text: str, before: int | None, size: int) -> ReviewPage:
    """At most ``size`` open tasks of a kind whose query or id holds ``text``, with an ``id`` under ``before``."""
    statement = _select(t.c.id, kind)
    if text:
        asked = select(d.c.id).where(d.c.query.contains(text, autoescape=True))
        statement = statement.where(t.c.demand_snapshot_id.in_(asked) | (t.c.task_id == text))
    if before is not None:
        statement = statement.where(t.c.id < before)
    found = list(connection.execute(statement.order_by(t.c.id.desc()).limit(size + 1)).scalars())
    tasks = task_heads(connection, found[:size])
    return ReviewPage(tasks, tasks[-1].id if len(found) > size else None)


def review_counts(connection: Connection) -> dict[Kind, int]:
    """How many open tasks there are of each kind; a statement a kind, none of which reads a payload."""
    return {kind: int(connection.execute(_select(func.count(), kind)).scalar_one()) for kind in Kind}


def _select(what: ColumnElement[Any], kind: Kind) -> Select[Any]:
    if kind is Kind.FAILED:
        return select(what).select_from(t).where(t.c.status == str(TaskStatus.FAILED))
    if kind is Kind.OPEN:
        return select(what).select_from(t).where(is_open())
    marked = is_held() if kind is Kind.HELD else is_frozen()
    return select(what).select_from(t).join(x, x.c.task_row_id == t.c.id).where(marked, is_open())
