"""The two jobs of the supply location: what a batch ends with, what the UI shows of it, and what is refused."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import dagster as dg
import pytest

from resources.databases.supply_store.states import TaskStatus
from supply_assets.definitions import ASSETS
from supply_assets.orchestration.checks import CHECKS
from tests.demand_assets.orchestration.conftest import failure_text
from tests.supply_assets.orchestration.conftest import (
    BATCH,
    NO_EXECUTIONS,
    WANTED,
    Finished,
    SupplyLocation,
    materialized,
    metadata_of,
    table_of,
)
from tests.supply_assets.orchestration.test_supply_location import EIGHT, NINE
from tests.supply_chain import HOME, of_post

CAPPED_BYTES = 64_000
IMAGE = re.compile(r"!\[[^\]]+\]\(data:image/png;base64,[A-Za-z0-9+/=]+\)")
RULE = re.compile(r"S-\d{3}a?")
DEAD_ADDRESS = "http://127.0.0.1:1"


def test_section5_a_published_execution_ends_in_plans_and_every_check_of_the_batch_passes(finished: Finished) -> None:
    assert finished.published.success
    assert finished.run.success, failure_text(finished.run)
    assert materialized(finished.run) == NINE
    evaluations = finished.run.get_asset_check_evaluations()
    names = {(evaluation.asset_key.to_user_string(), evaluation.check_name) for evaluation in evaluations}
    assert names >= {(asset, check) for asset in EIGHT for check in ("complete", "shape", "closure")}
    assert [evaluation for evaluation in evaluations if not evaluation.passed] == []
    assert {evaluation.partition for evaluation in evaluations} == {BATCH}


def test_section5_every_evaluation_shows_the_rules_it_stands_for(finished: Finished) -> None:
    for evaluation in finished.run.get_asset_check_evaluations():
        records = table_of(evaluation.metadata["results"])
        assert records, evaluation.check_name
        assert {record["rule_id"] for record in records if not RULE.fullmatch(record["rule_id"])} == set()


def test_s028_each_task_has_one_plan_on_the_platform_of_what_was_selected(finished: Finished) -> None:
    location = finished.location
    plans = location.platform.plans(location.task_ids())
    assert sorted(plan["task_id"] for plan in plans) == sorted(location.task_ids())
    scores = location.frame("content_scores")
    for plan in plans:
        selected = scores[(scores["task_id"] == plan["task_id"]) & scores["is_selected"]]
        assert len(plan["contents"]) == len(selected) == WANTED


def test_s006_the_trace_table_walks_from_each_article_to_its_category_nodes(finished: Finished) -> None:
    metadata = metadata_of(finished.run, "supply_results")
    rows = table_of(metadata["trace"])
    assert len(rows) == WANTED * len(finished.location.task_ids())
    assert metadata["broken_chains"].value == 0
    for row in rows:
        assert row["closes"] == "yes"
        assert row["crawler_plan_id"]
        assert row["itemset"] in {"1001", "1002", "1003"}
        assert "/情感" in row["categories"]


def test_s025_the_funnel_the_scores_and_the_shortfall_are_shown(finished: Finished) -> None:
    scores = metadata_of(finished.run, "content_scores")
    for plot in (scores["plot"], scores["score_distribution"], metadata_of(finished.run, "supply_results")["plot"]):
        assert IMAGE.fullmatch(plot.value)
    assert scores["shortfall"].value == 0
    assert scores["selected"].value == WANTED * len(finished.location.task_ids())
    assert table_of(scores["short_tasks"]) == []


def test_s006_the_report_of_a_batch_is_a_page_and_the_same_numbers(finished: Finished) -> None:
    metadata = metadata_of(finished.run, "execution_report")
    page = finished.location.place / HOME / "reports" / f"{BATCH}.html"
    assert metadata["page"].value == str(page)
    assert all(task_id in page.read_text() for task_id in finished.location.task_ids())
    assert (metadata["state"].value, metadata["broken_chains"].value, metadata["broken_rows"].value) == ("closed", 0, 0)
    funnel = {row["step"]: row["count"] for row in table_of(metadata["funnel"])}
    assert funnel["accepted"] == funnel["published"] == funnel["tasks"] == funnel["plans"] == 2
    assert funnel["selected"] == funnel["plan_items"] == metadata["dagster/row_count"].value == WANTED * 2
    assert IMAGE.fullmatch(metadata["plot"].value)


@pytest.mark.parametrize("asset", sorted(NINE))
def test_dg13_dg14_dg15_metadata_is_strict_json_and_bounded(finished: Finished, asset: str) -> None:
    metadata = metadata_of(finished.run, asset)
    assert "dagster/row_count" in metadata
    for name, value in metadata.items():
        assert len(json.dumps(dg.serialize_value(value), allow_nan=False)) < CAPPED_BYTES, name


def test_s003_s028_running_a_batch_again_adds_nothing(finished_copy: SupplyLocation) -> None:
    before, plans = finished_copy.chain.tables(), finished_copy.platform.plans(finished_copy.task_ids())
    again = finished_copy.run()
    assert again.success, failure_text(again)
    assert metadata_of(again, "supply_tasks")["new"].value == 0
    assert finished_copy.chain.tables() == before
    assert finished_copy.platform.plans(finished_copy.task_ids()) == plans
    assert all(evaluation.passed for evaluation in again.get_asset_check_evaluations())


def test_s001_requests_of_a_file_become_plans_in_an_adhoc_batch(supply: SupplyLocation) -> None:
    supply.register("adhoc-cats")
    result = supply.run("adhoc-cats", job="supply_requests", request_file=requests_file(supply.place))
    assert result.success, failure_text(result)
    (plan,) = supply.platform.plans(supply.task_ids("adhoc-cats"))
    assert len(plan["contents"]) == 2
    assert all(evaluation.passed for evaluation in result.get_asset_check_evaluations())
    (row,) = {row["demand_content_id"] for row in table_of(metadata_of(result, "supply_results")["trace"])}
    assert row == "", "a request names no pattern"
    report = metadata_of(result, "execution_report")
    assert (report["state"].value, report["published_rows"].value) == ("closed", None)
    assert Path(report["page"].value).name == "adhoc-cats.html"


def test_s001_an_adhoc_batch_without_a_file_is_refused_with_the_way_out(supply: SupplyLocation) -> None:
    supply.register("adhoc-cats")
    assert_refused(supply.run("adhoc-cats", job="supply_requests"), "needs its requests", "request_file: PATH")


@pytest.mark.parametrize("name", ["/etc/passwd", "../facts.db", "/dev/stdin"])
def test_s001_a_launch_names_no_file_outside_the_folder_of_requests(supply: SupplyLocation, name: str) -> None:
    supply.register("adhoc-cats")
    refused = supply.run("adhoc-cats", job="supply_requests", request_file=name)
    assert_refused(refused, "lies outside the folder of request files", "SUPPLY_REQUEST_DIR")


def test_s001_an_execution_takes_no_request_file(supply: SupplyLocation) -> None:
    result = supply.run(request_file=requests_file(supply.place))
    assert_refused(result, "a request file is for an adhoc- batch", "choose an adhoc- partition")


@pytest.mark.parametrize("key", [*NO_EXECUTIONS, "adhoc-", "adhoc-A", "９", "9" * 19])
def test_dg1_a_key_that_is_no_batch_is_refused_before_anything_is_written(supply: SupplyLocation, key: str) -> None:
    supply.register(key)
    assert_refused(supply.materialize("demand_snapshots", "supply_tasks", partition=key), "demand batch", "adhoc-")
    assert not any(supply.chain.tables().values())


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"expected_count": 0}, "--expected-count"),
        ({"expected_count": 201}, "--expected-count"),
        ({"plan_type": "BY_MAGIC"}, "--plan-type"),
        ({"produce_plan_id": " "}, "--produce-plan-id"),
    ],
)
def test_s001_a_launch_that_asks_for_the_impossible_is_refused_by_field(
    supply: SupplyLocation, asked: dict[str, Any], said: str
) -> None:
    supply.chain.publish(of_post("p1"))
    assert_refused(supply.materialize("demand_snapshots", "supply_tasks", **asked), said)
    assert not any(supply.chain.tables().values())


def test_dg16_an_execution_without_published_demands_ends_before_the_checks(supply: SupplyLocation) -> None:
    result = supply.run()
    assert result.success, failure_text(result)
    assert materialized(result) == {"demand_snapshots"}
    assert result.get_asset_check_evaluations() == []


def test_d004_a_batch_of_an_execution_that_does_not_exist_fails_and_its_checks_stand_on_their_partition(
    supply: SupplyLocation,
) -> None:
    supply.register("9999")
    result = supply.run("9999")
    assert_refused(result, "execution 9999 does not exist; successful ones: 581", "pattern2plan executions")
    checks = [key for asset in ASSETS for key in asset.check_keys] + [key for one in CHECKS for key in one.check_keys]
    assert checks
    for key in checks:
        if key.asset_key.to_user_string() not in EIGHT:
            continue
        [record] = supply.instance.event_log_storage.get_asset_check_execution_history(key, limit=9)
        assert record.evaluation is not None
        assert (record.evaluation.partition, record.evaluation.severity) == ("9999", dg.AssetCheckSeverity.WARN)
        assert "execution 9999 does not exist" in str(record.evaluation.description)


def test_s013a_a_location_without_a_platform_says_which_variable_is_missing(
    supply: SupplyLocation, monkeypatch: pytest.MonkeyPatch
) -> None:
    supply.chain.publish(of_post("p1"))
    monkeypatch.delenv("SUPPLY_PLATFORM_URL")
    assert_refused(supply.materialize(*EIGHT), "SUPPLY_PLATFORM_URL")
    assert supply.chain.tables()["supply_task"] == []
    assert supply.materialize("demand_snapshots", "supply_tasks").success, "taking in alone needs no platform"
    assert materialized_tasks(supply) == [TaskStatus.PENDING]


def test_s005_a_platform_that_is_down_is_told_and_costs_each_task_one_try_a_run(
    supply: SupplyLocation, monkeypatch: pytest.MonkeyPatch
) -> None:
    supply.chain.publish(of_post("p1"))
    monkeypatch.setenv("SUPPLY_PLATFORM_URL", DEAD_ADDRESS)
    down = supply.run()
    assert down.success, failure_text(down)
    for asset in EIGHT - {"demand_snapshots", "supply_tasks"}:
        assert metadata_of(down, asset)["tasks"].data == {"failed": 1}
    (row,) = table_of(metadata_of(down, "supply_results")["results"])
    assert row["status"] == TaskStatus.FAILED
    assert row["error_code"]
    assert row["error_message"]
    (task_id,) = supply.task_ids()
    assert supply.chain.task(task_id).retry_count == 0

    monkeypatch.setenv("SUPPLY_PLATFORM_URL", supply.platform.url)
    up = supply.materialize(*EIGHT)
    assert metadata_of(up, "supply_results")["tasks"].data == {"completed": 1}
    assert len(supply.platform.plans([task_id])) == 1
    assert supply.chain.task(task_id).retry_count == 1


def test_s025_a_shortfall_is_shown_by_task_and_by_its_check(supply: SupplyLocation) -> None:
    supply.chain.publish(of_post("p1"))
    result = supply.run(expected_count=200)
    assert result.success, failure_text(result)
    scores = metadata_of(result, "content_scores")
    (short,) = table_of(scores["short_tasks"])
    assert short["wanted"] == 200
    assert short["selected"] == scores["selected"].value
    assert scores["shortfall"].value == 200 - short["selected"]
    red = {evaluation.check_name for evaluation in result.get_asset_check_evaluations() if not evaluation.passed}
    assert red == {"shortfall"}


def materialized_tasks(supply: SupplyLocation) -> list[TaskStatus]:
    return [supply.chain.task(task_id).status for task_id in supply.task_ids()]


def requests_file(place: Path) -> str:
    path = place / HOME / "requests" / "cats.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps([{"demand_id": 900, "query": "猫 治愈", "expected_count": 2}]))
    return path.name


def assert_refused(result: dg.ExecuteInProcessResult, *said: str) -> None:
    """One failed step that says all of it, in its first line."""
    assert not result.success
    (failure,) = [event for event in result.all_events if event.is_step_failure]
    description = str(failure.step_failure_data.user_failure_data.description)
    assert "\n" not in description
    for part in said:
        assert part in description
