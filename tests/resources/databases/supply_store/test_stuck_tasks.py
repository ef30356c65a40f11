"""Which batches stand still, on each kind of database."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import Connection

from resources.databases.supply_store.engine import SupplyStore
from resources.databases.supply_store.states import Stage, TaskStatus
from resources.databases.supply_store.tasks.ext import set_ext
from resources.databases.supply_store.tasks.leases import acquire
from resources.databases.supply_store.tasks.stuck_tasks import stuck_batches
from resources.databases.supply_store.tasks.tasks import lock_task, move
from tests.resources.databases.supply_store.supply_rows import add_tasks, read

IDLE_S = 600
NOW = datetime.now(UTC)


def found(supply: SupplyStore, after_s: float, limit: int = 9) -> list[tuple[str, int]]:
    at = datetime.now(UTC) + timedelta(seconds=after_s)
    rows = read(supply, lambda connection: stuck_batches(connection, at, IDLE_S, "plan_unknown", limit))
    return sorted((row.batch, row.tasks) for row in rows)


def to(supply: SupplyStore, task_id: str, status: TaskStatus, error: tuple[str, str] | None = None) -> None:
    def work(connection: Connection) -> None:
        task = lock_task(connection, task_id)
        move(connection, task, status=status, stage=Stage.INIT, owner=None, at=NOW, error=error)

    supply.write(work)


def mark(supply: SupplyStore, task_id: str, key: str, value: Any) -> None:
    supply.write(lambda connection: set_ext(connection, task_id, key, value))


def test_s005_tasks_that_nobody_works_on_any_more_are_found_by_batch(supply: SupplyStore):
    add_tasks(supply, ["pending", "lost", "done"], batch="581")
    to(supply, "lost", TaskStatus.RUNNING)
    to(supply, "done", TaskStatus.CANCELLED)
    assert found(supply, 60) == []
    assert found(supply, IDLE_S + 5) == [("581", 2)]
    assert found(supply, IDLE_S + 5, limit=0) == []


def test_s005_a_task_under_a_lease_is_worked_on(supply: SupplyStore):
    add_tasks(supply, ["held"], batch="581")
    later = datetime.now(UTC) + timedelta(seconds=IDLE_S)
    assert supply.write(lambda connection: acquire(connection, "held", "me", now=later, ttl_s=60))
    assert found(supply, IDLE_S + 30) == []
    assert found(supply, IDLE_S + 90) == [("581", 1)]


def test_s030_d073_what_waits_for_a_person_or_for_the_facts_is_left_alone(supply: SupplyStore):
    add_tasks(supply, ["held", "released", "frozen"], batch="581")
    mark(supply, "held", "review", {"state": "HELD"})
    mark(supply, "released", "review", {"state": "RELEASED"})
    mark(supply, "frozen", "frozen", {"rule_id": "D-034", "reason": "differs", "at": "2026-01-01"})
    assert found(supply, IDLE_S + 5) == [("581", 1)]


def test_s005_a_failed_task_that_may_be_tried_again_is_found_later(supply: SupplyStore):
    add_tasks(supply, ["passes", "final", "unknown"], batch="581")
    for task_id, error, retryable in (
        ("passes", ("breaker_open", "away"), True),
        ("final", ("selection_open", "no"), False),
        ("unknown", ("plan_unknown", "nobody knows"), True),
    ):
        to(supply, task_id, TaskStatus.FAILED, error)
        mark(supply, task_id, "retryable", retryable)
    assert found(supply, IDLE_S + 5) == []
    assert found(supply, 3 * IDLE_S + 5) == [("581", 2)]
