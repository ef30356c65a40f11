"""Places that cannot be written: no permission, files too large, a full disk; then resume (D-061)."""

from __future__ import annotations

import os
import resource
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import create_engine

from tests.commands.cli_runner import RUN_LOCAL, Cli, start_cli
from tests.small_facts import FactWorld

NOBODY = 65534
RUN = (*RUN_LOCAL, "--count", "2", "--run-id", "run-1")
SEVEN = 7


def files(root: Path) -> list[str]:
    return sorted(path.name for path in root.rglob("*") if path.is_file() and path.name != ".lock")


def become_nobody() -> None:
    """Root passes every permission; what is imported late must be there before it is given up."""
    if os.getuid() == 0:
        create_engine("sqlite://").connect().close()
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)


def small_files_only() -> None:
    """A disk that fills up: a file may not grow beyond 900 bytes."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (900, 900))


@pytest.fixture
def open_place(sqlite_world: FactWorld) -> Iterator[Path]:
    """A folder with facts that another user may read but not write."""
    with tempfile.TemporaryDirectory(dir="/tmp") as name:
        folder = Path(name)
        shutil.copytree(".pattern2plan", folder / ".pattern2plan")
        (folder / "test_output_data").mkdir()
        folder.chmod(0o755)
        (folder / "test_output_data").chmod(0o555)
        yield folder
        (folder / "test_output_data").chmod(0o755)


def test_d061_an_output_folder_without_permission_is_named(open_place: Path) -> None:
    done = start_cli(open_place, RUN, before=become_nobody).wait()
    assert done.code == 2
    assert "run folder 'run-1' cannot be made: Permission denied" in done.error
    assert list((open_place / "test_output_data").iterdir()) == []


def test_d061_an_output_folder_that_is_a_file_is_named(cli: Cli, place: FactWorld, tmp_path: Path) -> None:
    (tmp_path / "test_output_data").write_text("not a folder")
    done = cli(*RUN)
    assert done.code == 2
    assert done.error.startswith("OutputRefused: ")
    (tmp_path / "test_output_data").unlink()
    assert cli(*RUN).code == 0


def test_d061_a_file_that_cannot_be_written_whole_is_not_there(cli: Cli, place: FactWorld, tmp_path: Path) -> None:
    done = start_cli(tmp_path, (*RUN, "--json"), before=small_files_only).wait()
    root = tmp_path / "test_output_data" / "run-1"
    assert done.code == 1
    assert done.out == ""
    assert '"error": "OutputFailed"' in done.err
    assert "could not be written: File too large" in done.err
    assert "Traceback" not in done.err
    assert "run_manifest.json" not in files(root)
    assert [name for name in files(root) if name.endswith(".partial")] == []
    assert cli(*RUN, "--resume").code == 0
    assert len(list(root.glob("*.json"))) == SEVEN


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """``test_output_data`` on a disk of 24 KiB."""
    disk = tmp_path / "test_output_data"
    disk.mkdir()
    mounted = _mount("-t", "tmpfs", "-o", "size=24k", "tmpfs", str(disk))
    if not mounted:
        pytest.skip("a small disk cannot be mounted here")
    yield disk
    subprocess.run(["umount", str(disk)], check=True)


def _mount(*arguments: str) -> bool:
    command = shutil.which("mount")
    return (
        command is not None and subprocess.run([command, *arguments], check=False, capture_output=True).returncode == 0
    )


def test_d061_a_full_disk_is_said_and_the_run_goes_on_when_there_is_space(
    cli: Cli, place: FactWorld, small_disk: Path
) -> None:
    done = cli(*RUN)
    root = small_disk / "run-1"
    assert done.code == 1
    assert "could not be written: No space left on device" in done.error
    assert "--resume" in done.error
    assert "run_manifest.json" not in files(root)
    assert [name for name in files(root) if name.endswith(".partial")] == []
    assert _mount("-o", "remount,size=1m", str(small_disk))
    assert cli(*RUN, "--resume").code == 0
    assert len(list(root.glob("*.json"))) == SEVEN
