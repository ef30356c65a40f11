"""SIGKILL and SIGSTOP at every point of a task: the next run finishes it, with one plan (S-005, S-028)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from resources.databases.supply_store.engine import SupplyStore
from resources.databases.supply_store.states import Stage, StageStatus
from resources.databases.supply_store.tasks.stage_rows import ABANDONED
from tests.supply_assets.tasks.workers import (
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
from tests.supply_assets.tasks.world import TINY, LaterClock, World


@pytest.fixture
def tiny(world: World) -> World:
    """A world whose tasks write as seldom as can be."""
    return replace(world, policy=TINY)


def writes_of_a_task(world: World, monkeypatch: pytest.MonkeyPatch) -> int:
    """How often a worker writes for one task, from its lease to giving it back."""
    written: list[object] = []
    original = SupplyStore.write

    def write(store: SupplyStore, work: Any) -> Any:
        written.append(work)
        return original(store, work)

    task_ids = world.take_in(anew=True)
    with monkeypatch.context() as patched:
        patched.setattr(SupplyStore, "write", write)
        world.run(task_ids)
    world.assert_completed(task_ids)
    return len(written)


def finish(world: World, task_ids: list[str]) -> None:
    """The next run, after the lease of the killed worker has run out."""
    world.run(task_ids, clock=LaterClock())
    world.assert_completed(task_ids)


def test_s005_a_kill_after_any_write_leaves_a_task_that_the_next_run_finishes(
    tiny: World, workers: Workers, monkeypatch: pytest.MonkeyPatch
) -> None:
    points = range(1, writes_of_a_task(tiny, monkeypatch) + 1)
    assert len(points) > 2 * len(Stage), "every stage begins and ends with a write"
    task_ids = [tiny.take_in(anew=True)[0] for _ in points]
    endings = workers.run(
        *(
            Job([task_id], tiny.policy, after_write(number, kill))
            for number, task_id in zip(points, task_ids, strict=True)
        )
    )
    assert [ending.code for ending in endings] == [KILLED] * len(points)
    finish(tiny, task_ids)


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


def test_s028_a_plan_survives_several_kills(world: World, workers: Workers, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SUPPLY_LEASE_S", "1")
    task_ids = world.take_in()
    for _ in range(3):
        (ending,) = workers.run(Job(task_ids, world.policy, around_create(kill, before=True)))
        assert ending.code == KILLED, ending.said
    finish(world, task_ids)


@pytest.mark.real_server
@pytest.mark.parametrize("number", [5, 9, 14])
def test_s005_a_kill_inside_a_transaction_of_a_server_leaves_nothing_of_it(
    server_world: World, workers: Workers, number: int
) -> None:
    task_ids = server_world.take_in()
    (ending,) = workers.run(Job(task_ids, server_world.policy, inside_write(number, kill)))
    assert ending.code == KILLED, ending.said
    finish(server_world, task_ids)


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
    tiny: World, workers: Workers, monkeypatch: pytest.MonkeyPatch
) -> None:
    points = range(1, writes_of_a_task(tiny, monkeypatch) + 1, 3)
    task_ids = [tiny.take_in(anew=True)[0] for _ in points]
    workers.stop(
        *(
            Job([task_id], tiny.policy, after_write(number, pause))
            for number, task_id in zip(points, task_ids, strict=True)
        )
    )
    finish(tiny, task_ids)
    before = tiny.rows()
    for ending in workers.go_on():
        assert ending.code == ENDED, ending.said
    tiny.assert_completed(task_ids)
    after = tiny.rows()
    assert _lasting(after) == _lasting(before)


@pytest.mark.parametrize("before", [True, False])
def test_s028_a_worker_that_was_stopped_around_the_sending_makes_no_second_plan(
    world: World, workers: Workers, before: bool
) -> None:
    task_ids = world.take_in()
    workers.stop(Job(task_ids, world.policy, around_create(pause, before=before)))
    finish(world, task_ids)
    assert [ending.code for ending in workers.go_on()] == [ENDED]
    world.assert_completed(task_ids)


def _lasting(rows: dict[str, list[dict[str, Any]]]) -> dict[str, list[dict[str, Any]]]:
    """All but the journal of calls, and the lease that a worker gives back with its last write."""
    tasks = [{**row, "updated_at": None, "ext": {**row["ext"], "lease": None}} for row in rows["supply_task"]]
    return {name: table for name, table in rows.items() if name != "supply_task_event"} | {"supply_task": tasks}
