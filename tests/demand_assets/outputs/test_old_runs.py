"""Which run folders are deleted, and which never are."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import dagster as dg
import pytest

from demand_assets.orchestration.retention import expired_run_files
from demand_assets.outputs.old_runs import DOOMED, delete_runs, old_partials, old_runs
from demand_assets.outputs.run_folder import MANIFEST, OWNER_FILE, RunFolder
from resources.foundation.errors import OutputFailed
from resources.platform.configurable import ClockResource, RunFoldersResource

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


def test_a_folder_that_may_not_be_deleted_keeps_no_other(tmp_path: Path):
    folder(tmp_path, "a-busy", OLD, MANIFEST)
    folder(tmp_path, "b-old", OLD, MANIFEST)
    folder(tmp_path, f"{DOOMED}a-busy", OLD, MANIFEST)
    runs = [run for run in old_runs(tmp_path, NOW) if not run.folder.name.startswith(DOOMED)]
    with pytest.raises(OutputFailed, match="1 run folders stay; a-busy could not be deleted"):
        list(delete_runs(runs, lambda _: False))
    assert names(tmp_path) == [f"{DOOMED}a-busy", "a-busy"]


def test_half_written_files_are_found_and_no_link_is_followed(tmp_path: Path):
    outside = folder(tmp_path.parent, f"{tmp_path.name}-outside", OLD, ".rows.json.7.partial")
    young = folder(tmp_path, "young", YOUNG, MANIFEST, ".manifest.json.7.partial", "notes.partial")
    (young / ".link.partial").symlink_to(outside / ".rows.json.7.partial")
    (young / "inside").symlink_to(outside)
    assert old_partials(tmp_path, NOW) == [young / ".manifest.json.7.partial"]
    assert old_partials(tmp_path, OLD) == []


@pytest.mark.parametrize("status", [dg.DagsterRunStatus.NOT_STARTED, dg.DagsterRunStatus.FAILURE])
def test_a_folder_whose_run_is_tried_again_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, status: dg.DagsterRunStatus
):
    monkeypatch.chdir(tmp_path)
    place = folder(tmp_path / "test_output_data", "old", OLD, OWNER_FILE)
    with dg.DagsterInstance.ephemeral() as instance:
        instance.add_run(dg.DagsterRun("demand_local_json", run_id="run-1", status=dg.DagsterRunStatus.FAILURE))
        retry = dg.DagsterRun("demand_local_json", status=status, root_run_id="run-1", parent_run_id="run-1")
        instance.add_run(retry.with_tags({"dagster/root_run_id": "run-1"}))
        resources = {"clock": ClockResource(fixed_at=NOW.isoformat()), "run_folders": RunFoldersResource()}
        assert expired_run_files.execute_in_process(instance=instance, resources=resources).success
    assert place.exists() is (status is dg.DagsterRunStatus.NOT_STARTED)


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
            resources={"clock": ClockResource(fixed_at=NOW.isoformat()), "run_folders": RunFoldersResource()},
            run_config={"ops": {"delete_old_run_folders": {"config": {"dry_run": dry_run}}}},
        )
    assert done.success
    assert names(root) == left
