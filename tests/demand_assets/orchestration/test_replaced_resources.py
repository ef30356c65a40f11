"""What checks, drift, sensor and retention open comes from the resources they declare, and from nowhere else."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import dagster as dg
import pytest

from demand_assets.definitions import ASSETS, build_defs, default_resources
from demand_assets.orchestration.assets.facts import pattern_itemsets, weight_scores
from demand_assets.orchestration.checks import evidence_closure, published_rows
from demand_assets.orchestration.retention import delete_old_run_folders
from demand_assets.orchestration.sensors import new_executions
from resources.databases.demand_store.engine import DemandStore
from resources.databases.demand_store.migrate import upgrade
from resources.platform.configurable import (
    ClockResource,
    DemandStoreResource,
    FramesIOManager,
    PatternFactsResource,
    RunFoldersResource,
)
from resources.settings.demand import read_settings
from tests.demand_assets.orchestration.conftest import Location, failure_text, verdicts
from tests.replaced_resources import CLOSED, UNREADABLE, name_nothing, opened_by, watched

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
    replaced = {
        "facts": PatternFactsResource(sqlite_file=str(place / "facts.db")),
        "demand_store": DemandStoreResource(sqlite_file=str(place / "demand_store.db")),
        "clock": ClockResource(fixed_at=LATER),
        "run_folders": RunFoldersResource(root_path=str(runs)),
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
    closed.resources["run_folders"] = RunFoldersResource(root_path=str(tmp_path / "empty"))
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


@pytest.mark.parametrize("asset", [pattern_itemsets, weight_scores], ids=lambda asset: asset.op.name)
def test_d004_assets_of_the_facts_open_what_they_declare(
    moved: Moved, monkeypatch: pytest.MonkeyPatch, asset: dg.AssetsDefinition
) -> None:
    name_nothing(monkeypatch, CLOSED)
    moved.opened.clear()
    done = dg.materialize(
        ASSETS,
        instance=moved.instance,
        partition_key="581",
        selection=[asset],
        resources={**default_resources(), **moved.resources},
        raise_on_error=False,
    )
    assert done.success, failure_text(done)
    assert moved.opened == opened_by(asset)
