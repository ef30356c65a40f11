"""The folder of one run under ``test_output_data/`` (D-061): files appear whole or not at all."""

from __future__ import annotations

import errno
import fcntl
import hashlib
import os
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from resources.foundation import strict_json
from resources.foundation.clock import SHANGHAI, Clock
from resources.foundation.errors import OutputFailed, OutputRefused
from resources.foundation.whole_files import write_whole

OUTPUT_ROOT = "test_output_data"
MANIFEST = "run_manifest.json"
RUN_ID_PATTERN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,119}")
SUBFOLDERS = ("intermediate/data", "intermediate/result", ".trace", "output")
LOCK_FILE = ".lock"


def default_run_id(execution_id: int, clock: Clock) -> str:
    """``execution_{id}_{timestamp}`` to the microsecond, Shanghai time."""
    return f"execution_{execution_id}_{clock.now().astimezone(SHANGHAI):%Y%m%dT%H%M%S%f}"


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


def resolve_root(output_root: Path | None, run_id: str) -> Path:
    """The run's folder: ``output_root`` where given, else ``test_output_data/{run_id}``.

    Raises:
        OutputRefused: ``output_root`` is not inside ``test_output_data/`` of the working directory.
    """
    allowed = Path(OUTPUT_ROOT).resolve()
    place = allowed / check_run_id(run_id) if output_root is None else output_root
    target = place.resolve()
    if target == allowed or allowed not in target.parents:
        named = f"run id {run_id}" if output_root is None else f"--output-root {output_root}"
        raise OutputRefused(f"{named} is outside {OUTPUT_ROOT}/", f"use {OUTPUT_ROOT}/NAME")
    return target


class RunFolder:
    """The files of one run; made by :func:`open_new`, :func:`open_resumed` or :func:`open_shared`."""

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
            write_whole(target, content)
        except OSError as error:
            raise _failed(target, error) from error
        return target

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


def open_new(root: Path) -> RunFolder:
    """Make the folder of a new run.

    Raises:
        OutputRefused: it exists already, or may not be made.
    """
    try:
        root.parent.mkdir(parents=True, exist_ok=True)
        root.mkdir()
    except FileExistsError:
        raise OutputRefused(
            f"run id {root.name!r} exists already", "give another --run-id, or --resume to go on with it"
        ) from None
    except OSError as error:
        raise _refused(root, error) from error
    return open_shared(root)


def open_resumed(root: Path) -> RunFolder:
    """Open the folder of a run that was cut off.

    Raises:
        OutputRefused: there is no such run.
    """
    if not root.is_dir():
        raise OutputRefused(f"there is no run {root.name!r} to resume", "leave --resume away")
    return open_shared(root)


def open_shared(root: Path) -> RunFolder:
    """Open the folder whether it exists or not; the steps of one Dagster run share it.

    Raises:
        OutputRefused: it may not be made.
    """
    try:
        for subfolder in SUBFOLDERS:
            (root / subfolder).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _refused(root, error) from error
    return RunFolder(root)


def _refused(root: Path, error: OSError) -> OutputRefused:
    return OutputRefused(f"the run folder {root.name!r} cannot be made: {error.strerror}", "check rights and space")


def _failed(target: Path, error: OSError) -> OutputFailed:
    fix = "free space, then resume" if error.errno == errno.ENOSPC else "check rights, then resume"
    return OutputFailed(f"{target.name} could not be written: {error.strerror}", f"{fix} with --resume")
