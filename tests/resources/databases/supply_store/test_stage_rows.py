"""One row an attempt at a stage; an attempt whose worker went away is closed by the next (S-005)."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from resources.databases.supply_store.engine import SupplyStore
from resources.databases.supply_store.states import Stage, StageStatus
from resources.databases.supply_store.tasks.stage_rows import (
    StageRow,
    begin_stage,
    checkpoint_stage,
    end_stage,
    stage_history,
)
from resources.foundation.errors import LeaseLost
from tests.resources.databases.supply_store.supply_rows import NOW, add_tasks, read

LATER = NOW + timedelta(milliseconds=1_750)


def begun(store: SupplyStore, stage: Stage = Stage.RECALL, payload: Any = None, task_id: str = "t1") -> int:
    return store.write(lambda connection: begin_stage(connection, task_id, stage, at=NOW, input_payload=payload))


def ended(store: SupplyStore, row_id: int, status: StageStatus = StageStatus.SUCCESS, **options: Any) -> None:
    options = {"at": LATER, "output_payload": {"done": 1}} | options
    store.write(lambda connection: end_stage(connection, row_id, status=status, **options))


def history(store: SupplyStore, *task_ids: str) -> list[StageRow]:
    return read(store, lambda connection: stage_history(connection, task_ids or ["t1"]))


def test_s005_an_attempt_is_kept_with_what_went_in_what_came_out_and_how_long_it_took(supply: SupplyStore) -> None:
    add_tasks(supply)
    row_id = begun(supply, payload={"cycle": 1})
    [running] = history(supply)
    assert (running.id, running.stage_name, running.stage_status, running.attempt_no) == (
        row_id,
        "RECALL",
        "RUNNING",
        1,
    )
    assert (running.started_at, running.finished_at, running.output_payload) == (NOW.replace(microsecond=0), None, None)
    assert running.input_payload["cycle"] == 1
    ended(supply, row_id)
    [row] = history(supply)
    assert (row.stage_status, row.output_payload, row.error_code) == ("SUCCESS", {"done": 1}, None)
    assert (row.finished_at, row.duration_ms) == (LATER.replace(microsecond=0), 1_750)


def test_s005_an_error_is_kept_with_its_code_and_what_was_checkpointed_stays(supply: SupplyStore) -> None:
    add_tasks(supply)
    row_id = begun(supply)
    supply.write(lambda connection: checkpoint_stage(connection, row_id, {"page": 3}))
    ended(supply, row_id, StageStatus.FAILED, output_payload=None, error=("timeout", "m" * 9000))
    [row] = history(supply)
    assert (row.stage_status, row.error_code, len(row.error_message or "")) == ("FAILED", "timeout", 4000)
    assert row.output_payload == {"page": 3}


def test_s005_attempts_count_by_task_and_stage(supply: SupplyStore) -> None:
    add_tasks(supply, ["t1", "t2"])
    for stage, task_id in ((Stage.RECALL, "t1"), (Stage.RECALL, "t1"), (Stage.RANK, "t1"), (Stage.RECALL, "t2")):
        ended(supply, begun(supply, stage, task_id=task_id))
    assert [(row.task_id, row.stage_name, row.attempt_no) for row in history(supply, "t2", "t1")] == [
        ("t1", "RECALL", 1), ("t1", "RECALL", 2), ("t1", "RANK", 1), ("t2", "RECALL", 1),
    ]  # fmt: skip


def test_s005_an_attempt_that_was_left_running_is_closed_by_the_next(supply: SupplyStore) -> None:
    add_tasks(supply, ["t1", "t2"])
    lost = begun(supply)
    supply.write(lambda connection: checkpoint_stage(connection, lost, {"page": 2}))
    elsewhere, other_stage = begun(supply, task_id="t2"), begun(supply, Stage.RANK)
    again = begun(supply)
    rows = {row.id: row for row in history(supply, "t1", "t2")}
    assert (rows[lost].stage_status, rows[lost].error_code) == ("FAILED", "abandoned")
    assert rows[lost].output_payload == {"page": 2}
    assert rows[lost].finished_at is not None
    assert (rows[again].stage_status, rows[again].attempt_no) == ("RUNNING", 2)
    assert {rows[elsewhere].stage_status, rows[other_stage].stage_status} == {"RUNNING"}


def test_s005_a_worker_that_came_back_cannot_write_to_its_closed_attempt(supply: SupplyStore) -> None:
    add_tasks(supply)
    lost = begun(supply)
    begun(supply)
    with pytest.raises(LeaseLost):
        supply.write(lambda connection: checkpoint_stage(connection, lost, {"page": 9}))
    with pytest.raises(LeaseLost):
        ended(supply, lost)
    assert history(supply)[0].output_payload is None
