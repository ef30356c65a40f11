"""When the assets run by themselves: on new demands whose proof stands, and never past a red blocking check."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import dagster as dg
import pytest

from demand_assets.orchestration.partitions import EXECUTIONS
from expectations.demand.suites import EVIDENCE_SUITES
from supply_assets.orchestration.partitions import DEMAND_BATCHES
from supply_assets.orchestration.registry import ASSETS
from tests.supply_assets.orchestration.conftest import BATCH
from tests.supply_assets.orchestration.test_supply_location import both_locations

INTAKE = {"demand_snapshots", "supply_tasks"}
TO_SCORES = {"candidate_pool", "account_profiles", "content_features", "content_scores"}
PLANS = {"crawler_plans", "supply_results", "execution_report"}


class Daemon:
    """Ticks of the automation sensor, and events as other runs leave them."""

    def __init__(self, instance: dg.DagsterInstance) -> None:
        self._instance = instance
        self._defs = both_locations()
        self._cursor: Any = None
        instance.add_dynamic_partitions(str(EXECUTIONS.name), [BATCH])
        assert self.tick() == set()

    def tick(self) -> set[str]:
        """Assets that are requested for the batch."""
        result = dg.evaluate_automation_conditions(self._defs, self._instance, cursor=self._cursor)
        self._cursor = result.cursor
        return {name for name in ASSETS if BATCH in result.get_requested_partitions(dg.AssetKey(name))}

    def register(self) -> None:
        self._instance.add_dynamic_partitions(str(DEMAND_BATCHES.name), [BATCH])

    def materialize(self, *assets: str) -> None:
        for asset in assets:
            self._instance.report_runless_asset_event(dg.AssetMaterialization(asset, partition=BATCH))

    def evaluate(self, asset: str, *, red: str | None = None) -> None:
        """A run of all blocking checks of an asset, one of them red."""
        graph = self._defs.resolve_asset_graph()
        checks = [graph.get(key) for key in graph.get_check_keys_for_assets({dg.AssetKey(asset)})]
        specs = [
            dg.AssetCheckSpec(check.key.name, asset=asset, partitions_def=check.partitions_def)
            for check in checks
            if check.blocking
        ]

        @dg.multi_asset_check(specs=specs)
        def blocking() -> Iterator[dg.AssetCheckResult]:
            for spec in specs:
                yield dg.AssetCheckResult(asset_key=spec.asset_key, check_name=spec.name, passed=spec.name != red)

        job = dg.define_asset_job("checks", selection=dg.AssetSelection.checks(blocking))
        alone = dg.Definitions(asset_checks=[blocking], jobs=[job]).resolve_job_def("checks")
        alone.execute_in_process(instance=self._instance, tags={"dagster/partition": BATCH})

    def publish(self, *, red: str | None = None) -> None:
        """What the demand location's job leaves behind; its checks are of ``validated_demands``."""
        self.materialize("pattern_itemsets", "weight_scores", "validated_demands")
        self.evaluate("validated_demands", red=red)
        self.materialize("demand_content")


@pytest.fixture
def daemon() -> Iterator[Daemon]:
    with dg.DagsterInstance.ephemeral() as instance:
        yield Daemon(instance)


def test_section5_a_published_batch_is_taken_in_by_itself_once(daemon: Daemon) -> None:
    daemon.publish()
    assert daemon.tick() == set(), "nobody registered the batch"
    daemon.register()
    assert daemon.tick() == INTAKE
    assert daemon.tick() == set()


def test_section5_publishing_into_a_batch_that_is_there_starts_it(daemon: Daemon) -> None:
    daemon.register()
    assert daemon.tick() == set(), "nothing is published"
    daemon.publish()
    assert daemon.tick() == INTAKE


@pytest.mark.parametrize("red", sorted(EVIDENCE_SUITES))
def test_s002_demands_whose_proof_is_red_are_not_taken_in_by_themselves(daemon: Daemon, red: str) -> None:
    daemon.register()
    daemon.publish(red=red)
    assert daemon.tick() == set()


def test_s002_demands_whose_proof_is_not_there_yet_wait_for_it(daemon: Daemon) -> None:
    daemon.register()
    daemon.materialize("pattern_itemsets", "weight_scores", "validated_demands", "demand_content")
    assert daemon.tick() == set()
    daemon.evaluate("validated_demands")
    assert daemon.tick() == INTAKE


def test_section5_each_blocking_check_is_waited_for_on_the_way_to_the_plans(daemon: Daemon) -> None:
    daemon.register()
    daemon.publish()
    assert daemon.tick() == INTAKE
    daemon.materialize(*sorted(INTAKE))
    assert daemon.tick() == set()
    daemon.evaluate("supply_tasks")
    assert daemon.tick() == TO_SCORES
    daemon.materialize("candidate_pool", "account_profiles", "content_features", "content_scores")
    assert daemon.tick() == set()
    daemon.evaluate("content_scores")
    assert daemon.tick() == PLANS


def test_s028_red_scores_are_not_planned_by_themselves(daemon: Daemon) -> None:
    daemon.register()
    daemon.publish()
    daemon.materialize(*sorted(INTAKE))
    daemon.evaluate("supply_tasks")
    daemon.materialize("candidate_pool", "account_profiles", "content_features", "content_scores")
    daemon.evaluate("content_scores", red="closure")
    assert daemon.tick() & PLANS == set()
