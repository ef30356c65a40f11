"""Open tasks page after page, the newest first, as somebody who reviews looks for them; and how many there are."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from sqlalchemy import ColumnElement, Connection, and_, case, func, select

from resources.databases.supply_store.states import TaskStatus
from resources.databases.supply_store.tables import supply_demand_snapshot as d
from resources.databases.supply_store.tables import supply_task as t
from resources.databases.supply_store.tasks.conditions import is_frozen, is_held, is_open
from resources.databases.supply_store.tasks.tasks import TaskRow, task_row


class Kind(StrEnum):
    """Which open tasks are looked for."""

    OPEN = "open"
    HELD = "held"
    FROZEN = "frozen"
    FAILED = "failed"


@dataclass(frozen=True)
class ReviewPage:
    """Tasks with what they search for; ``older`` is where the next page begins, ``None`` on the last one."""

    tasks: list[tuple[TaskRow, str]]
    older: int | None


def review_page(connection: Connection, kind: Kind, text: str, before: int | None, size: int) -> ReviewPage:
    """At most ``size`` open tasks of a kind whose query or id holds ``text``, with an ``id`` under ``before``."""
    statement = select(t, d.c.query.label("asked")).join(d, d.c.id == t.c.demand_snapshot_id).where(_is(kind))
    if text:
        statement = statement.where(d.c.query.contains(text, autoescape=True) | (t.c.task_id == text))
    if before is not None:
        statement = statement.where(t.c.id < before)
    found = list(connection.execute(statement.order_by(t.c.id.desc()).limit(size + 1)).mappings())
    tasks = [(task_row({column.name: row[column.name] for column in t.c}), str(row["asked"])) for row in found[:size]]  # type: ignore[arg-type]
    return ReviewPage(tasks, tasks[-1][0].id if len(found) > size else None)


def review_counts(connection: Connection) -> dict[Kind, int]:
    """How many open tasks there are of each kind; one statement."""
    columns = [func.sum(case((_is(kind), 1), else_=0)) for kind in Kind]
    row = connection.execute(select(*columns).where(_is(Kind.OPEN))).one()
    return {kind: int(count or 0) for kind, count in zip(Kind, row, strict=True)}


def _is(kind: Kind) -> ColumnElement[bool]:
    if kind is Kind.HELD:
        return and_(is_open(), is_held())
    if kind is Kind.FROZEN:
        return and_(is_open(), is_frozen())
    if kind is Kind.FAILED:
        return t.c.status == str(TaskStatus.FAILED)
    return is_open()
