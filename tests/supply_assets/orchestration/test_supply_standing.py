"""The asset that freezes open tasks of drifted demands: what it shows, when it runs, what it leaves alone (D-073)."""

from __future__ import annotations

import dagster as dg
import pytest

from supply_assets.definitions import build_defs
from supply_assets.orchestration.jobs import BATCH_JOB, REQUEST_JOB
from supply_assets.orchestration.registry import ASSETS, STANDING
from tests.supply_assets.orchestration.conftest import SupplyLocation, materialized, metadata_of, table_of
from tests.supply_assets.orchestration.test_supply_location import both_locations
from tests.supply_chain import PRICES, of_post

DRIFT = dg.AssetKey("demand_content_drift")
INTAKE = ("demand_snapshots", "supply_tasks")


def look(supply: SupplyLocation) -> tuple[dg.ExecuteInProcessResult, dg.AssetCheckEvaluation]:
    job = build_defs().resolve_job_def("supply_drift")
    result = job.execute_in_process(instance=supply.instance, raise_on_error=False)
    [evaluation] = result.get_asset_check_evaluations()
    return result, evaluation


def test_d073_the_job_freezes_and_releases_and_shows_tasks_with_rule_reason_and_what_to_do(
    supply: SupplyLocation,
) -> None:
    drifted, _ = supply.chain.publish(of_post("p1"), PRICES)
    assert supply.materialize(*INTAKE).success
    result, evaluation = look(supply)
    assert materialized(result) == {STANDING}
    assert evaluation.passed

    supply.chain.facts.alter("UPDATE pattern_itemset SET support = 0.25 WHERE id = 1001")
    result, evaluation = look(supply)
    assert result.success, "a frozen task is no failure of the look"
    shown = metadata_of(result, STANDING)
    counts = {name: shown[name].value for name in ("open_tasks", "frozen", "newly_frozen", "released")}
    assert counts == {"open_tasks": 2, "frozen": 1, "newly_frozen": 1, "released": 0}
    [row] = table_of(shown["frozen_tasks"])
    assert (row["demand_content_id"], row["rule_id"], row["batch"]) == (drifted, "D-034", "581")
    assert table_of(shown["frozen_by_rule"]) == [{"rule_id": "D-034", "count": 1}]
    assert (evaluation.passed, evaluation.blocking) == (False, False)
    assert evaluation.severity is dg.AssetCheckSeverity.ERROR
    results = evaluation.metadata["results"]
    assert isinstance(results, dg.TableMetadataValue)
    [broken] = table_of(results)
    assert (broken["rule_id"], broken["rows"], broken["failing"]) == ("D-034", 2, 1)
    assert row["task_id"] in str(broken["sample"])
    assert "pattern2plan review reject" in str(broken["what_to_do"])

    supply.chain.facts.alter("UPDATE pattern_itemset SET support = 0.5 WHERE id = 1001")
    run = supply.run()
    assert run.success
    assert len(supply.task_ids()) == 2
    assert len(supply.platform.plans(supply.task_ids())) == 1, "frozen until it is looked at again"
    assert all(check.passed for check in run.get_asset_check_evaluations()), "stopped for a reason that is said"
    result, evaluation = look(supply)
    assert metadata_of(result, STANDING)["released"].value == 1
    assert evaluation.passed


def test_d071_no_open_task_is_a_warning_and_not_green(supply: SupplyLocation) -> None:
    _, evaluation = look(supply)
    assert (evaluation.passed, evaluation.severity) == (False, dg.AssetCheckSeverity.WARN)
    assert evaluation.metadata["verdict"].value == "no rows"


def test_d073_each_look_at_the_drift_is_followed_by_one_of_the_open_tasks() -> None:
    defs, key = both_locations(), dg.AssetKey(STANDING)
    with dg.DagsterInstance.ephemeral() as instance:
        cursor = None
        for drift_is_new, wanted in ((False, 0), (True, 1), (False, 0), (True, 1)):
            if drift_is_new:
                instance.report_runless_asset_event(dg.AssetMaterialization(DRIFT))
            ticked = dg.evaluate_automation_conditions(defs, instance, cursor=cursor)
            assert ticked.get_num_requested(key) == wanted
            if wanted:
                instance.report_runless_asset_event(dg.AssetMaterialization(key))
            cursor = ticked.cursor


@pytest.mark.parametrize("job", [BATCH_JOB, REQUEST_JOB])
def test_d073_the_look_is_in_no_job_of_a_batch(job: str) -> None:
    keys = build_defs().resolve_job_def(job).asset_layer.executable_asset_keys
    assert {key.to_user_string() for key in keys} == set(ASSETS)
