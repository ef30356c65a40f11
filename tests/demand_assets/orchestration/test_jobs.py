"""The two jobs over the small facts: assets, files, rows, checks, modes."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import dagster as dg
import pytest

from demand_assets.definitions import build_defs, defs
from demand_assets.orchestration.partitions import EXECUTIONS
from demand_assets.orchestration.registry import ASSETS
from resources.databases.demand_store.engine import DemandStore
from resources.databases.demand_store.migrate import upgrade
from resources.databases.demand_store.statements import read_rows_of_label
from resources.platform.failed_runs import alerts_of
from resources.settings.demand import read_settings
from tests.demand_assets.orchestration.conftest import Location, failure_text, verdicts

SEVEN = {
    "run_manifest.json", "demand_task.json", "demand_items.json", "rejected_demand_items.json",
    "demand_content.json", "dwd_multi_demand_pool_di.json", "feature_point_data.json",
}  # fmt: skip
EIGHT = {
    "evidence_truth", "pg_only", "itemset_closure", "post_closure", "category_tree_closure", "element_closure",
    "write_scope", "downstream_contract",
}  # fmt: skip


def folders(location: Location) -> list[Path]:
    root = location.place / "test_output_data"
    return sorted(root.iterdir()) if root.is_dir() else []


def test_every_asset_is_presented_from_the_registry():
    graph = defs.resolve_asset_graph()
    keys = {key.to_user_string() for key in graph.get_all_asset_keys()}
    assert keys == set(ASSETS)
    for key in graph.get_all_asset_keys():
        node = graph.get(key)
        assert node.owners == ["team:content-data"]
        assert node.kinds
        assert node.description
        assert node.group_name != "default"


def test_the_location_imports_without_great_expectations_and_without_the_environment():
    code = "import sys, demand_assets.definitions; print('great_expectations' in sys.modules)"
    environment = {"DEMAND_PATTERN_PG_DSN": "not a dsn", "PATH": ""}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=True)
    assert done.stdout.strip() == "False"


def test_resources_may_be_replaced():
    clock = object.__new__(type("Clock", (), {}))
    assert build_defs(resources={"clock": clock}).resources["clock"] is clock


def test_d061_the_local_job_writes_seven_files_and_eight_checks_pass(location: Location):
    result = location.run("demand_local_json", "581", count=2, merge_level2="全局树")
    assert result.success, failure_text(result)
    assert verdicts(result) == dict.fromkeys(EIGHT, True)
    (folder,) = folders(location)
    assert {path.name for path in folder.glob("*.json")} == SEVEN
    manifest = json.loads((folder / "run_manifest.json").read_text())
    assert manifest["counts"]["accepted"] == 2
    assert manifest["output_mode"] == "local_json"
    assert {row["dt"] for row in json.loads((folder / "demand_content.json").read_text())} == {"20260604"}


def test_every_evaluation_carries_its_partition_and_rule_ids(location: Location):
    result = location.run("demand_local_json", "581", count=1)
    for evaluation in result.get_asset_check_evaluations():
        assert evaluation.partition == "581"
        table = evaluation.metadata["results"].value
        assert table.records, evaluation.check_name
        assert all(record.data["rule_id"].startswith("D-") for record in table.records)


def test_d063_the_mysql_job_publishes_and_a_second_run_adds_nothing(location: Location):
    store = DemandStore(read_settings().store_url())
    upgrade(store)
    for _ in range(2):
        result = location.run("demand_mysql_demand_content", "581", count=2, run_label="label-1")
        assert result.success, failure_text(result)
        assert verdicts(result) == dict.fromkeys(EIGHT, True)
    with store.reading() as connection:
        rows = read_rows_of_label(connection, "label-1")
    assert len(rows) == 2
    assert {row["ext_data"]["evidence_pack"]["demand_content_id"] for row in rows} == {row["id"] for row in rows}
    assert {path.name for path in folders(location)[0].glob("*.json")} == {"run_manifest.json"}


@pytest.mark.parametrize(
    ("job", "variable"),
    [("demand_local_json", "mysql_demand_content"), ("demand_mysql_demand_content", "local_json")],
)
def test_d065_a_variable_that_contradicts_the_job_is_refused(
    location: Location, monkeypatch: pytest.MonkeyPatch, job: str, variable: str
):
    monkeypatch.setenv("DEMAND_OUTPUT_MODE", variable)
    result = location.run(job, "581", count=1)
    assert not result.success
    assert "DEMAND_OUTPUT_MODE" in failure_text(result)
    assert folders(location) == []


def test_d004_a_failed_execution_is_refused_before_anything_is_written(location: Location):
    location.instance.add_dynamic_partitions("execution_id", ["580", "999"])
    for key, said in (("580", "status 'failed'"), ("999", "execution 999 does not exist")):
        result = location.run("demand_local_json", key)
        assert not result.success
        assert said in failure_text(result)
        assert not location.frame_file("validated_demands", key).exists()
    assert not list(location.place.glob("test_output_data/*/*.json"))


def test_dg16_an_execution_without_itemsets_ends_as_no_facts(location: Location):
    result = location.run("demand_local_json", "585")
    assert result.success, failure_text(result)
    (folder,) = folders(location)
    assert json.loads((folder / "run_manifest.json").read_text())["stop_reason"] == "no_facts"
    assert result.get_asset_check_evaluations() == [], "nothing is there to be looked at: the checks are skipped"
    assert {event.asset_key.to_user_string() for event in result.get_asset_materialization_events()} == {
        "pattern_itemsets", "weight_scores", "candidate_demands", "rejected_demands",
    }  # fmt: skip
    assert {path.name for path in folder.glob("*.json")} == {*SEVEN}


def test_d004_checks_of_a_partition_that_does_not_exist_say_so_on_that_partition(location: Location):
    location.instance.add_dynamic_partitions(str(EXECUTIONS.name), ["9999"])
    assert location.run("demand_local_json", "581", count=1).success
    result = location.run("demand_local_json", "9999")
    assert not result.success
    said = "execution 9999 does not exist; successful ones: 581"
    assert said in failure_text(result)
    run = location.instance.get_run_by_id(result.run_id)
    assert run is not None
    assert [alert.kind for alert in alerts_of(location.instance, "demand", run)] == ["run_failed"]
    for key in defs.resolve_asset_graph().asset_check_keys:
        if key.name not in EIGHT:
            continue
        history = location.instance.event_log_storage.get_asset_check_execution_history(key, limit=9)
        stood = {record.evaluation.partition: record.evaluation for record in history if record.evaluation}
        assert len(history) == len(stood) == 2, "no planned check is left to be shown as failed"
        assert stood["581"].passed
        assert said in (stood["9999"].description or "")
        assert stood["9999"].severity is dg.AssetCheckSeverity.WARN


def test_d061_a_run_id_that_exists_is_refused(location: Location):
    assert location.run("demand_local_json", "581", count=1, run_id="mine").success
    again = location.run("demand_local_json", "581", count=1, run_id="mine")
    assert not again.success
    assert "exists already" in failure_text(again)


@pytest.mark.parametrize("field", [{"count": 0}, {"count": 10**9}, {"proposer": "bogus"}, {"run_label": "a b"}])
def test_a_bad_launch_is_refused_by_field(location: Location, field: dict[str, object]):
    result = location.run("demand_local_json", "581", **field)
    assert not result.success
    assert "--" + next(iter(field)).replace("_", "-") in failure_text(result)


def test_dg13_dg14_dg15_metadata_is_strict_json_and_bounded(location: Location):
    result = location.run("demand_local_json", "581", count=2)
    for event in result.all_events:
        if event.is_step_materialization:
            for name, value in event.step_materialization_data.materialization.metadata.items():
                text = json.dumps(dg.serialize_value(value), allow_nan=False)
                assert len(text) < 64_000, name
