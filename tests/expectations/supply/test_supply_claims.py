"""What the assets claim of a batch beside the store: demands and tasks that are listed, missing or listed twice."""

from __future__ import annotations

import sqlite3
from typing import Any

import pandas as pd
import pytest

from expectations.engine.rules import KEY
from expectations.engine.validation import Verdict, run_suites
from expectations.supply.frames import supply_frames
from expectations.supply.suites import SUPPLY_SUITES
from resources.databases.supply_store.engine import SupplyStore
from tests.expectations.supply.supply_batch import FAILED, HELD, PLANNED, batch_frames, broken, look, spoil, top_up


@pytest.mark.parametrize(
    ("changes", "rule"),
    [
        ({"state": "lost"}, "S-002"),
        ({"state": "refused", "rule_id": None, "reason": "x", "task_id": None}, "S-002"),
        ({"state": "refused", "rule_id": "D-036", "reason": None, "task_id": None}, "S-002"),
        ({"task_id": None}, "S-002"),
        ({"snapshot_id": 999}, "S-002"),
        ({"demand_id": 2}, "S-003"),
    ],
)
def test_s002_a_demand_is_taken_in_or_refused_with_a_reason(
    batch_store: SupplyStore, changes: dict[str, Any], rule: str
):
    tasks, demands = batch_frames(batch_store)
    for column, value in changes.items():
        demands.loc[0, column] = value
    assert rule in broken(look(batch_store, "demand_snapshots", tasks, demands))["complete"]


@pytest.mark.parametrize("column", ["query", "query_expansion", "expected_count", "version"])
def test_s003_what_was_taken_in_is_what_stands(batch_store: SupplyStore, column: str):
    tasks, demands = batch_frames(batch_store)
    demands.loc[0, column] = 7 if column in ("expected_count", "version") else "[7]"
    assert set(broken(look(batch_store, "demand_snapshots", tasks, demands))) == {"closure"}


@pytest.mark.parametrize("column", ["origin", "pattern_execution_id", "itemset_id", "source_post_id"])
def test_s006_a_demand_names_the_evidence_of_its_snapshot(batch_store: SupplyStore, column: str):
    tasks, demands = batch_frames(batch_store)
    demands.loc[0, column] = pd.NA if column in ("pattern_execution_id", "itemset_id") else None
    assert broken(look(batch_store, "demand_snapshots", tasks, demands)) == {"closure": {"S-006"}}


def test_s006_a_request_from_outside_has_no_pattern_and_no_gaps(batch_store: SupplyStore):
    tasks, demands = batch_frames(batch_store)
    asked = '{"origin": "request", "demand_id": 1, "itemset_ids": []}'
    spoil(
        batch_store,
        f"UPDATE supply_task SET ext = json_set(ext, '$.source_evidence', json('{_bound(asked)}')) WHERE demand_id = 1",
        "UPDATE supply_demand_snapshot SET source_payload = "
        f"json_set(source_payload, '$.source_evidence', json('{_bound(asked)}')) WHERE demand_id = 1",
    )
    demands.loc[0, ["origin", "source_post_id"]] = ["request", None]
    demands.loc[0, ["pattern_execution_id", "itemset_id"]] = pd.NA
    assert broken(look(batch_store, "demand_snapshots", tasks, demands)) == {}


def _bound(json: str) -> str:
    """A colon in a statement would name a parameter."""
    return json.replace(":", r"\:")


def test_s003_a_task_that_is_not_listed_is_red(batch_store: SupplyStore):
    tasks, demands = batch_frames(batch_store)
    red = broken(look(batch_store, "supply_tasks", tasks[tasks["task_id"] != HELD], demands))
    assert red == {"complete": {"S-003"}}


def test_s003_a_task_without_a_demand_is_red(batch_store: SupplyStore):
    tasks, demands = batch_frames(batch_store)
    red = broken(look(batch_store, "supply_tasks", tasks, demands[demands["task_id"] != HELD]))
    assert red == {"complete": {"S-003"}}


def test_s003_a_task_whose_snapshot_is_gone_is_red(batch_store: SupplyStore):
    tasks, demands = batch_frames(batch_store)
    with sqlite3.connect(str(batch_store.engine.url.database)) as unguarded:
        unguarded.execute("UPDATE supply_task SET demand_snapshot_id = 999 WHERE task_id = ?", [PLANNED])
    tasks.loc[tasks["task_id"] == PLANNED, "snapshot_id"] = 999
    assert broken(look(batch_store, "supply_tasks", tasks, demands)) == {"closure": {"S-003"}}


def test_s005_a_running_task_of_which_nothing_stands_is_red(batch_store: SupplyStore):
    tasks, demands = batch_frames(batch_store)
    spoil(
        batch_store,
        f"UPDATE supply_task SET status = 'RUNNING', current_stage = 'RECALL' WHERE task_id = '{HELD}'",
        f"DELETE FROM supply_task_stage WHERE task_id = '{HELD}'",
    )
    assert broken(look(batch_store, "supply_tasks", tasks, demands)) == {"complete": {"S-005"}}


def test_s020_a_task_whose_candidates_are_gone_is_red(batch_store: SupplyStore):
    tasks, demands = batch_frames(batch_store)
    tables = ("supply_content_score", "supply_content_feature", "supply_candidate_content")
    spoil(batch_store, *(f"DELETE FROM {table} WHERE task_id = '{HELD}'" for table in tables))
    red = broken(look(batch_store, "candidate_pool", tasks, demands))
    assert red == {"complete": {"S-020", "S-042"}}


def test_s028_a_plan_of_the_platform_that_two_tasks_name_is_red(batch_store: SupplyStore):
    top_up(batch_store)
    tasks, demands = batch_frames(batch_store)
    spoil(batch_store, f"UPDATE supply_crawler_plan SET crawler_plan_id = 'cp-{PLANNED}' WHERE task_id = '{FAILED}'")
    assert broken(look(batch_store, "crawler_plans", tasks, demands)) == {"closure": {"S-028"}}


@pytest.mark.parametrize(("accounts", "red"), [(("gh_0", "gh_1"), set()), (("gh_0",), {"shape", "closure"})])
def test_s028_a_plan_by_account_holds_the_accounts_of_the_selection(
    batch_store: SupplyStore, accounts: tuple[str, ...], red: set[str]
):
    tasks, demands = batch_frames(batch_store)
    listed = ",".join(f"json_object('account_id', '{account}')" for account in accounts)
    spoil(
        batch_store,
        "UPDATE supply_crawler_plan SET plan_type = 'BY_ACCOUNT', request_payload = "
        f"json_set(request_payload, '$.contents', json('[]'), '$.accounts', json_array({listed}))",
    )
    assert set(broken(look(batch_store, "crawler_plans", tasks, demands))) == red


def test_s024_more_than_three_of_one_account_are_red(batch_store: SupplyStore):
    tasks, demands = batch_frames(batch_store)
    spoil(batch_store, "UPDATE supply_candidate_content SET account_id = 'gh_0'")
    with batch_store.reading() as connection:
        frames = supply_frames(connection, "content_scores", tasks, demands)
    frame = frames["ranked_tasks"]
    assert set(frame["most_of_one_account"]) == {0, 2}
    suite = SUPPLY_SUITES["content_scores"]["shape"][0]
    allowed = frames | {"ranked_tasks": frame.assign(most_of_one_account=3)}
    beyond = frames | {"ranked_tasks": frame.assign(most_of_one_account=4)}
    assert [run_suites([suite], each)[0].verdict for each in (allowed, beyond)] == [Verdict.PASSED, Verdict.BROKEN]


@pytest.mark.parametrize("asset", list(SUPPLY_SUITES))
def test_the_order_and_the_types_of_the_claims_play_no_part(batch_store: SupplyStore, asset: str):
    tasks, demands = batch_frames(batch_store)
    with batch_store.reading() as connection:
        plain = supply_frames(connection, asset, tasks, demands)
        turned = supply_frames(connection, asset, tasks.iloc[::-1], demands.iloc[::-1].astype(object))
    for name, frame in plain.items():
        keys = frame[frame.columns[0]].sort_values().tolist()
        assert turned[name][KEY].sort_values().tolist() == keys
