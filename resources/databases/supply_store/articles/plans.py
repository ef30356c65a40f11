"""``supply_crawler_plan``: a task's one plan on the platform, written down before it is sent (S-028)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

from sqlalchemy import Connection, insert, select, update

from resources.databases.supply_store.rows import columns_of, field_names, read_by
from resources.databases.supply_store.states import NOT_BOUND
from resources.databases.supply_store.tables import supply_crawler_plan as p
from resources.databases.supply_store.task_index import task_index as x
from resources.databases.supply_store.tasks.leases import require_lease
from resources.databases.supply_store.tasks.tasks import TaskRow


@dataclass(frozen=True, slots=True, kw_only=True)
class NewPlan:
    """A plan as it is meant; ``request_payload`` is what will be sent."""

    task_id: str
    plan_type: str
    request_payload: Any
    plan_status: str
    platform: str = "weixin"
    input_count: int = 0
    crawler_plan_id: str | None = None
    crawler_plan_name: str | None = None
    produce_plan_id: str | None = None
    produce_bind_status: str | None = None
    response_payload: Any = None
    error_code: str | None = None
    error_message: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanRow(NewPlan):
    """A plan that stands."""

    id: int


class Reserved(NamedTuple):
    """The task's plan row, and whether it stood before it was asked for."""

    row: PlanRow
    stood_already: bool


def reserve_plan(connection: Connection, task: TaskRow, row: NewPlan, owner: str) -> Reserved:
    """The one plan row of the task: the one that stands, else ``row``; under the task's lock (GW3).

    Raises:
        LeaseLost: the lease is another worker's.
        NoSuchTask: the task is gone.
    """
    require_lease(connection, task.task_id, owner)
    standing = plans_of_tasks(connection, [task.task_id])
    if standing:
        return Reserved(standing[0], True)
    connection.execute(insert(p), [columns_of(row) | {"task_id": task.task_id}])
    return Reserved(plans_of_tasks(connection, [task.task_id])[0], False)


def record_plan(connection: Connection, plan_row_id: int, **columns: Any) -> None:
    """Set columns of a plan row, ``None`` as well.

    Raises:
        ValueError: a name is no column, or the row is not there.
    """
    unknown = set(columns) - set(field_names(NewPlan))
    if unknown:
        raise ValueError(f"{sorted(unknown)} are no columns of a plan")
    if connection.execute(update(p).where(p.c.id == plan_row_id).values(**columns)).rowcount != 1:
        raise ValueError(f"there is no plan row {plan_row_id}")


def plans_of_tasks(connection: Connection, task_ids: Iterable[str]) -> list[PlanRow]:
    """All plans of the tasks, by id."""
    return read_by(connection, p, p.c.task_id, task_ids, PlanRow)


def unbound_plans(connection: Connection, batch: str | None, limit: int) -> list[PlanRow]:
    """Plans that stand on the platform and whose binding failed, of one batch or of all, by id; at most ``limit``."""
    statement = (
        select(*(p.c[name] for name in field_names(PlanRow)))
        .join(x, x.c.task_id == p.c.task_id)
        .where(p.c.produce_bind_status == NOT_BOUND, p.c.crawler_plan_id.is_not(None))
        .order_by(p.c.id)
        .limit(limit)
    )
    if batch is not None:
        statement = statement.where(x.c.batch == batch)
    return [PlanRow(**row) for row in connection.execute(statement).mappings()]


def plans_by_crawler_id(connection: Connection, crawler_plan_id: str) -> list[PlanRow]:
    """The plans that carry the platform's id, by id."""
    return read_by(connection, p, p.c.crawler_plan_id, [crawler_plan_id], PlanRow)
