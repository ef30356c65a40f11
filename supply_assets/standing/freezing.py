"""Freezing: an open task whose demand no longer closes makes no plan until it closes again (D-073).

A transaction decides: ``ext.frozen`` is written under the task's lock, where CREATE_PLAN reads it. The rows of
``demand_content`` are not touched, nor is a task whose plan stands on the platform, nor a request from outside.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import Any, NamedTuple

from sqlalchemy import Connection

from resources.databases.demand_store.engine import DemandStore
from resources.databases.pattern_facts.engine import FactsDatabase
from resources.databases.supply_store.engine import SupplyStore
from resources.databases.supply_store.events import NewEvent, insert_events
from resources.databases.supply_store.states import Stage
from resources.databases.supply_store.tasks.conditions import FROZEN
from resources.databases.supply_store.tasks.ext import remove_ext, set_ext_of_each
from resources.databases.supply_store.tasks.leases import take_away
from resources.databases.supply_store.tasks.open_demands import lock_open_demands, open_demands_after
from resources.databases.supply_store.tasks.snapshots import SnapshotRow, read_snapshots
from resources.databases.supply_store.tasks.tasks import TaskRow
from resources.foundation.clock import Clock
from supply_assets.standing.freeze_state import Freeze, freeze_of
from supply_assets.standing.standing_demands import DemandStanding, recheck_tasks

PAGE = 500
MOST_KEPT = 1_000
LONGEST_REASON = 500


class FrozenTask(NamedTuple):
    """An open task that makes no plan, and why."""

    task_id: str
    demand_content_id: int
    batch: str
    status: str
    stage: str
    rule_id: str
    reason: str


@dataclass
class FreezeReport:
    """Open tasks looked at, and those that stand frozen now; counts are exact, the list is bounded."""

    tasks: int = 0
    frozen: int = 0
    newly_frozen: int = 0
    released: int = 0
    by_rule: Counter[str] = field(default_factory=Counter)
    """Frozen tasks by the first rule that their demand breaks."""
    kept: list[FrozenTask] = field(default_factory=list)

    @property
    def left_out(self) -> int:
        """Frozen tasks that were counted and not kept."""
        return self.frozen - len(self.kept)

    def add(self, tasks: Sequence[TaskRow], verdicts: Mapping[str, Freeze | None]) -> None:
        """Count a page of tasks by what was found of each."""
        self.tasks += len(tasks)
        for task in tasks:
            freeze = verdicts[task.task_id]
            if freeze is None:
                continue
            self.frozen += 1
            self.by_rule[freeze.rule_id] += 1
            if len(self.kept) < MOST_KEPT:
                self.kept.append(_frozen_task(task, freeze))


def freeze_open_demands(
    store: SupplyStore,
    demands: DemandStore,
    facts: FactsDatabase,
    clock: Clock,
    on_page: Callable[[FreezeReport], None] = lambda _: None,
) -> FreezeReport:
    """Prove the demand of every open task again; freeze what no longer closes, release what closes again.

    A transaction a page, and none for a page of which nothing changed.

    Raises:
        FactsUnreadable, StoreUnwritable: something could not be read: of the tasks that were not looked at yet, nothing
            is frozen and nothing released.
    """
    report = FreezeReport()
    for tasks, snapshots in _pages(store):
        now = clock.now()
        standings = recheck_tasks(tasks, snapshots, demands, facts)
        verdicts = {task.task_id: _verdict(of, now) for task, of in zip(tasks, standings, strict=True)}
        changed = {task.task_id: verdicts[task.task_id] for task in tasks if _differs(task, verdicts[task.task_id])}
        if changed:
            newly_frozen, released = store.write(partial(_apply, verdicts=changed, now=now))
            report.newly_frozen += newly_frozen
            report.released += released
        report.add(tasks, verdicts)
        on_page(report)
    return report


def _pages(store: SupplyStore) -> Iterator[tuple[list[TaskRow], dict[int, SnapshotRow]]]:
    """A transaction a page: none stays open while facts are read."""
    after = 0
    while True:
        with store.reading() as connection:
            tasks = open_demands_after(connection, after, PAGE)
            snapshots = read_snapshots(connection, [task.demand_snapshot_id for task in tasks])
        if not tasks:
            return
        yield tasks, snapshots
        after = tasks[-1].id


def _verdict(standing: DemandStanding, now: datetime) -> Freeze | None:
    """The first reason why the row does not stand, as it can be stored."""
    if not standing.breaks:
        return None
    first, others = standing.breaks[0], len(standing.breaks) - 1
    more = f" (and {others} more)" if others else ""
    reason = first.reason[: LONGEST_REASON - len(more)] + more
    return Freeze(first.rule_id, reason.encode("utf-8", "replace").decode(), now.isoformat())


def _differs(task: TaskRow, verdict: Freeze | None) -> bool:
    """Whether the task stands otherwise than was found; when it was frozen first is no difference."""
    stands = freeze_of(task)
    if stands is None or verdict is None:
        return stands is not verdict
    return (stands.rule_id, stands.reason) != (verdict.rule_id, verdict.reason)


def _apply(connection: Connection, verdicts: Mapping[str, Freeze | None], now: datetime) -> tuple[int, int]:
    """Freeze and release on locked rows, with an event each; how many were newly frozen, and how many released.

    At most three UPDATEs and one INSERT, however many tasks: the reasons go into one CASE over the task ids.
    """
    tasks = [task for task in lock_open_demands(connection, verdicts) if _differs(task, verdicts[task.task_id])]
    freezes = {task.task_id: freeze for task in tasks if (freeze := verdicts[task.task_id]) is not None}
    new = [task for task in tasks if task.task_id in freezes and freeze_of(task) is None]
    thawed = [task.task_id for task in tasks if task.task_id not in freezes]
    set_ext_of_each(connection, FROZEN, {task_id: freeze._asdict() for task_id, freeze in freezes.items()})
    # A worker that is about to plan loses its lease: what it goes on with is read again.
    take_away(connection, [task.task_id for task in new if task.current_stage in (Stage.RANK, Stage.CREATE_PLAN)])
    remove_ext(connection, FROZEN, thawed)
    insert_events(connection, [_event(task, freezes.get(task.task_id), now) for task in tasks])
    return len(new), len(thawed)


def _event(task: TaskRow, freeze: Freeze | None, now: datetime) -> NewEvent:
    subject, stood = f"demand_content {task.demand_id}", freeze_of(task)
    payload: dict[str, Any] = {"demand_content_id": task.demand_id}
    if freeze is not None:
        kind, level, message = "FROZEN", "WARN", f"frozen, {subject} does not close: {freeze}"
        payload |= {"rule_id": freeze.rule_id, "reason": freeze.reason}
    else:
        kind, level, message = "THAWED", "INFO", f"released, {subject} closes again; it was frozen by {stood}"
        payload |= {"rule_id": stood.rule_id if stood else None}
    return NewEvent(
        task_id=task.task_id,
        stage_name=task.current_stage,
        event_type=kind,
        event_level=level,
        event_payload=payload,
        message=message,
        created_at=now,
    )


def _frozen_task(task: TaskRow, freeze: Freeze) -> FrozenTask:
    return FrozenTask(
        task_id=task.task_id,
        demand_content_id=task.demand_id,
        batch=str(task.ext.get("batch", "")),
        status=str(task.status),
        stage=str(task.current_stage),
        rule_id=freeze.rule_id,
        reason=freeze.reason,
    )
