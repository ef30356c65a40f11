"""Offering again what a finished task has still to do: its plan stands, and its binding failed (S-028).

A task is COMPLETED with such a plan, so no run takes it up. The binding is sent under the task's lease and under the
operation id of the first try: sending it twice binds once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple

from sqlalchemy import Connection

from resources.calls.events import CallScope
from resources.databases.demand_store.engine import DemandStore
from resources.databases.pattern_facts.engine import FactsDatabase
from resources.databases.supply_store.articles.plans import PlanRow, record_plan, unbound_plans
from resources.databases.supply_store.events import insert_events
from resources.databases.supply_store.states import Stage
from resources.databases.supply_store.tasks.leases import acquire, release, require_lease
from resources.databases.supply_store.tasks.snapshots import read_snapshots
from resources.databases.supply_store.tasks.tasks import lock_task, read_tasks
from supply_assets.intake.batches import parse_batch_key
from supply_assets.review.review_state import is_held
from supply_assets.stages.binding import Binding, bind, bound_columns
from supply_assets.stages.stage import Workshop
from supply_assets.standing.standing_demands import recheck_tasks
from supply_assets.tasks.batch_context import BatchContext
from supply_assets.tasks.batch_run import open_workshop
from supply_assets.tasks.event_buffer import EventBuffer
from supply_assets.tasks.interrupts import run_until_interrupted

MOST = 1_000


class Offer(StrEnum):
    """What came of offering a binding again."""

    BOUND = "bound"
    REFUSED = "refused"
    HELD = "held"
    NOT_PROVED = "not_proved"
    BUSY = "busy"


class Offered(NamedTuple):
    """One plan, what came of it, and why; ``reason`` is empty where it is bound."""

    task_id: str
    crawler_plan_id: str
    produce_plan_id: str
    offer: Offer
    reason: str = ""


def bindings_to_offer(context: BatchContext, batch: str | None) -> list[PlanRow]:
    """The plans whose binding failed, at most a thousand at once.

    Raises:
        StoreUnwritable: the store could not be read.
    """
    with context.store.reading() as connection:
        return unbound_plans(connection, batch, MOST)


def unproved(
    context: BatchContext, plans: Sequence[PlanRow], demands: DemandStore, facts: FactsDatabase
) -> dict[str, str]:
    """Of the plans' tasks those whose demand today's facts do not prove, with the first rule that is broken (D-073).

    A request from outside has no evidence, and nothing to prove.

    Raises:
        FactsUnreadable, StoreUnwritable: it could not be looked.
    """
    with context.store.reading() as connection:
        known = read_tasks(connection, [plan.task_id for plan in plans]).values()
        tasks = [task for task in known if parse_batch_key(str(task.ext["batch"])) is not None]
        snapshots = read_snapshots(connection, [task.demand_snapshot_id for task in tasks])
    standings = recheck_tasks(tasks, snapshots, demands, facts)
    return {
        task.task_id: f"{standing.breaks[0].rule_id}: {standing.breaks[0].message}"
        for task, standing in zip(tasks, standings, strict=True)
        if standing.breaks
    }


def offer_bindings(
    context: BatchContext,
    plans: Sequence[PlanRow],
    unproved: Mapping[str, str],
    on_offered: Callable[[Offered], None] = lambda _: None,
) -> list[Offered]:
    """Send each binding once more; what a person holds, and what is not proved, stays as it is.

    Raises:
        SettingsError: no platform is named.
        StoreUnwritable: the store went away; running it again goes on.
    """
    return run_until_interrupted(_offer_all(context, plans, unproved, on_offered)) if plans else []


async def _offer_all(
    context: BatchContext,
    plans: Sequence[PlanRow],
    unproved: Mapping[str, str],
    on_offered: Callable[[Offered], None],
) -> list[Offered]:
    events, offered = EventBuffer(), list[Offered]()
    async with open_workshop(context, events) as workshop:
        try:
            for plan in plans:
                why = unproved.get(plan.task_id)
                offered.append(
                    await _offer(workshop, context.platform.lease_s, plan)
                    if why is None
                    else _left(plan, Offer.NOT_PROVED, why)
                )
                on_offered(offered[-1])
        finally:
            await workshop.write(lambda connection: insert_events(connection, events.take_all()))
    return offered


def _left(plan: PlanRow, offer: Offer, reason: str = "") -> Offered:
    return Offered(plan.task_id, plan.crawler_plan_id or "", plan.produce_plan_id or "", offer, reason)


async def _offer(workshop: Workshop, lease_s: float, plan: PlanRow) -> Offered:
    task_id, binding = plan.task_id, Binding.of(plan.task_id, plan.crawler_plan_id or "", plan.produce_plan_id or "")
    against = await workshop.write(lambda connection: _take(connection, workshop, lease_s, task_id))
    if against is not None:
        return _left(plan, *against)
    try:
        trouble = await bind(workshop, CallScope(task_id=task_id, stage=Stage.CREATE_PLAN), binding)
        await workshop.write(lambda connection: _record(connection, workshop.owner, plan, bound_columns(trouble)))
    finally:
        await workshop.write(lambda connection: release(connection, task_id, workshop.owner))
    if trouble is None:
        return _left(plan, Offer.BOUND)
    return _left(plan, Offer.REFUSED, f"{trouble.code}: {trouble.message}")


def _take(connection: Connection, workshop: Workshop, lease_s: float, task_id: str) -> tuple[Offer, str] | None:
    """Take the task's lease; why not, where it is not to be taken."""
    task = lock_task(connection, task_id)
    if is_held(task):
        return Offer.HELD, "a person holds the task: pattern2plan review release"
    if not acquire(connection, task_id, workshop.owner, now=workshop.clock.now(), ttl_s=lease_s):
        return Offer.BUSY, "another worker has the task"
    return None


def _record(connection: Connection, owner: str, plan: PlanRow, columns: dict[str, object]) -> None:
    require_lease(connection, plan.task_id, owner)
    record_plan(connection, plan.id, **columns)
