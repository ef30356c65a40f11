"""The folder of one run under ``test_output_data/`` (D-061): files appear whole or not at all."""

from __future__ import annotations

import errno
import fcntl
import hashlib
import os
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import Any

from resources.foundation import strict_json
from resources.foundation.atomic_files import write_atomically
from resources.foundation.clock import SHANGHAI
from resources.foundation.errors import OutputFailed, OutputRefused
from resources.foundation.folder_names import RUN_FOLDERS

OUTPUT_ROOT = RUN_FOLDERS
MANIFEST = "run_manifest.json"
RUN_ID_PATTERN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,119}")
SUBFOLDERS = ("intermediate/data", "intermediate/result", ".trace", "output")
LOCK_FILE = ".lock"
OWNER_FILE = ".dagster_run"
"""Whose folder it is: the trace id of the run that made it, which for Dagster is the root run's id."""


def default_run_id(execution_id: int, started_at: datetime) -> str:
    """``execution_{id}_{timestamp}`` to the microsecond, Shanghai time; ``started_at`` knows its zone."""
    return f"execution_{execution_id}_{started_at.astimezone(SHANGHAI):%Y%m%dT%H%M%S%f}"


def check_run_id(run_id: str) -> str:
    """The run id, if it may name a folder.

    Raises:
        OutputRefused: other characters than letters, digits, ``.``, ``_`` and ``-``, or longer than 120.
    """
    if not RUN_ID_PATTERN.fullmatch(run_id):
        raise OutputRefused(
            f"run id {run_id[:60]!r} cannot name a folder",
            "use letters, digits, '.', '_' and '-', at most 120",
        )
    return run_id


def resolve_root(output_root: Path | None, run_id: str, runs: Path = Path(OUTPUT_ROOT)) -> Path:
    """The run's folder: ``output_root`` where given, else ``test_output_data/{run_id}``.

    Args:
        runs: where the folders of all runs are; ``test_output_data/`` of the working directory.

    Raises:
        OutputRefused: ``output_root`` is not inside ``runs``.
    """
    allowed = runs.resolve()
    place = allowed / check_run_id(run_id) if output_root is None else output_root
    target = place.resolve()
    if target == allowed or allowed not in target.parents:
        named = f"run id {run_id}" if output_root is None else f"--output-root {output_root}"
        raise OutputRefused(f"{named} is outside {OUTPUT_ROOT}/", f"use {OUTPUT_ROOT}/NAME")
    return target


class RunFolder:
    """The files of one run; made by :func:`claim_run_folder`, opened again by :func:`open_resumed`."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def path(self, name: str) -> Path:
        """Where the file ``name`` (relative, with ``/``) stands."""
        return self.root / name

    def is_complete(self) -> bool:
        """The manifest is written last: where it stands, all stands."""
        return self.path(MANIFEST).is_file()

    def write_json(self, name: str, value: object) -> Path:
        """Write strict JSON whole: aside, fsync, rename."""
        return self.write_bytes(name, (strict_json.dumps(value, indent=2) + "\n").encode())

    def write_bytes(self, name: str, content: bytes) -> Path:
        """Write a file whole or not at all.

        Raises:
            OutputFailed: disk full, no permission, device gone.
        """
        target = self.path(name)
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(target, content)
        except OSError as error:
            raise _failed(target, error) from error
        return target

    def read_json(self, name: str) -> Any:
        """The value of a JSON file; ``None`` where there is no file."""
        path = self.path(name)
        return strict_json.loads(path.read_bytes()) if path.is_file() else None

    def append_json_lines(self, name: str, values: Iterable[object]) -> None:
        """Append one strict JSON line a value and sync; what a kill left of a last line goes first."""
        target = self.path(name)
        payload = "".join(strict_json.dumps(value) + "\n" for value in values).encode()
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            if target.is_file():
                os.truncate(target, target.read_bytes().rfind(b"\n") + 1)
            with target.open("ab") as stream:
                stream.write(payload)
                stream.flush()
                os.fsync(stream.fileno())
        except OSError as error:
            raise _failed(target, error) from error

    def read_json_lines(self, name: str) -> list[Any]:
        """Values of a JSON-lines file; none where there is no file, and without a last line that was cut off."""
        target = self.path(name)
        if not target.is_file():
            return []
        whole, _, _ = target.read_bytes().rpartition(b"\n")
        return [strict_json.loads(line) for line in whole.splitlines() if line.strip()]

    def sha256_of_files(self, names: Iterable[str]) -> dict[str, str]:
        """Hexadecimal SHA-256 of each file that stands."""
        standing = [name for name in names if self.path(name).is_file()]
        return {name: hashlib.sha256(self.path(name).read_bytes()).hexdigest() for name in standing}

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep every other process out of this folder.

        Raises:
            OutputRefused: another process is writing here.
        """
        lock = self.path(LOCK_FILE)
        try:
            stream = lock.open("ab")
        except OSError as error:
            raise _failed(lock, error) from error
        with stream:
            try:
                fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise OutputRefused(f"another run is writing {self.root.name}", "wait for it to end") from None
            for left_over in self.root.rglob(".*.partial"):
                left_over.unlink()
            yield


def claim_run_folder(root: Path, owner: str) -> RunFolder:
    """The folder of the run ``owner``, made where there is none; the steps and retries of one run share it.

    Raises:
        OutputRefused: it is another run's, or may not be made; nothing is written into what is another's.
        OutputFailed: disk full, no permission, device gone.
    """
    folder = RunFolder(root)
    if not folder.path(OWNER_FILE).is_file() and not any(_made_before(folder)):
        _opened(root)
        _claim(folder.path(OWNER_FILE), owner)
    if read_owner(folder) != owner:
        raise OutputRefused(
            f"run id {root.name!r} exists already",
            "give another run id, or go on with that run: --resume, in Dagster a re-execution of it",
        )
    return _opened(root)


def open_resumed(root: Path) -> RunFolder:
    """Open the folder of a run that was cut off.

    Raises:
        OutputRefused: there is no such run.
    """
    if not root.is_dir():
        raise OutputRefused(f"there is no run {root.name!r} to resume", "leave --resume away")
    return _opened(root)


def read_owner(folder: RunFolder) -> str | None:
    """Trace id of the run that made the folder; ``None`` where it was made before runs of the command said so."""
    owner = folder.path(OWNER_FILE)
    return owner.read_text(encoding="utf-8").strip() if owner.is_file() else None


def _opened(root: Path) -> RunFolder:
    try:
        for subfolder in SUBFOLDERS:
            (root / subfolder).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _refused(root, error) from error
    return RunFolder(root)


def _claim(owned_by: Path, owner: str) -> None:
    """Of two runs at once, one makes the link and the other finds it made."""
    aside = owned_by.with_name(f"{OWNER_FILE}.{owner}")
    try:
        aside.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(aside, owner.encode())
        with suppress(FileExistsError):
            owned_by.hardlink_to(aside)
    except OSError as error:
        raise _failed(owned_by, error) from error
    finally:
        aside.unlink(missing_ok=True)


def _made_before(folder: RunFolder) -> Iterator[Path]:
    return (path for path in folder.root.rglob("*") if path.is_file() and not path.name.startswith(OWNER_FILE))


def _refused(root: Path, error: OSError) -> OutputRefused:
    return OutputRefused(f"the run folder {root.name!r} cannot be made: {error.strerror}", "check rights and space")


def _failed(target: Path, error: OSError) -> OutputFailed:
    fix = "free space, then resume" if error.errno == errno.ENOSPC else "check rights, then resume"
    return OutputFailed(f"{target.name} could not be written: {error.strerror}", f"{fix} with --resume")
