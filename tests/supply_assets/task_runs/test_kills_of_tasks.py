"""SIGKILL and SIGSTOP at every point of a task: the next run finishes it, with one plan (S-005, S-028)."""

from __future__ import annotations

import pytest

from resources.supply_store.stage_rows import ABANDONED
from resources.supply_store.states import Stage, StageStatus
from tests.supply_assets.task_runs.workers import (
    ENDED,
    KILLED,
    Job,
    Workers,
    after_write,
    around_create,
    inside_write,
    kill,
    pause,
)
from tests.supply_assets.task_runs.world import LaterClock, World

MOST_WRITES = 60


def finish(world: World, task_ids: list[str]) -> None:
    """The next run, after the lease of the killed worker has run out."""
    world.run(task_ids, clock=LaterClock())
    world.assert_completed(task_ids)


def test_s005_a_kill_after_any_write_leaves_a_task_that_the_next_run_finishes(world: World, workers: Workers) -> None:
    for number in range(1, MOST_WRITES):
        task_ids = world.take_in(force=True)
        (ending,) = workers.run(Job(task_ids, world.policy, after_write(number, kill)))
        if ending.code == ENDED:
            break
        assert ending.code == KILLED, ending.said
        finish(world, task_ids)
    else:
        pytest.fail("the task never came to its end")
    assert number > len(Stage), "every stage was cut short at least once"


@pytest.mark.parametrize("before", [True, False])
def test_s028_a_kill_around_the_sending_of_a_plan_makes_one_plan(
    both_worlds: World, workers: Workers, before: bool
) -> None:
    task_ids = both_worlds.take_in()
    (ending,) = workers.run(Job(task_ids, both_worlds.policy, around_create(kill, before=before)))
    assert ending.code == KILLED, ending.said
    assert len(both_worlds.platform.plans()) == (not before)
    finish(both_worlds, task_ids)
    first, second = both_worlds.stages(task_ids[0], Stage.CREATE_PLAN)
    assert (first.stage_status, first.error_code) == (StageStatus.FAILED, ABANDONED)
    assert second.output_payload["origin"] == ("created" if before else "adopted")


@pytest.mark.parametrize("again", [2, 3])
def test_s028_a_plan_survives_several_kills(
    world: World, workers: Workers, again: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SUPPLY_LEASE_S", "1")
    task_ids = world.take_in()
    for _ in range(again):
        (ending,) = workers.run(Job(task_ids, world.policy, around_create(kill, before=True)))
        assert ending.code == KILLED, ending.said
    finish(world, task_ids)


@pytest.mark.real_server
@pytest.mark.parametrize("number", [5, 9, 14])
def test_s005_a_kill_inside_a_transaction_of_a_server_leaves_nothing_of_it(
    both_worlds: World, workers: Workers, number: int
) -> None:
    task_ids = both_worlds.take_in()
    (ending,) = workers.run(Job(task_ids, both_worlds.policy, inside_write(number, kill)))
    assert ending.code == KILLED, ending.said
    finish(both_worlds, task_ids)


def test_s005_a_lease_that_runs_out_frees_the_task(
    world: World, workers: Workers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SUPPLY_LEASE_S", "1")
    task_ids = world.take_in()
    (ending,) = workers.run(Job(task_ids, world.policy, after_write(6, kill)))
    assert ending.code == KILLED, ending.said
    assert world.task(task_ids[0]).ext["lease"]["owner"]
    world.run(task_ids)
    world.assert_completed(task_ids)


def test_s005_a_worker_that_was_stopped_writes_nothing_after_another_has_finished(
    world: World, workers: Workers
) -> None:
    for number in range(1, MOST_WRITES):
        task_ids = world.take_in(force=True)
        if not workers.stop(Job(task_ids, world.policy, after_write(number, pause))):
            break
        finish(world, task_ids)
        before = world.rows()
        ending = workers.go_on()
        assert ending.code == ENDED, ending.said
        world.assert_completed(task_ids)
        assert {name: rows for name, rows in world.rows().items() if name != "supply_task_event"} == {
            name: rows for name, rows in before.items() if name != "supply_task_event"
        }
    else:
        pytest.fail("the task never came to its end")


@pytest.mark.parametrize("before", [True, False])
def test_s028_a_worker_that_was_stopped_around_the_sending_makes_no_second_plan(
    world: World, workers: Workers, before: bool
) -> None:
    task_ids = world.take_in()
    assert workers.stop(Job(task_ids, world.policy, around_create(pause, before=before)))
    finish(world, task_ids)
    assert workers.go_on().code == ENDED
    world.assert_completed(task_ids)
