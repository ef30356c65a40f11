"""The job of checks alone: every suite looks again at what stands of a batch, and nothing is materialized."""

from __future__ import annotations

import dagster as dg

from expectations.supply.suites import SUPPLY_SUITES
from supply_assets.definitions import defs
from tests.supply_assets.orchestration.conftest import BATCH, SupplyLocation, materialized

ALL = {(asset, suite) for asset, suites in SUPPLY_SUITES.items() for suite in suites}


def check_again(location: SupplyLocation) -> dg.ExecuteInProcessResult:
    return defs.resolve_job_def("supply_checks").execute_in_process(
        instance=location.instance, tags={"dagster/partition": BATCH}, raise_on_error=False
    )


def evaluated(result: dg.ExecuteInProcessResult, passed: bool) -> set[tuple[str, str]]:
    evaluations = result.get_asset_check_evaluations()
    assert {evaluation.partition for evaluation in evaluations} == {BATCH}
    return {(e.asset_key.to_user_string(), e.check_name) for e in evaluations if e.passed is passed}


def test_section5_checks_alone_look_at_a_finished_batch_and_change_nothing(finished_copy: SupplyLocation) -> None:
    before = finished_copy.chain.tables()
    result = check_again(finished_copy)
    assert evaluated(result, passed=True) == ALL
    assert materialized(result) == set()
    assert finished_copy.chain.tables() == before


def test_ck2_checks_alone_find_what_was_altered_after_the_run(finished_copy: SupplyLocation) -> None:
    task_id = finished_copy.task_ids()[0]
    row = next(row for row in finished_copy.chain.tables()["supply_task"] if row["task_id"] == task_id)
    finished_copy.chain.alter_json("supply_task", "ext", row["id"], lambda ext: {**ext, "source_evidence": {}})
    red = evaluated(check_again(finished_copy), passed=False)
    assert ("supply_tasks", "closure") in red
