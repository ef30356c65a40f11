"""What checks, drift, sensor and retention open comes from the resources they declare, and from nowhere else."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import dagster as dg
import pytest

from demand_assets.definitions import ASSETS, build_defs
from demand_assets.orchestration.assets.drift import demand_content_drift
from demand_assets.orchestration.checks import evidence_closure, published_rows
from demand_assets.orchestration.retention import delete_old_run_folders
from demand_assets.orchestration.sensors import new_executions
from resources.databases.demand_store.engine import DemandStore
from resources.databases.demand_store.migrate import upgrade
from resources.platform.configurable import ClockResource, DemandSettingsResource, FramesIOManager
from resources.settings.demand import read_settings
from tests.demand_assets.orchestration.conftest import Location, failure_text, verdicts
from tests.replaced_resources import (
    CLOSED,
    UNREADABLE,
    demands_in,
    facts_in,
    name_nothing,
    opened_by,
    other,
    runs_in,
    watched,
)

RUN_ASSETS = [asset for asset in ASSETS if asset is not demand_content_drift]
LATER = "2199-06-03T20:00:00+00:00"


@dataclass
class Moved:
    """A published execution whose facts, store, frames and run folder were moved away, and what was opened there."""

    instance: dg.DagsterInstance
    runs: Path
    resources: dict[str, Any]
    opened: set[str] = field(default_factory=set)

    def run(self, job: str, **asked: Any) -> dg.ExecuteInProcessResult:
        self.opened.clear()
        found = build_defs(resources=self.resources).resolve_job_def(job)
        return found.execute_in_process(instance=self.instance, raise_on_error=False, **asked)


@pytest.fixture
def moved(location: Location, tmp_path: Path) -> Iterator[Moved]:
    """The environment still names the places that everything was moved from."""
    upgrade(DemandStore(read_settings().store_url()))
    done = location.run("demand_mysql_demand_content", "581", count=1, run_label="x")
    assert done.success, failure_text(done)
    place, runs = tmp_path / "elsewhere", tmp_path / "runs"
    (tmp_path / ".pattern2plan").rename(place)
    Path("test_output_data").rename(runs)
    settings = read_settings()
    replaced = {
        "facts": facts_in(str(place / "facts.db")),
        "demand_store": demands_in(str(place / "demand_store.db")),
        "clock": ClockResource(fixed_at=LATER),
        "run_folders": runs_in(runs),
        "demand_settings": other(DemandSettingsResource, settings=lambda _: settings),
    }
    found = Moved(location.instance, runs, {"io_manager": FramesIOManager(base_path=str(place / "frames"))})
    found.resources |= {name: watched(one, partial(found.opened.add, name)) for name, one in replaced.items()}
    yield found
    assert not Path(".pattern2plan").exists()


@pytest.fixture
def closed(moved: Moved, monkeypatch: pytest.MonkeyPatch) -> Moved:
    """The environment can neither be read nor opened."""
    name_nothing(monkeypatch, CLOSED | UNREADABLE)
    return moved


def test_d070_the_checks_open_what_they_declare(closed: Moved) -> None:
    again = closed.run("demand_checks", tags={"dagster/partition": "581"})
    assert len(verdicts(again)) == 8, failure_text(again)
    assert all(verdicts(again).values())
    assert closed.opened == opened_by(evidence_closure) | opened_by(published_rows)


def test_d070_the_check_of_published_rows_looks_where_run_folders_are(closed: Moved, tmp_path: Path) -> None:
    closed.resources["run_folders"] = runs_in(tmp_path / "empty")
    assert False in verdicts(closed.run("demand_checks", tags={"dagster/partition": "581"})).values()


def test_d073_the_drift_opens_what_it_declares(closed: Moved) -> None:
    assert verdicts(closed.run("demand_drift")) == {"published_rows_close": True}
    assert closed.opened == {"facts", "demand_store"}


def test_dg5_the_sensor_opens_the_facts_it_declares(closed: Moved) -> None:
    asked = new_executions(dg.build_sensor_context(instance=closed.instance, resources=closed.resources))
    assert isinstance(asked, dg.SensorResult)
    assert "581" in {request.partition_key for request in asked.run_requests or ()}
    assert closed.opened == opened_by(new_executions) == {"facts"}


def test_the_retention_deletes_where_run_folders_are_by_the_clock_it_declares(closed: Moved) -> None:
    decoy = Path("test_output_data") / "old"
    decoy.mkdir(parents=True)
    (decoy / "run_manifest.json").write_text("{}")
    assert closed.run("expired_run_files").success
    assert list(closed.runs.iterdir()) == []
    assert decoy.is_dir()
    assert closed.opened == opened_by(delete_old_run_folders)


@pytest.mark.parametrize("job", ["demand_local_json", "demand_mysql_demand_content"])
def test_each_asset_of_a_run_opens_what_it_declares(closed: Moved, job: str) -> None:
    """The writer of a run folder, its check and its retention work on the same place."""
    asked = {"resources": {"demand_request": {"config": {"count": 1, "run_id": "here", "run_label": "y"}}}}
    done = closed.run(job, partition_key="581", run_config=asked)
    assert done.success, failure_text(done)
    assert all(verdicts(done).values())
    assert (closed.runs / "here" / "run_manifest.json").is_file()
    assert not Path("test_output_data").exists()
    expected = set().union(*(opened_by(asset) for asset in RUN_ASSETS))
    assert closed.opened == expected - (set() if job == "demand_mysql_demand_content" else {"demand_store"})
