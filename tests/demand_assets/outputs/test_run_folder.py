"""The folder of one run: names, places and files that appear whole or not at all (D-061)."""

from __future__ import annotations

import errno
import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from demand_assets.outputs.run_folder import (
    RunFolder,
    check_run_id,
    claim_run_folder,
    default_run_id,
    open_resumed,
    read_owner,
    resolve_root,
)
from resources.foundation.errors import OutputFailed, OutputRefused
from resources.foundation.strict_json import JsonRefused

MIDNIGHT = datetime(2026, 5, 31, 16, 0, 0, 123, UTC)


def new_folder(name: str = "run-1", owner: str = "trace-1") -> RunFolder:
    return claim_run_folder(resolve_root(None, name), owner)


def test_d061_the_default_run_id_names_execution_and_time() -> None:
    assert default_run_id(581, MIDNIGHT) == "execution_581_20260601T000000000123"
    assert check_run_id(default_run_id(2**63 - 1, MIDNIGHT))


@pytest.mark.parametrize(
    "run_id", ["", ".", "..", "../x", "a/b", "/", "a b", "a\n", "a\x00", ".a", "-a", "é", "猫", "a" * 121, "a\\b"]
)
def test_d061_a_run_id_that_could_leave_the_folder_is_refused(run_id: str) -> None:
    with pytest.raises(OutputRefused):
        check_run_id(run_id)


@pytest.mark.parametrize(
    "output_root",
    ["..", ".", "/", "/tmp/x", "elsewhere", "test_output_data", "test_output_data/../x", "test_output_data_2/x"],
)
def test_d061_an_output_root_outside_is_refused(output_root: str) -> None:
    with pytest.raises(OutputRefused, match="outside test_output_data/"):
        resolve_root(Path(output_root), "run-1")


def test_d061_an_output_root_that_leaves_through_a_link_is_refused(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "test_output_data").mkdir()
    (tmp_path / "test_output_data" / "link").symlink_to(tmp_path / "elsewhere")
    for name in ("link", "link/deeper", "link/../../elsewhere"):
        with pytest.raises(OutputRefused):
            resolve_root(Path("test_output_data") / name, "run-1")


def test_d061_a_run_id_that_is_a_link_to_the_outside_is_refused(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "test_output_data").mkdir()
    (tmp_path / "test_output_data" / "run-1").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OutputRefused):
        open_resumed(resolve_root(None, "run-1"))
    assert list((tmp_path / "elsewhere").iterdir()) == []


@pytest.mark.parametrize("output_root", ["test_output_data/a", "test_output_data/a/b", "./test_output_data/x/../b"])
def test_d061_an_output_root_inside_is_taken(tmp_path: Path, output_root: str) -> None:
    assert tmp_path / "test_output_data" in resolve_root(Path(output_root), "run-1").parents


def test_d061_a_new_folder_has_its_subfolders(tmp_path: Path) -> None:
    root = new_folder().root
    assert root == tmp_path / "test_output_data" / "run-1"
    assert {path.name for path in root.iterdir() if path.is_dir()} == {"intermediate", ".trace", "output"}


def test_d061_a_run_that_exists_is_opened_only_to_resume() -> None:
    folder = new_folder()
    with pytest.raises(OutputRefused, match="exists already"):
        new_folder(owner="trace-2")
    assert new_folder().root == folder.root
    assert open_resumed(folder.root).root == folder.root
    with pytest.raises(OutputRefused, match="no run 'other'"):
        open_resumed(folder.root.with_name("other"))


def test_d061_a_folder_with_files_and_without_an_owner_is_nobodys_to_take(tmp_path: Path) -> None:
    made_before = tmp_path / "test_output_data" / "run-1"
    made_before.mkdir(parents=True)
    (made_before / "notes.txt").write_text("mine")
    with pytest.raises(OutputRefused, match="exists already"):
        new_folder()
    assert read_owner(RunFolder(made_before)) is None
    assert [path.name for path in made_before.rglob("*")] == ["notes.txt"], "it is left as it is"


@pytest.mark.parametrize("broken", [errno.ENOSPC, errno.EPERM])
def test_d061_a_folder_that_cannot_be_claimed_is_a_typed_error(monkeypatch: pytest.MonkeyPatch, broken: int) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise OSError(broken, os.strerror(broken))

    monkeypatch.setattr(Path, "hardlink_to", refuse)
    with pytest.raises(OutputFailed, match=os.strerror(broken)):
        new_folder()


def test_d061_two_processes_do_not_write_one_folder() -> None:
    folder = new_folder()
    with folder.locked(), pytest.raises(OutputRefused, match="another run"), open_resumed(folder.root).locked():
        pass
    with folder.locked():
        pass


@pytest.mark.parametrize("failing", ["fsync", "replace"])
def test_d061_a_file_that_cannot_be_finished_leaves_the_old_one_whole(
    monkeypatch: pytest.MonkeyPatch, failing: str
) -> None:
    folder = new_folder()
    folder.write_json("a.json", {"old": 1})

    def disk_full(*_: Any, **__: Any) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    if failing == "fsync":
        monkeypatch.setattr(os, "fsync", disk_full)
    else:
        monkeypatch.setattr(Path, "replace", disk_full)
    with pytest.raises(OutputFailed, match=r"a\.json could not be written: No space left.*free space"):
        folder.write_json("a.json", {"new": 2})
    assert folder.path("a.json").read_text() == '{\n  "old": 1\n}\n'
    assert [path.name for path in folder.root.rglob("*.partial")] == []


def test_d061_a_file_is_synced_before_it_gets_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    folder = new_folder()
    happened: list[str] = []
    fsync, replace = os.fsync, Path.replace

    def note_sync(descriptor: int) -> None:
        happened.append(f"sync, final name there: {folder.path('a.json').exists()}")
        fsync(descriptor)

    def note_rename(path: Path, target: Path) -> Path:
        happened.append("rename")
        return replace(path, target)

    monkeypatch.setattr(os, "fsync", note_sync)
    monkeypatch.setattr(Path, "replace", note_rename)
    folder.write_json("a.json", [1])
    assert happened == ["sync, final name there: False", "rename", "sync, final name there: True"]


def test_my6_a_file_with_nan_is_not_written() -> None:
    folder = new_folder()
    with pytest.raises(JsonRefused):
        folder.write_json("a.json", {"lift": float("nan")})
    assert not folder.path("a.json").exists()


def test_d061_a_line_that_was_cut_off_is_dropped() -> None:
    folder = new_folder()
    folder.append_json_lines("lines.jsonl", [{"seq": 1}])
    with folder.path("lines.jsonl").open("ab") as stream:
        stream.write(b'{"seq": 2, "ra')
    assert folder.read_json_lines("lines.jsonl") == [{"seq": 1}]


def test_d061_lines_after_one_that_was_cut_off_are_read() -> None:
    folder = new_folder()
    folder.path("lines.jsonl").write_bytes(b'{"seq": 1}\n{"seq": 2, "ra')
    folder.append_json_lines("lines.jsonl", [{"seq": 2}, {"seq": 3}])
    assert folder.read_json_lines("lines.jsonl") == [{"seq": 1}, {"seq": 2}, {"seq": 3}]


def test_d061_an_unreadable_line_is_a_typed_error() -> None:
    folder = new_folder()
    folder.path("lines.jsonl").write_bytes(b"not json\n")
    with pytest.raises(JsonRefused):
        folder.read_json_lines("lines.jsonl")
