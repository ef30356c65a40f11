"""What stops a demand that is not proven and a ranking that does not close, however the assets are started."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import dagster as dg
import pytest
from sqlalchemy import Connection, update

from resources.databases.supply_store.states import TaskStatus
from resources.databases.supply_store.tables import supply_content_score as score
from supply_assets.orchestration import checks
from tests.supply_assets.orchestration.conftest import SupplyLocation, materialized, metadata_of, table_of
from tests.supply_chain import PRICES, of_post

BEFORE_SCORES = ("demand_snapshots", "supply_tasks", "candidate_pool", "account_profiles", "content_features")


def claim_more(row: dict[str, Any]) -> None:
    row["ext_data"]["evidence_pack"]["support"] = 0.99


@pytest.fixture
def tampered(supply: SupplyLocation) -> tuple[SupplyLocation, int, int]:
    """Two published rows; the first was altered afterwards."""
    altered, sound = supply.chain.publish(of_post("p1"), PRICES)
    supply.chain.alter_row(altered, claim_more)
    return supply, altered, sound


def test_s002_starting_only_the_intake_refuses_a_row_that_was_altered_and_says_why(
    tampered: tuple[SupplyLocation, int, int],
) -> None:
    location, altered, sound = tampered
    result = location.materialize("demand_snapshots", "supply_tasks")
    metadata = metadata_of(result, "demand_snapshots")
    assert metadata["taken"].value == metadata["refused"].value == 1
    (refused,) = table_of(metadata["refusals"])
    assert refused["demand_id"] == altered
    assert refused["rule_id"] == "D-034"
    assert refused["reason"]
    assert table_of(metadata["refused_by_rule"]) == [{"rule_id": "D-034", "count": 1}]
    assert list(location.frame("supply_tasks")["demand_id"]) == [sound]


def test_s002_starting_only_the_supply_job_plans_the_sound_rows_alone(
    tampered: tuple[SupplyLocation, int, int],
) -> None:
    location, altered, sound = tampered
    result = location.run()
    assert result.success
    assert all(evaluation.passed for evaluation in result.get_asset_check_evaluations())
    assert [row["demand_content_id"] for row in planned(location)] == [sound]
    states = dict(location.frame("demand_snapshots")[["demand_id", "state"]].itertuples(index=False))
    assert states == {altered: "refused", sound: "taken"}


def test_s002_facts_that_changed_after_publishing_refuse_the_row(supply: SupplyLocation) -> None:
    supply.chain.publish(of_post("p1"))
    supply.chain.facts.alter("UPDATE pattern_itemset SET support = 0.4 WHERE id = 1001")
    result = supply.materialize("demand_snapshots", "supply_tasks")
    assert metadata_of(result, "demand_snapshots")["refused"].value == 1
    assert supply.task_ids() == []


SPOILED: dict[str, Callable[[Connection], Any]] = {
    "shape": lambda connection: connection.execute(
        update(score).where(score.c.is_selected, score.c.rank_no == 1).values(total_score=12.34)
    ),
    "closure": lambda connection: connection.execute(
        update(score).where(score.c.is_selected, score.c.rank_no == 1).values(score_detail={})
    ),
}


@pytest.mark.parametrize("red", sorted(SPOILED))
def test_s028_nothing_is_planned_in_a_run_whose_scores_are_red(
    supply: SupplyLocation, monkeypatch: pytest.MonkeyPatch, red: str
) -> None:
    supply.chain.publish(of_post("p1"))
    monkeypatch.setattr(checks, "supply_frames", _spoiling(supply, SPOILED[red], checks.supply_frames))
    result = supply.run()
    assert not result.success
    failed = [evaluation for evaluation in result.get_asset_check_evaluations() if not evaluation.passed]
    assert red in {evaluation.check_name for evaluation in failed}
    assert {evaluation.asset_key for evaluation in failed} == {dg.AssetKey("content_scores")}
    for evaluation in failed:
        assert evaluation.blocking
        assert evaluation.severity is dg.AssetCheckSeverity.ERROR
        assert all(row["what_to_do"] for row in table_of(evaluation.metadata["results"]))
    assert materialized(result) == {*BEFORE_SCORES, "content_scores"}
    assert planned(supply) == []


def test_s006_create_plan_refuses_an_open_selection_when_it_is_started_alone(supply: SupplyLocation) -> None:
    spoilt, _ = supply.chain.publish(of_post("p1"), PRICES)
    assert supply.materialize(*BEFORE_SCORES, "content_scores").success
    task_id = task_of(supply, spoilt)
    supply.chain.supply.write(
        lambda connection: connection.execute(
            update(score).where(score.c.task_id == task_id, score.c.rank_no == 1).values(score_detail={})
        )
    )
    result = supply.materialize("crawler_plans")
    assert result.success
    assert metadata_of(result, "crawler_plans")["tasks"].data == {"failed": 1, "passed": 1}
    task = supply.chain.task(task_id)
    assert (task.status, task.error_code) == (TaskStatus.FAILED, "selection_open")
    assert "carries no source evidence" in str(task.error_message)
    assert [plan["task_id"] for plan in supply.platform.plans(supply.task_ids())] == [
        other for other in supply.task_ids() if other != task_id
    ]


def test_s005_a_red_check_of_the_tasks_stops_the_run_before_anything_is_searched(
    supply: SupplyLocation, monkeypatch: pytest.MonkeyPatch
) -> None:
    supply.chain.publish(of_post("p1"))
    original = checks.supply_frames

    def frames(connection: Connection, asset: str, tasks: Any, demands: Any) -> Any:
        return original(connection, asset, tasks.assign(trace_id="another"), demands)

    monkeypatch.setattr(checks, "supply_frames", frames)
    calls = supply.platform.calls()
    result = supply.run()
    assert not result.success
    assert materialized(result) == {"demand_snapshots", "supply_tasks"}
    assert supply.platform.calls() == calls


def _spoiling(supply: SupplyLocation, spoil: Callable[[Connection], Any], original: Any) -> Any:
    """Somebody writes into the scores between the step and its checks."""

    def frames(connection: Connection, asset: str, tasks: Any, demands: Any) -> Any:
        if asset == "content_scores":
            supply.chain.supply.write(spoil)
        return original(connection, asset, tasks, demands)

    return frames


def task_of(supply: SupplyLocation, demand_id: int) -> str:
    tasks = supply.frame("supply_tasks")
    return str(tasks.loc[tasks["demand_id"] == demand_id, "task_id"].item())


def planned(supply: SupplyLocation) -> list[dict[str, Any]]:
    """The evidence that the platform was given with each plan of the batch."""
    return [plan["source_evidence"] for plan in supply.platform.plans(supply.task_ids())]
