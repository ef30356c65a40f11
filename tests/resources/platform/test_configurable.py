"""Resources hand out the places of the environment when they are opened, or those that a launch names."""

from __future__ import annotations

from pathlib import Path

import dagster as dg
import pandas as pd
import pytest
from upath import UPath

from resources.platform.configurable import (
    DemandStoreResource,
    FramesIOManager,
    IdsResource,
    PatternFactsResource,
    RunFoldersResource,
    SupplyStoreResource,
)
from resources.platform.parquet_io import ParquetIOManager
from tests.replaced_resources import CLOSED, UNREADABLE, name_nothing


def frames_of(**config: str) -> ParquetIOManager:
    return FramesIOManager(**config).create_io_manager(dg.build_init_resource_context())


def test_without_config_each_place_is_the_environments_as_it_is_when_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    facts, demands, supply = PatternFactsResource(), DemandStoreResource(), SupplyStoreResource()
    monkeypatch.setenv("PATTERN2PLAN_HOME", str(tmp_path / "home"))
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "facts.db").touch()
    with facts.open() as database, supply.open() as store:
        opened = [database.url.database, *(one.engine.url.database for one in (demands.open(), store))]
    assert opened == [str(tmp_path / "home" / f"{name}.db") for name in ("facts", "demand_store", "supply_store")]
    manager = frames_of()
    assert (manager.frames, manager.reports) == (UPath(tmp_path / "home/frames"), UPath(tmp_path / "home/reports"))


@pytest.mark.parametrize(
    "resource", [PatternFactsResource, DemandStoreResource, SupplyStoreResource, RunFoldersResource]
)
def test_who_launches_a_run_does_not_choose_where_it_reads_and_writes(resource: type[dg.ConfigurableResource]) -> None:
    assert resource.model_fields == {}


@pytest.mark.parametrize(
    ("config", "frames", "reports"),
    [
        ({"base_path": "b"}, "b", "b/reports"),
        ({"base_path": "memory://b"}, "memory://b", "memory://b/reports"),
    ],
)
def test_frames_and_reports_go_where_a_launch_says(
    config: dict[str, str], frames: str, reports: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    name_nothing(monkeypatch, CLOSED | UNREADABLE)
    manager = frames_of(**config)
    assert (manager.frames, manager.reports) == (UPath(frames), UPath(reports))


@pytest.mark.parametrize("place", ["here", "memory://there"])
def test_a_page_stands_whole_on_a_disk_and_on_an_object_store(place: str) -> None:
    manager = frames_of(base_path=place)
    for content in (b"first", b"second"):
        page = manager.write_report("581.html", content, "run")
        assert page == UPath(place) / "reports" / "581.html"
        assert page.read_bytes() == content
    assert [path.name for path in manager.reports.iterdir()] == ["581.html"]


def test_what_could_not_be_written_leaves_nothing_behind(tmp_path: Path) -> None:
    manager = frames_of(base_path=str(tmp_path))
    context = dg.build_output_context(run_id="run")
    with pytest.raises(AttributeError):
        manager.dump_to_path(context, "no frame", UPath(tmp_path / "rows.parquet"))  # type: ignore[arg-type]
    assert list(tmp_path.iterdir()) == []
    manager.dump_to_path(context, pd.DataFrame({"n": [1]}), UPath(tmp_path / "rows.parquet"))
    assert [path.name for path in tmp_path.iterdir()] == ["rows.parquet"]


def test_run_folders_are_in_the_working_directory(tmp_path: Path) -> None:
    assert RunFoldersResource().root() == tmp_path / "test_output_data"


def test_ids_are_never_the_same() -> None:
    ids = IdsResource().ids()
    assert len({ids.new() for _ in range(1_000)}) == 1_000
