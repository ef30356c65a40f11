"""What a step opens comes from the resources it declares: each is replaced here, and nothing else is opened."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import dagster as dg
import pytest
from pydantic import SecretStr

from resources.alerts.webhook import AlertWebhook
from resources.databases.supply_store.states import TaskStatus
from resources.foundation.clock import IdSource
from resources.platform.configurable import (
    AlertWebhookResource,
    ClockResource,
    FramesIOManager,
    IdsResource,
)
from resources.platform.failure_alerts import failure_alerts
from resources.settings.supply import SupplySettings, read_supply_settings
from supply_assets.definitions import ASSETS, build_defs, default_resources
from supply_assets.orchestration.content_platform import ContentPlatformResource
from supply_assets.orchestration.dagster_run import SupplyRequestResource
from supply_assets.orchestration.sensors import demand_batches
from supply_assets.orchestration.stuck_sensor import stuck_tasks
from supply_assets.tasks.batch_context import ContentPlatform, content_platform_of
from supply_assets.tasks.beforehand import require_platform
from tests.demand_assets.orchestration.conftest import failure_text
from tests.replaced_resources import (
    CLOSED,
    UNREADABLE,
    demands_in,
    facts_in,
    name_nothing,
    opened_by,
    runs_in,
    supply_in,
    watched,
)
from tests.supply_assets.orchestration.conftest import BATCH, WANTED, SupplyLocation, metadata_of
from tests.supply_chain import HOME, SupplyChain, embedded_chain, of_post

MARK = "e15e"
BEFORE, AFTER = "2026-06-03T20:00:00+00:00", "2199-06-03T20:00:00+00:00"
"""Times that are not the machine's: no row may be written in its future."""


class NumberedIds:
    """Ids in the form of random ones that are seen to be from here."""

    def __init__(self) -> None:
        self._numbers = count()

    def new(self) -> str:
        return f"{MARK}{next(self._numbers):028x}"


class SharedIds(IdsResource):
    """One source over all steps."""

    _shared = NumberedIds()

    def ids(self) -> IdSource:
        return self._shared


class OtherWebhook(AlertWebhookResource):
    """A webhook of its own, whatever the environment says."""

    def open(self) -> AlertWebhook | None:
        return AlertWebhook(SecretStr("http://127.0.0.1:1/other"))


LOOKED_AT = {"take_in_demands": {"content_platform"}}
"""What a step looks at for those that follow it in the run, and does not open."""


class KnownPlatform(ContentPlatformResource):
    """The platform of settings that were read before the environment was spoilt."""

    _known: SupplySettings

    def open(self) -> ContentPlatform:
        return content_platform_of(self._known)

    def require(self) -> None:
        require_platform(self._known)

    def standstill_s(self) -> float:
        return 0.001


@dataclass
class Elsewhere:
    """Both stores, facts and files in another place, and which resources were opened since one last looked."""

    place: Path
    chain: SupplyChain
    resources: dict[str, Any]
    opened: set[str] = field(default_factory=set)

    def materialize(self, instance: dg.DagsterInstance, asset: dg.AssetsDefinition) -> dg.ExecuteInProcessResult:
        self.opened.clear()
        return dg.materialize(
            ASSETS,
            instance=instance,
            partition_key=BATCH if asset.partitions_def else None,
            selection=[asset],
            resources=self.resources,
            raise_on_error=False,
        )

    def context(self, instance: dg.DagsterInstance) -> dg.SensorEvaluationContext:
        self.opened.clear()
        return dg.build_sensor_context(instance=instance, resources=self.resources)


def files(home: Path) -> dict[str, str]:
    return {name: str(home / f"{name}.db") for name in ("facts", "demand_store", "supply_store")}


@pytest.fixture
def elsewhere(supply: SupplyLocation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Elsewhere]:
    """Every resource of the location replaced; the environment can neither be read nor opened."""
    place = tmp_path / "elsewhere"
    known = type("OfThisTest", (KnownPlatform,), {"_known": read_supply_settings()})
    named = files(place)
    replaced = {
        "facts": facts_in(named["facts"]),
        "demand_store": demands_in(named["demand_store"]),
        "supply_store": supply_in(named["supply_store"]),
        "content_platform": known(),
        "clock": ClockResource(fixed_at=BEFORE),
        "ids": SharedIds(),
        "run_folders": runs_in(place / "runs"),
        "alert_webhook": OtherWebhook(),
    }
    with embedded_chain(place) as chain:
        found = Elsewhere(place, chain, {})
        found.resources |= {
            **{name: watched(resource, partial(found.opened.add, name)) for name, resource in replaced.items()},
            "io_manager": FramesIOManager(base_path=str(place / "base")),
            "supply_request": SupplyRequestResource(expected_count=WANTED),
        }
        assert found.resources.keys() == default_resources().keys()
        name_nothing(monkeypatch, CLOSED | UNREADABLE)
        yield found


def test_each_asset_opens_what_it_declares_and_nothing_of_the_environment(
    elsewhere: Elsewhere, supply: SupplyLocation
) -> None:
    elsewhere.chain.publish(of_post("p1"), of_post("p2"))
    for asset in ASSETS:
        result = elsewhere.materialize(supply.instance, asset)
        assert result.success, failure_text(result)
        assert elsewhere.opened == opened_by(asset) - LOOKED_AT.get(asset.op.name, set()), asset.op.name
        if asset.op.name == "execution_report":
            assert metadata_of(result, "execution_report")["page"].value == str(page_of(elsewhere))

    tables = elsewhere.chain.tables()
    assert {task["status"] for task in tables["supply_task"]} == {TaskStatus.COMPLETED}
    assert len(tables["supply_task"]) == 2
    assert all(task["task_id"].startswith(MARK) for task in tables["supply_task"])
    assert all((event["request_id"] or MARK).startswith(MARK) for event in tables["supply_task_event"])
    assert {str(row["started_at"].date()) for row in tables["supply_task_stage"]} == {"2026-06-03"}
    frames = {path.parent.name for path in (elsewhere.place / "base").glob("*/*.parquet")}
    assert frames == {key.path[-1] for asset in ASSETS for key in asset.keys} - {"demand_standing", "execution_report"}
    assert (elsewhere.place / "base" / "demand_standing.parquet").is_file()
    assert MARK in page_of(elsewhere).read_text()
    assert not any(supply.chain.tables().values())
    assert not Path("not").exists(), "the home of the environment was not made"
    assert not Path("test_output_data").exists()


def page_of(elsewhere: Elsewhere) -> Path:
    return elsewhere.place / "base" / "reports" / f"{BATCH}.html"


def test_each_check_opens_the_store_it_declares_and_nothing_of_the_environment(
    elsewhere: Elsewhere, supply: SupplyLocation
) -> None:
    elsewhere.chain.publish(of_post("p1"))
    job = build_defs(resources=elsewhere.resources).resolve_job_def("supply_batch")
    done = job.execute_in_process(instance=supply.instance, partition_key=BATCH, raise_on_error=False)
    assert done.success, failure_text(done)

    elsewhere.opened.clear()
    job = build_defs(resources=elsewhere.resources).resolve_job_def("supply_checks")
    again = job.execute_in_process(instance=supply.instance, tags={"dagster/partition": BATCH}, raise_on_error=False)
    for result in (done, again):
        evaluations = result.get_asset_check_evaluations()
        assert len(evaluations) > 20
        assert [evaluation.check_name for evaluation in evaluations if not evaluation.passed] == []
    assert elsewhere.opened == {"supply_store"}


def test_each_sensor_opens_what_it_declares_and_nothing_of_the_environment(
    elsewhere: Elsewhere, supply: SupplyLocation
) -> None:
    elsewhere.chain.publish(of_post("p1"))
    elsewhere.chain.take_in()
    later = ClockResource(fixed_at=AFTER)
    elsewhere.resources["clock"] = watched(later, partial(elsewhere.opened.add, "clock"))
    alerts = failure_alerts("supply")
    said = {
        sensor.name: (sensor(elsewhere.context(supply.instance)), frozenset(elsewhere.opened))
        for sensor in (stuck_tasks, alerts, demand_batches)
    }
    assert {name: set(opened) for name, (_, opened) in said.items()} == {
        sensor.name: opened_by(sensor) for sensor in (stuck_tasks, alerts, demand_batches)
    }
    asked = said["stuck_tasks"][0]
    assert isinstance(asked, dg.SensorResult)
    assert [run.partition_key for run in asked.run_requests or ()] == [BATCH]
    assert "from now on" in str(said["failure_alerts"][0])


def test_intake_and_stages_work_on_the_store_that_was_put_in_the_place_of_another(
    supply: SupplyLocation, tmp_path: Path
) -> None:
    """Issue 9: the stages had opened a store of their own."""
    supply.chain.publish(of_post("p1"))
    with embedded_chain(tmp_path / "elsewhere") as there:
        replaced = {"supply_store": supply_in(files(tmp_path / "elsewhere")["supply_store"])}
        done = (
            build_defs(resources=replaced)
            .resolve_job_def("supply_batch")
            .execute_in_process(
                instance=supply.instance,
                partition_key=BATCH,
                run_config={"resources": {"supply_request": {"config": {"expected_count": WANTED}}}},
                raise_on_error=False,
            )
        )
        assert done.success, failure_text(done)
        (task,) = there.tables()["supply_task"]
        assert task["status"] == TaskStatus.COMPLETED
        assert len(supply.platform.plans([task["task_id"]])) == 1
    assert not any(supply.chain.tables().values())


def test_the_report_reads_the_frames_of_the_io_manager_and_lands_beside_them(
    finished_copy: SupplyLocation, tmp_path: Path
) -> None:
    """Issue 9: the report had looked under the home of the environment, wherever the frames were."""
    (tmp_path / HOME / "frames").rename(tmp_path / "moved")
    job = dg.materialize(
        ASSETS,
        instance=finished_copy.instance,
        partition_key=BATCH,
        selection=["execution_report"],
        resources={**default_resources(), "io_manager": FramesIOManager(base_path=str(tmp_path / "moved"))},
    )
    metadata = metadata_of(job, "execution_report")
    page = tmp_path / "moved" / "reports" / f"{BATCH}.html"
    assert metadata["page"].value == str(page)
    assert page.is_file()
    assert "accepted" not in metadata["not_recorded"].value, "decisions are read where the frames are"


def test_what_a_launch_says_of_the_worker_goes_before_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SUPPLY_LEASE_S", "50")
    monkeypatch.setenv("SUPPLY_TASK_CONCURRENCY", "5")
    platform = ContentPlatformResource(lease_s=7, stuck_after_s=9)
    assert (platform.open().lease_s, platform.open().task_concurrency, platform.standstill_s()) == (7, 5, 9)
