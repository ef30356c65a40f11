"""The supply location on a Dagster instance that dies with the test, beside the demand location, over the cats."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import dagster as dg
import httpx2
import pandas as pd
import pytest

from demand_assets.definitions import defs as demand_defs
from demand_assets.orchestration.partitions import EXECUTIONS
from supply_assets.definitions import ASSETS, build_defs, default_resources
from supply_assets.orchestration.partitions import DEMAND_BATCHES
from supply_assets.orchestration.sensors import demand_batches
from tests.cat_corpus import cat_platform
from tests.conftest import VARIABLES
from tests.demand_assets.orchestration.conftest import CLOCK
from tests.supply_chain import HOME, HURRIED, SupplyChain, embedded_chain

BATCH = "581"
WANTED = 3
NO_EXECUTIONS = ("ex,1", '{"run":1}', "a|b", " ", "581 ", "0581", "58\n1", "58\u200b1")


class Platform:
    """The cats' platform, seen through its ``/admin``."""

    def __init__(self, client: httpx2.Client) -> None:
        self._client = client

    @property
    def url(self) -> str:
        return str(self._client.base_url).rstrip("/")

    def plans(self, task_ids: Sequence[str]) -> list[dict[str, Any]]:
        """Plans that the platform has of the tasks."""
        plans = self._client.get("/admin/plans").json()["plans"]
        return [plan for plan in plans if plan["task_id"] in set(task_ids)]

    def calls(self) -> dict[str, Any]:
        """How often it was asked, by endpoint."""
        counted: dict[str, Any] = self._client.get("/admin/calls").json()
        return counted


@dataclass(frozen=True)
class SupplyLocation:
    """Both locations on one instance, working in ``place``."""

    instance: dg.DagsterInstance
    place: Path
    chain: SupplyChain
    platform: Platform

    def register(self, *keys: str) -> None:
        """Batches as Dagster takes them: any text."""
        self.instance.add_dynamic_partitions(str(DEMAND_BATCHES.name), list(keys))

    def publish_by_job(self, execution: str, **wanted: Any) -> dg.ExecuteInProcessResult:
        """The demand location's own job into the one table."""
        self.instance.add_dynamic_partitions(str(EXECUTIONS.name), [execution])
        return demand_defs.resolve_job_def("demand_mysql_demand_content").execute_in_process(
            instance=self.instance,
            partition_key=execution,
            run_config={"resources": {"clock": CLOCK, "demand_request": {"config": wanted}}},
            raise_on_error=False,
        )

    def run(self, partition: str = BATCH, *, job: str = "supply_batch", **asked: Any) -> dg.ExecuteInProcessResult:
        """A job of the supply location in process; a failed run is a result, not an error."""
        wanted = {"expected_count": WANTED, **asked}
        return (
            build_defs()
            .resolve_job_def(job)
            .execute_in_process(
                instance=self.instance,
                partition_key=partition,
                run_config={"resources": {"supply_request": {"config": wanted}}},
                raise_on_error=False,
            )
        )

    def materialize(self, *assets: str, partition: str = BATCH, **asked: Any) -> dg.ExecuteInProcessResult:
        """Assets started by themselves, without checks, as from their page in the UI."""
        wanted = {"expected_count": WANTED, **asked}
        return dg.materialize(
            ASSETS,
            instance=self.instance,
            partition_key=partition,
            selection=list(assets),
            resources=default_resources(),
            run_config={"resources": {"supply_request": {"config": wanted}}},
            raise_on_error=False,
        )

    def frame(self, asset: str, partition: str = BATCH) -> pd.DataFrame:
        return pd.read_parquet(self.place / HOME / "frames" / asset / f"{partition}.parquet")

    def task_ids(self, partition: str = BATCH) -> list[str]:
        return [str(task_id) for task_id in self.frame("supply_tasks", partition)["task_id"]]


@dataclass(frozen=True)
class Finished:
    """What became of one execution by the demand job, the sensor and the supply job, one after the other."""

    location: SupplyLocation
    published: dg.ExecuteInProcessResult
    tick: dg.SensorResult | dg.SkipReason
    run: dg.ExecuteInProcessResult


@pytest.fixture(scope="session")
def cats() -> Iterator[Platform]:
    """The platform of cats."""
    with cat_platform() as url, httpx2.Client(base_url=url) as client:
        yield Platform(client)


@pytest.fixture(scope="session")
def finished(tmp_path_factory: pytest.TempPathFactory, cats: Platform) -> Iterator[Finished]:
    """The whole chain once, by jobs alone; nobody writes to it afterwards."""
    place = tmp_path_factory.mktemp("finished")
    with pytest.MonkeyPatch.context() as patch:
        for name in VARIABLES:
            patch.delenv(name, raising=False)
        _work_in(place, cats, patch)
        with dg.DagsterInstance.ephemeral() as instance, embedded_chain(place / HOME) as chain:
            location = SupplyLocation(instance, place, chain, cats)
            published = location.publish_by_job(BATCH, count=2)
            tick = demand_batches(dg.build_sensor_context(instance=instance))
            assert isinstance(tick, dg.SensorResult)
            location.register(*(key for added in tick.dynamic_partitions_requests for key in added.partition_keys))
            run = location.run()
            patch.undo()
            yield Finished(location, published, tick, run)


@pytest.fixture
def supply(tmp_path: Path, cats: Platform, monkeypatch: pytest.MonkeyPatch) -> Iterator[SupplyLocation]:
    """Both locations over the small facts and empty stores; the batch is registered and nothing is published."""
    _work_in(tmp_path, cats, monkeypatch)
    yield from _location(tmp_path, cats)


@pytest.fixture
def finished_copy(
    tmp_path: Path, finished: Finished, cats: Platform, monkeypatch: pytest.MonkeyPatch
) -> Iterator[SupplyLocation]:
    """A copy of the finished batch to do things to."""
    shutil.copytree(finished.location.place / HOME, tmp_path / HOME)
    _work_in(tmp_path, cats, monkeypatch)
    yield from _location(tmp_path, cats)


def _work_in(place: Path, cats: Platform, patch: pytest.MonkeyPatch) -> None:
    patch.chdir(place)
    for name, value in {**HURRIED, "SUPPLY_LEASE_S": "20", "SUPPLY_PLATFORM_URL": cats.url}.items():
        patch.setenv(name, value)


def _location(place: Path, cats: Platform) -> Iterator[SupplyLocation]:
    with dg.DagsterInstance.ephemeral() as instance, embedded_chain(place / HOME) as chain:
        location = SupplyLocation(instance, place, chain, cats)
        location.register(BATCH)
        yield location


def metadata_of(result: dg.ExecuteInProcessResult, asset: str) -> dict[str, Any]:
    """What the run recorded of an asset; values as they are shown."""
    (event,) = [
        event.step_materialization_data.materialization
        for event in result.all_events
        if event.is_step_materialization and event.asset_key == dg.AssetKey(asset)
    ]
    return dict(event.metadata)


def materialized(result: dg.ExecuteInProcessResult) -> set[str]:
    return {str(event.asset_key.to_user_string()) for event in result.all_events if event.is_step_materialization}


def table_of(value: dg.TableMetadataValue) -> list[dict[str, Any]]:
    return [dict(record.data) for record in value.records]
