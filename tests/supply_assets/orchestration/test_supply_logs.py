"""The log lines of a supply run: every line says whose it is, and none says a secret (S-012)."""

from __future__ import annotations

import json
from typing import Any

import pytest
from sqlalchemy import select

from resources.databases.supply_store.tables import supply_task, supply_task_event
from tests.supply_assets.orchestration.conftest import BATCH, SupplyLocation
from tests.supply_chain import of_post

SECRET = "s3cr3t-Zq9"
ASSETS = ("demand_snapshots", "supply_tasks", "candidate_pool")
STEPS = ("take_in_demands", "candidate_pool")


def lines_of(printed: str) -> list[dict[str, Any]]:
    """The JSON lines among what Dagster prints."""
    return [json.loads(line) for line in printed.splitlines() if line.startswith('{"')]


def test_s012_each_line_carries_the_ids_of_its_run_step_task_and_call(
    supply: SupplyLocation, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATTERN2PLAN_LOG_LEVEL", "debug")
    monkeypatch.setenv("SUPPLY_PLATFORM_TOKEN", SECRET)
    supply.chain.publish(of_post("p1"), of_post("p2"))
    capfd.readouterr()
    run = supply.materialize(*ASSETS)
    printed = capfd.readouterr()
    lines = lines_of(printed.err)

    assert run.success
    assert SECRET not in printed.err + printed.out
    assert {(line["run_id"], line["partition"]) for line in lines} == {(run.run_id, BATCH)}
    assert all(line["job"] for line in lines)
    said = [(line["step"], line["event"]) for line in lines if line["event"].startswith("step ")]
    assert said == [(step, event) for step in STEPS for event in ("step started", "step ended")]
    traces = dict(supply.chain.read(lambda c: c.execute(select(supply_task.c.task_id, supply_task.c.trace_id)).all()))
    ended = [line for line in lines if line["event"] == "stage ended"]
    assert {(line["task_id"], line["trace_id"]) for line in ended} == set(traces.items())
    assert {(line["step"], line["stage"]) for line in ended} == {
        ("candidate_pool", "INIT"),
        ("candidate_pool", "RECALL"),
    }
    calls = [line for line in lines if "request_id" in line]
    events = supply.chain.read(lambda c: c.execute(select(supply_task_event.c.task_id, supply_task_event.c.request_id)))
    assert {(line["task_id"], line["request_id"]) for line in calls} == {row for row in events if row[1]}
    assert all(line["trace_id"] == traces[line["task_id"]] and line["stage"] == "RECALL" for line in calls)


def test_s012_the_lines_of_a_failed_step_and_of_failed_tasks_are_there_at_the_usual_level(
    supply: SupplyLocation, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    supply.chain.publish(of_post("p1"))
    monkeypatch.setenv("SUPPLY_PLATFORM_URL", "http://127.0.0.1:9")
    supply.materialize(*ASSETS)
    lines = lines_of(capfd.readouterr().err)

    (failed,) = [line for line in lines if line["event"] == "stage failed"]
    assert (failed["level"], failed["stage"], failed["partition"]) == ("warning", "RECALL", BATCH)
    assert failed["error_code"]
    assert "debug" not in {line["level"] for line in lines}

    supply.register("582")
    monkeypatch.delenv("SUPPLY_PLATFORM_URL")
    supply.materialize(*ASSETS)
    assert [line["error"] for line in lines_of(capfd.readouterr().err) if line["event"] == "step failed"] == [
        "SettingsError"
    ]
