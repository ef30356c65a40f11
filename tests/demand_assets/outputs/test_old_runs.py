"""Which run folders are deleted, and which never are."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import dagster as dg
import pytest

from demand_assets.outputs.old_runs import DOOMED, OWNER_FILE, delete_runs, old_runs
from demand_assets.outputs.run_folder import MANIFEST, RunFolder
from demand_assets.retention import expired_run_files
from resources.configurable import ClockResource

NOW = datetime(2026, 9, 1, tzinfo=UTC)
OLD, YOUNG = NOW - timedelta(days=100), NOW - timedelta(days=10)


def folder(root: Path, name: str, at: datetime, *files: str) -> Path:
    place = root / name
    (place / "intermediate").mkdir(parents=True)
    for file in files:
        (place / file).write_text("run-1" if file == OWNER_FILE else "{}")
    for path in (*place.rglob("*"), place):
        os.utime(path, (at.timestamp(), at.timestamp()))
    return place


def names(root: Path) -> list[str]:
    return sorted(path.name for path in root.iterdir())


def found(root: Path) -> list[str]:
    return [run.folder.name for run in old_runs(root, NOW - timedelta(days=90))]


def test_only_old_folders_of_ours_are_found(tmp_path: Path):
    folder(tmp_path, "old", OLD, MANIFEST)
    folder(tmp_path, "cut-off", OLD, OWNER_FILE)
    folder(tmp_path, "young", YOUNG, MANIFEST)
    folder(tmp_path, "somebody-else", OLD, "notes.txt")
    written_lately = folder(tmp_path, "written-lately", OLD, MANIFEST)
    (written_lately / "intermediate" / "late.json").write_text("{}")
    outside = folder(tmp_path.parent, f"{tmp_path.name}-outside", OLD, MANIFEST)
    (tmp_path / "link").symlink_to(outside)
    assert found(tmp_path) == ["cut-off", "old"]
    assert old_runs(tmp_path / "nowhere", NOW) == []


def test_an_unfinished_run_and_one_that_is_being_written_stay(tmp_path: Path):
    folder(tmp_path, "a-old", OLD, MANIFEST)
    folder(tmp_path, "b-unfinished", OLD, OWNER_FILE)
    busy = folder(tmp_path, "c-busy", OLD, MANIFEST)
    runs = old_runs(tmp_path, NOW - timedelta(days=90))
    with RunFolder(busy).locked():
        gone = [run.folder.name for run in delete_runs(runs, lambda run_id: run_id == "run-1")]
    assert gone == ["a-old"]
    assert names(tmp_path) == ["b-unfinished", "c-busy"]


def test_what_a_kill_left_half_deleted_is_deleted_next_time(tmp_path: Path):
    folder(tmp_path, f"{DOOMED}old", OLD)
    assert [run.folder.name for run in delete_runs(old_runs(tmp_path, NOW), lambda _: False)] == [f"{DOOMED}old"]
    assert names(tmp_path) == []


@pytest.mark.parametrize(("dry_run", "left"), [(True, ["old", "young"]), (False, ["young"])])
def test_the_job_deletes_unless_it_is_a_dry_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, dry_run: bool, left: list[str]
):
    monkeypatch.chdir(tmp_path)
    root = tmp_path / "test_output_data"
    folder(root, "old", OLD, MANIFEST)
    folder(root, "young", YOUNG, MANIFEST)
    with dg.DagsterInstance.ephemeral() as instance:
        done = expired_run_files.execute_in_process(
            instance=instance,
            resources={"clock": ClockResource(fixed_at=NOW.isoformat())},
            run_config={"ops": {"delete_old_run_folders": {"config": {"dry_run": dry_run}}}},
        )
    assert done.success
    assert names(root) == left
