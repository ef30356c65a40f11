"""A Dagster instance that dies with the test, and the location's jobs on the small facts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import dagster as dg
import pandas as pd
import pytest

from demand_assets.definitions import ASSETS, default_resources, defs
from demand_assets.orchestration.partitions import EXECUTIONS
from tests.small_facts import FactWorld

CLOCK = {"config": {"fixed_at": "2026-06-03T20:00:00+00:00"}}


class Location:
    """The demand location on an ephemeral instance."""

    def __init__(self, instance: dg.DagsterInstance, place: Path) -> None:
        self.instance = instance
        self.place = place
        instance.add_dynamic_partitions(str(EXECUTIONS.name), ["581", "584", "585"])

    def run(self, job: str, partition: str | None, **request: Any) -> dg.ExecuteInProcessResult:
        """Run a job in process; a failed run is a result, not an error."""
        resources: dict[str, Any] = {"clock": CLOCK}
        if request:
            resources["demand_request"] = {"config": request}
        return defs.resolve_job_def(job).execute_in_process(
            instance=self.instance,
            partition_key=partition,
            run_config={"resources": resources},
            raise_on_error=False,
        )

    def check_again(self, partition: str) -> dg.ExecuteInProcessResult:
        """The job of checks alone, over what stands in the partition."""
        return defs.resolve_job_def("demand_checks").execute_in_process(
            instance=self.instance, tags={"dagster/partition": partition}, raise_on_error=False
        )

    def materialize_alone(self, asset: str, partition: str) -> dg.ExecuteInProcessResult:
        """One asset started by itself, as from its page in the UI."""
        return dg.materialize(
            ASSETS,
            instance=self.instance,
            partition_key=partition,
            selection=[asset],
            resources=default_resources(),
            raise_on_error=False,
        )

    def frame_file(self, asset: str, partition: str) -> Path:
        return self.place / ".pattern2plan" / "frames" / asset / f"{partition}.parquet"

    def frame(self, asset: str, partition: str) -> pd.DataFrame:
        return pd.read_parquet(self.frame_file(asset, partition))


@pytest.fixture
def location(sqlite_world: FactWorld, tmp_path: Path) -> Iterator[Location]:
    """The location over the embedded facts."""
    with dg.DagsterInstance.ephemeral() as instance:
        yield Location(instance, tmp_path)


def verdicts(result: dg.ExecuteInProcessResult) -> dict[str, bool]:
    """Check name to passed."""
    return {evaluation.check_name: evaluation.passed for evaluation in result.get_asset_check_evaluations()}


def failure_text(result: dg.ExecuteInProcessResult) -> str:
    """What failed steps say."""
    events = [event for event in result.all_events if event.is_step_failure]
    return "\n".join(str(event.step_failure_data.error.to_string()) for event in events)
