"""Two workers on one batch, and a worker whose lease is another's (S-005, S-041; field report MY9)."""

from __future__ import annotations

import pytest

from resources.databases.supply_store.states import TaskStatus
from resources.databases.supply_store.tasks.leases import acquire
from resources.foundation.clock import SystemClock
from supply_assets.tasks.task_run import Advance
from tests.supply_assets.tasks.workers import ENDED, Job, Workers
from tests.supply_assets.tasks.world import World

TASKS = 10


def test_s005_two_workers_complete_a_batch_without_doubling_anything(both_worlds: World, workers: Workers) -> None:
    task_ids = both_worlds.take_in(TASKS)
    both = (Job(task_ids, both_worlds.policy), Job(task_ids[::-1], both_worlds.policy))
    for ending in workers.run(*both):
        assert ending.code == ENDED, ending.said
        assert ending.said == repr({"completed": TASKS}), "each waited for the tasks of the other"
    both_worlds.assert_completed(task_ids)
    assert both_worlds.free_leases(task_ids)


def test_s005_two_workers_in_a_storm_make_one_plan_a_task(both_worlds: World, workers: Workers) -> None:
    task_ids = both_worlds.take_in(4)
    both_worlds.platform.faults(
        {"target": "plan_create", "fault": "drop_after", "rate": 0.5},
        {"target": "plan_create", "fault": "ignore_operation_id", "rate": 1},
        {"target": "plan_find", "fault": "server_error", "rate": 0.3},
    )
    for ending in workers.run(Job(task_ids, both_worlds.policy), Job(task_ids[::-1], both_worlds.policy)):
        assert ending.code == ENDED, ending.said
    both_worlds.assert_sound(task_ids)
    both_worlds.platform.faults()
    both_worlds.run(task_ids)
    both_worlds.assert_completed(task_ids)


def test_s005_a_task_of_another_worker_is_left_alone(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SUPPLY_LEASE_S", "0.1")
    task_ids = world.take_in(2)
    now = SystemClock().now()
    assert world.store.write(lambda connection: acquire(connection, task_ids[0], "another", now=now, ttl_s=600))
    outcome = world.run(task_ids)
    assert outcome.standing == {task_ids[0]: Advance.BUSY, task_ids[1]: Advance.COMPLETED}
    assert world.task(task_ids[0]).status is TaskStatus.PENDING
    assert world.stages(task_ids[0]) == []
