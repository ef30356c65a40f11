"""Backfills and automation through the webserver of a running stack, by the command's own door."""

from __future__ import annotations

import json
import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from commands.operations.backfills.request import LONGEST_CONFIG
from tests.bench.backfill import pattern2plan
from tests.stack_world import StackWorld, wait_until

pytestmark = [pytest.mark.real_server, pytest.mark.xdist_group("stack")]
SLOW_MS = 400
REMOVE = """
mutation ($selector: RepositorySelector!, $name: String!, $keys: [String!]!) {
  deleteDynamicPartitions(repositorySelector: $selector, partitionsDefName: $name, partitionKeys: $keys) { __typename }
}
"""
DEMAND = {"repositoryName": "__repository__", "repositoryLocationName": "demand"}


def answer(stack: StackWorld, *arguments: str) -> tuple[int, Any]:
    done = pattern2plan(stack, *arguments, "--json")
    assert done.stdout, done.stderr
    return done.returncode, json.loads(done.stdout)


def plans_of(stack: StackWorld, *batches: str) -> Counter[str]:
    named = ", ".join(f"'{batch}'" for batch in batches)
    rows = stack.rows(f"SELECT task_id FROM supply_task WHERE JSON_VALUE(ext, '$.batch') IN ({named})")
    tasks = {row["task_id"] for row in rows}
    return Counter(plan["task_id"] for plan in stack.plans() if plan["task_id"] in tasks)


def test_dg2_dg11_a_backfill_is_cancelled_resumed_and_says_what_was_removed(stack: StackWorld):
    code, dry = answer(stack, "backfill", "--from", "1004", "--to", "1006", "--name", "b1", "--dry-run")
    assert (code, dry["halves"]) == (0, {"demand": {"waiting": 3}, "supply": {"waiting": 3}})

    stack.slow_platform(SLOW_MS)
    pattern2plan(stack, "backfill", "--from", "1004", "--to", "1006", "--name", "b1", "--no-wait")
    removed = stack.ask(REMOVE, selector=DEMAND, name="execution_id", keys=["1006"])
    assert removed["__typename"] == "DeleteDynamicPartitionsSuccess"
    wait_until(lambda: _ended(stack, "demand_mysql_demand_content", "b1") == 3, 120)
    pattern2plan(stack, "backfill", "resume", "b1", "--no-wait")
    wait_until(lambda: any(run["status"] == "STARTED" for run in _runs(stack, "supply_batch", "b1")), 60)

    code, cancelled = answer(stack, "backfill", "cancel", "b1")
    sent = plans_of(stack, "1004", "1005")
    assert code == 0
    assert cancelled["halves"]["supply"]["cancelled"] >= 1
    stack.slow_platform(0)

    code, resumed = answer(stack, "backfill", "resume", "b1")
    assert code == 1, "one partition is not there any more"
    assert resumed["halves"]["demand"] == {"succeeded": 2, "removed": 1}
    assert resumed["halves"]["supply"]["succeeded"] == 2
    (trouble,) = resumed["troubles"]
    assert (trouble["key"], trouble["state"]) == ("1006", "removed")
    plans = plans_of(stack, "1004", "1005")
    assert sum(plans.values()) > sum(sent.values())
    assert set(plans.values()) == {1}


def test_only_what_is_missing_runs_and_the_same_again_doubles_nothing(stack: StackWorld):
    first = ["backfill", "--from", "1007", "--to", "1007", "--half", "demand"]
    assert answer(stack, *first, "--name", "m1")[1]["halves"] == {"demand": {"succeeded": 1}}
    rows = stack.rows("SELECT COUNT(*) AS n FROM demand_content")
    assert answer(stack, *first, "--name", "m2")[1]["halves"] == {"demand": {"stands": 1}}
    assert answer(stack, *first, "--name", "m4", "--only", "all")[1]["halves"] == {"demand": {"succeeded": 1}}
    assert stack.rows("SELECT COUNT(*) AS n FROM demand_content") == rows
    taken = pattern2plan(stack, *first, "--name", "m4")
    assert taken.returncode == 2
    assert "there is a backfill m4 already" in taken.stderr


def test_a_changed_config_reaches_the_runs_and_a_wrong_one_is_named(stack: StackWorld, tmp_path: Path):
    changed = tmp_path / "changed.json"
    wanted = ["backfill", "--from", "1008", "--to", "1008", "--half", "demand", "--changed-config", str(changed)]
    changed.write_text('{"demand": {"resources": {"demand_request": {"config": {"cuont": 1}}}}}')
    refused = pattern2plan(stack, *wanted, "--name", "c1")
    assert refused.returncode == 2
    assert '"cuont"' in refused.stderr
    assert "demand_request" in refused.stderr
    config: dict[str, Any] = {"demand": {"resources": {"demand_request": {"config": {"count": 1}}}}, "supply": {}}
    room = LONGEST_CONFIG - len(json.dumps(config)) - len(', "loggers": {"console": {"config": {"name": ""}}}')
    config["demand"]["loggers"] = {
        "console": {"config": {"name": f"{random.Random(1).getrandbits(room * 4):0{room}x}"}}
    }
    changed.write_text(json.dumps(config))
    assert answer(stack, *wanted, "--name", "c1")[0] == 0, "the longest config there may be fits into Dagster's index"
    rows = stack.rows("SELECT id FROM demand_content WHERE JSON_VALUE(ext_data, '$.run_label') = 'backfill_1008'")
    assert len(rows) == 1


def test_dg11_a_cancelled_run_has_failed_to_a_person_and_a_cancel_needs_no_facts(stack: StackWorld):
    wanted = ["backfill", "--from", "1009", "--to", "1010", "--half", "demand"]
    pattern2plan(stack, *wanted, "--name", "f1", "--no-wait")
    without_facts = {**stack.environment, "DEMAND_PATTERN_PG_DSN": "postgresql://127.0.0.1:1/none"}
    code, cancelled = answer(StackWorld(**{**vars(stack), "environment": without_facts}), "backfill", "cancel", "f1")
    assert (code, cancelled["halves"]) == (0, {"demand": {"cancelled": 1}})

    _, dry = answer(stack, *wanted, "--name", "f2", "--only", "failed", "--dry-run")
    assert dry["halves"] == {"demand": {"waiting": 1}}
    assert dry["the_first_of_them"] == [1010]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--from", "9001", "--to", "9002"], "no execution from 9001 to 9002 was successful"),
        (["--from", "1002", "--to", "1001"], "is after --to"),
        (["--from", "1001"], "--from and --to"),
        (["--from", "1001", "--to", "1002", "--name", "no good"], "cannot name a backfill"),
        (["status", "nobody"], "there is no backfill 'nobody'"),
    ],
)
def test_what_cannot_be_meant_is_refused(stack: StackWorld, arguments: list[str], said: str):
    refused = pattern2plan(stack, "backfill", *arguments)
    assert refused.returncode == 2
    assert said in refused.stderr


def test_dg9_automation_is_turned_on_and_tells_how_old_its_last_good_tick_is(stack: StackWorld):
    named = ["automation", "on", "--name", "stuck_tasks", "--name", "nightly_drift"]
    _, found = answer(stack, *named)
    assert {one["name"] for one in found if one["running"]} == {"stuck_tasks", "nightly_drift"}

    def ticked() -> Any:
        _, states = answer(stack, "automation", "status")
        return next(one for one in states if one["name"] == "stuck_tasks")["last_good_age_s"] is not None

    wait_until(ticked, 60, every=2)
    _, off = answer(stack, "automation", "off")
    assert not any(one["running"] for one in off)
    unknown = pattern2plan(stack, "automation", "on", "--name", "nothing")
    assert unknown.returncode == 2
    assert "stuck_tasks" in unknown.stderr


def test_a_webserver_that_is_away_is_exit_code_3(stack: StackWorld):
    away = pattern2plan(StackWorld(**{**vars(stack), "address": "http://127.0.0.1:1"}), "backfill", "list")
    assert away.returncode == 3
    assert "does not answer" in away.stderr


def _runs(stack: StackWorld, job: str, name: str) -> list[dict[str, Any]]:
    return [r for r in stack.runs() if r["jobName"] == job and r["tags"].get("pattern2plan/backfill") == name]


def _ended(stack: StackWorld, job: str, name: str) -> int:
    return sum(run["status"] in ("SUCCESS", "FAILURE") for run in _runs(stack, job, name))
