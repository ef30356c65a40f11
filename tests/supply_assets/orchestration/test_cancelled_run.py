"""A run that was cancelled while its process lives on begins no further step (DG11)."""

import dagster as dg

from supply_assets.definitions import ASSETS, default_resources
from supply_assets.intake.request import SupplyOptions
from supply_assets.orchestration.dagster_run import SupplyRequestResource
from tests.supply_assets.orchestration.conftest import BATCH, SupplyLocation, materialized
from tests.supply_chain import of_post


def test_dg11_a_process_that_outlives_its_run_begins_no_further_step(supply: SupplyLocation) -> None:
    supply.chain.publish(of_post("p1"))
    before = supply.platform.calls()

    class CancelledMeanwhile(SupplyRequestResource):
        def options(self) -> SupplyOptions:
            (run,) = supply.instance.get_runs()
            supply.instance.report_run_canceled(run)
            return super().options()

    result = dg.materialize(
        ASSETS,
        instance=supply.instance,
        partition_key=BATCH,
        selection=["demand_snapshots", "supply_tasks", "candidate_pool"],
        resources={**default_resources(), "supply_request": CancelledMeanwhile(expected_count=3)},
        raise_on_error=False,
    )

    assert materialized(result) == {"demand_snapshots", "supply_tasks"}
    (failed,) = result.get_step_failure_events()
    assert "is CANCELED already" in str(failed.step_failure_data.user_failure_data or failed.step_failure_data.error)
    assert supply.platform.calls() == before
