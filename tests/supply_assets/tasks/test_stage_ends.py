"""What ends with a stage ends in one transaction, and what failed is told and resumed (S-005, S-042)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy import event
from sqlalchemy.exc import OperationalError
from starlette.responses import JSONResponse, Response

from resources.databases.supply_store.engine import SupplyStore
from resources.databases.supply_store.states import Stage, StageStatus, TaskStatus
from resources.databases.supply_store.tasks.stage_rows import ABANDONED
from resources.foundation.errors import StaleTask, StoreUnwritable
from supply_assets.stages.stage import Attempt
from supply_assets.tasks.task_run import HANDLERS, UNEXPECTED
from tests.supply_assets.tasks.interposed import Asked
from tests.supply_assets.tasks.world import FastClock, LaterClock, World

WRITTEN_WITH = {
    Stage.ACCOUNT_ENRICH: "supply_account_profile",
    Stage.CONTENT_ENRICH: "supply_content_feature",
    Stage.RANK: "supply_content_score",
}
"""Tables whose rows a stage writes with its end."""


def refuse_once(monkeypatch: pytest.MonkeyPatch, when: Callable[[str, Any], bool]) -> list[str]:
    """Every new store refuses the first statement for which ``when`` holds; what it refused."""
    refused: list[str] = []
    opened = SupplyStore.__init__

    def before(_connection: Any, _cursor: Any, statement: str, parameters: Any, *_: Any) -> None:
        if not refused and when(statement, parameters):
            refused.append(statement)
            raise OperationalError(statement, None, Exception(1, "disk full"))

    def opening(store: SupplyStore, *arguments: Any, **named: Any) -> None:
        opened(store, *arguments, **named)
        event.listen(store.engine, "before_cursor_execute", before)

    monkeypatch.setattr(SupplyStore, "__init__", opening)
    return refused


def ends(stage: Stage) -> Callable[[str, Any], bool]:
    """The last statement of the transaction that ends a stage: its events, with the change of state among them."""

    def when(statement: str, parameters: Any) -> bool:
        return statement.startswith("INSERT INTO supply_task_event") and any(
            "STATE_CHANGE" in row and stage in row for row in _rows(parameters)
        )

    return when


def _rows(parameters: Any) -> list[tuple[Any, ...]]:
    return [tuple(row) for row in parameters] if isinstance(parameters, list) else [tuple(parameters)]


@pytest.mark.parametrize("stage", list(Stage))
def test_s042_where_the_last_statement_of_an_end_fails_nothing_of_it_stands(
    world: World, monkeypatch: pytest.MonkeyPatch, stage: Stage
) -> None:
    task_ids = world.take_in()
    with monkeypatch.context() as patched:
        refused = refuse_once(patched, ends(stage))
        with pytest.raises(StoreUnwritable, match="disk full"):
            world.run(task_ids)
    assert len(refused) == 1
    task, attempts = world.task(task_ids[0]), world.stages(task_ids[0])
    assert task.current_stage is stage
    assert (attempts[-1].stage_name, attempts[-1].stage_status) == (stage, StageStatus.RUNNING)
    assert not [row for row in attempts[:-1] if row.stage_status != StageStatus.SUCCESS]
    if stage in WRITTEN_WITH:
        assert world.counts()[WRITTEN_WITH[stage]] == 0
    world.run(task_ids, clock=LaterClock())
    world.assert_completed(task_ids)
    again = world.stages(task_ids[0], stage)
    assert [(row.attempt_no, row.stage_status, row.error_code) for row in again] == [
        (1, StageStatus.FAILED, ABANDONED),
        (2, StageStatus.SUCCESS, None),
    ]


def test_s042_the_calls_of_an_end_that_failed_are_still_told(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    task_ids = world.take_in()
    with monkeypatch.context() as patched:
        refuse_once(patched, ends(Stage.ACCOUNT_ENRICH))
        with pytest.raises(StoreUnwritable):
            world.run(task_ids)
    events = [row for row in world.rows()["supply_task_event"] if row["stage_name"] == Stage.ACCOUNT_ENRICH]
    assert {row["event_type"] for row in events} == {"TOOL_CALL", "TOOL_RESULT"}


def test_s005_a_stage_that_surprises_fails_its_task_alone(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = world.take_in(2)
    with monkeypatch.context() as patched:
        patched.setitem(HANDLERS, Stage.RANK, _surprise_for(first))  # type: ignore[arg-type]
        world.run([first, second])
    world.assert_sound([first, second])
    task = world.task(first)
    assert (task.status, task.current_stage, task.error_code) == (TaskStatus.FAILED, Stage.RANK, UNEXPECTED)
    assert task.error_message == "ZeroDivisionError: a surprise"
    assert world.task(second).status is TaskStatus.COMPLETED
    world.run([first, second])
    world.assert_completed([first, second])
    assert world.task(first).error_code is None
    assert world.task(first).retry_count == 1


def test_s005_a_task_that_somebody_moved_is_given_back(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SUPPLY_LEASE_S", "0.1")

    async def moved(attempt: Attempt) -> Any:
        raise StaleTask(f"task {attempt.task.task_id} was moved", "read it again")

    task_ids = world.take_in()
    with monkeypatch.context() as patched:
        patched.setitem(HANDLERS, Stage.RANK, moved)  # type: ignore[arg-type]
        assert world.run(task_ids).counts == {"busy": 1}
    assert world.free_leases(task_ids)
    world.run(task_ids)
    world.assert_completed(task_ids)


def _surprise_for(task_id: str) -> Callable[[Attempt], Any]:
    ranked = HANDLERS[Stage.RANK]

    async def rank(attempt: Attempt) -> Any:
        if attempt.task.task_id == task_id:
            raise ZeroDivisionError("a surprise")
        return await ranked(attempt)

    return rank


def test_s005_tries_are_used_up_and_then_the_failure_stands(world: World) -> None:
    task_ids = world.take_in()
    world.platform.faults({"target": "weixin_search", "fault": "server_error"})
    for _ in range(6):
        world.run(task_ids)
    task = world.task(task_ids[0])
    assert (task.status, task.retry_count) == (TaskStatus.FAILED, task.max_retry)
    assert len(world.stages(task_ids[0], Stage.RECALL)) == 1 + task.max_retry
    world.platform.faults()
    world.run(task_ids)
    assert world.task(task_ids[0]).status is TaskStatus.FAILED


def test_s028_a_plan_that_nobody_recorded_is_adopted_however_often_the_task_failed(world: World) -> None:
    task_ids = world.take_in()
    world.platform.faults(
        {"target": "plan_create", "fault": "broken_json"}, {"target": "plan_find", "fault": "server_error"}
    )
    for _ in range(6):
        world.run(task_ids)
    assert world.task(task_ids[0]).error_code == "plan_unknown"
    assert len(world.platform.plans(task_ids[0])) == 1
    world.platform.faults()
    world.run(task_ids)
    world.assert_completed(task_ids)


def test_s005_finished_tasks_are_not_asked_for_again(world: World) -> None:
    task_ids = world.take_in()
    world.run(task_ids)
    rows, calls = world.rows(), world.platform.calls()["endpoints"]
    world.run(task_ids)
    assert world.rows() == rows
    assert world.platform.calls()["endpoints"] == calls


def test_s005_a_heartbeat_that_the_store_refuses_costs_no_task(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SUPPLY_LEASE_S", "0.03")
    task_ids = world.take_in()
    world.platform.faults({"target": "*", "fault": "latency", "value": 50})
    with monkeypatch.context() as patched:
        refused = refuse_once(patched, is_of_a_heartbeat)
        world.run(task_ids)
    world.assert_completed(task_ids)
    assert refused
    told = Counter(row["event_type"] for row in world.rows()["supply_task_event"])
    assert told["TOOL_CALL"] == told["TOOL_RESULT"] > 0, "what the refused beat held is told by the next"


def is_of_a_heartbeat(statement: str, parameters: Any) -> bool:
    """Events between the ends of stages."""
    is_events = statement.startswith("INSERT INTO supply_task_event")
    return is_events and not any("STATE_CHANGE" in row for row in _rows(parameters))


def test_s010_a_breaker_that_is_open_is_waited_for_in_the_stage(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Five outages in a row leave the pages' provider alone; the task that comes next meets no provider at all."""
    monkeypatch.setenv("SUPPLY_TASK_CONCURRENCY", "1")
    first, second = world.take_in(2)
    world.run([first, second], Stage.ACCOUNT_PROFILE)
    world.platform.faults({"target": "fetch_article_detail", "fault": "server_error"})
    world.run([first, second])
    world.assert_sound([first, second])
    assert world.task(first).error_code == "server_error"
    assert world.task(second).error_code == "breaker_open"
    waits = world.policy.breaker_waits
    attempts = world.stages(second, Stage.CONTENT_ENRICH)
    assert [row.error_code for row in attempts] == ["breaker_open"] * (waits + 1)
    world.platform.faults()
    world.run([first, second])
    world.assert_completed([first, second])


def test_s010_tasks_that_wait_for_a_provider_end_in_the_same_run(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SUPPLY_TASK_CONCURRENCY", "1")
    patient = replace(world, policy=replace(world.policy, breaker_waits=20, breaker_pause_s=0.05), clock=FastClock())
    first, *others = patient.take_in(3)

    def instead(request: Asked) -> Response | None:
        struck = request.path in ("/tools/fetch_article_detail", "/s") or request.path.startswith("/s/")
        return JSONResponse({}, 503) if struck and patient.task(first).status is not TaskStatus.FAILED else None

    patient.platform.instead(instead)
    patient.run([first, *others])
    assert patient.task(first).error_code == "server_error"
    patient.assert_completed(others)
    assert [patient.task(task_id).retry_count for task_id in others] == [0, 0]
