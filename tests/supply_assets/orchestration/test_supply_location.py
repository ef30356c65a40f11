"""The location as Dagster loads it: what its assets say of themselves, and the lineage across both locations."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import dagster as dg

from demand_assets import definitions as demand
from demand_assets.orchestration import checks as demand_checks
from supply_assets import definitions as supply
from supply_assets.orchestration import checks as supply_checks
from supply_assets.orchestration.partitions import DEMAND_BATCHES
from supply_assets.orchestration.registry import ASSETS, STANDING

ROOT = Path(__file__).resolve().parents[3]
EIGHT = {
    "demand_snapshots", "supply_tasks", "candidate_pool", "account_profiles", "content_features", "content_scores",
    "crawler_plans", "supply_results",
}  # fmt: skip
NINE = EIGHT | {"execution_report"}
AT_LEAST = {"complete", "shape", "closure"}


def test_section5_every_asset_is_presented_from_the_registry() -> None:
    graph = supply.defs.resolve_asset_graph()
    assert {key.to_user_string() for key in graph.materializable_asset_keys} - {STANDING} == set(ASSETS) == NINE
    for key in graph.materializable_asset_keys:
        node = graph.get(key)
        is_of_a_batch = key != dg.AssetKey(STANDING)
        assert node.owners == ["team:content-data"]
        assert node.kinds
        assert node.description
        assert node.group_name != "default"
        assert node.partitions_def == (DEMAND_BATCHES if is_of_a_batch else None)
        assert node.automation_condition is not None
        label = "when_demands_stand" if is_of_a_batch else "when_drift_is_known"
        assert node.automation_condition.get_label() == label


def test_no_group_is_drawn_as_one_with_a_group_of_the_other_location() -> None:
    both = [definitions.defs.resolve_asset_graph() for definitions in (demand, supply)]
    groups = [{graph.get(key).group_name for key in graph.materializable_asset_keys} for graph in both]
    assert set.intersection(*groups) == set()


def test_section5_every_asset_has_completeness_shape_and_closure() -> None:
    graph = supply.defs.resolve_asset_graph()
    for name in EIGHT:
        specs = [graph.get(key) for key in graph.get_check_keys_for_assets({dg.AssetKey(name)})]
        assert {spec.key.name for spec in specs} >= AT_LEAST, name
        assert all(spec.partitions_def == DEMAND_BATCHES for spec in specs)
        assert all(spec.description for spec in specs)


def test_the_location_imports_without_great_expectations_and_without_the_environment() -> None:
    code = "import sys, supply_assets.definitions; print('great_expectations' in sys.modules)"
    environment = {"SUPPLY_STORE_MYSQL_DSN": "not a dsn", "SUPPLY_PLATFORM_URL": "not a url", "PATH": ""}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=True)
    assert done.stdout.strip() == "False"


def test_resources_may_be_replaced() -> None:
    clock = object()
    assert supply.build_defs(resources={"clock": clock}).resources["clock"] is clock


def test_s001_demand_content_is_the_parent_by_key_and_not_an_asset_of_this_location() -> None:
    graph = supply.defs.resolve_asset_graph()
    demand_content = dg.AssetKey("demand_content")
    assert demand_content not in graph.materializable_asset_keys
    assert demand_content in demand.defs.resolve_asset_graph().materializable_asset_keys
    assert graph.get(dg.AssetKey("demand_snapshots")).parent_keys == {demand_content}
    assert graph.get(dg.AssetKey("supply_tasks")).parent_keys == {dg.AssetKey("demand_snapshots")}


def test_section5_the_chain_runs_from_the_facts_to_the_results() -> None:
    graph = both_locations().resolve_asset_graph()
    ancestors = {key.to_user_string() for key in graph.get_ancestor_asset_keys(dg.AssetKey("supply_results"))}
    assert ancestors >= EIGHT - {"supply_results"} | {"demand_content", "validated_demands", "pattern_itemsets"}


def test_the_workspace_names_both_locations_and_dagster_loads_them(tmp_path: Path) -> None:
    command = [str(Path(sys.executable).parent / "dagster"), "definitions", "validate", "-w"]
    environment = {**os.environ, "DAGSTER_HOME": str(tmp_path), "PYTHONWARNINGS": "ignore", "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [*command, str(ROOT / "workspace.yaml")], capture_output=True, text=True, env=environment, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    said = done.stdout + done.stderr
    for location in ("demand", "supply"):
        assert f"Validation successful for code location {location}" in said


def both_locations() -> dg.Definitions:
    """Both halves in one graph, as the workspace shows them."""
    return dg.Definitions(
        assets=[*demand.ASSETS, *supply.ASSETS],
        asset_checks=[demand_checks.evidence_closure, demand_checks.published_rows, *supply_checks.CHECKS],
        resources={**demand.default_resources(), **supply.default_resources()},
    )
