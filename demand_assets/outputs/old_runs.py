"""Run folders that have had their time: found by age, and deleted whole; and what a kill left half-written."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from demand_assets.outputs.run_folder import LOCK_FILE, MANIFEST, OWNER_FILE, RunFolder, read_owner
from resources.foundation.errors import OutputFailed, OutputRefused

OURS = (MANIFEST, OWNER_FILE, LOCK_FILE)
PARTIAL = ".*.partial"
DOOMED = ".deleting-"
"""What a folder is called while it is being deleted: a kill leaves no half run under a run's name."""


class OldRun(NamedTuple):
    """A folder, its size in bytes, and the trace id of the run it belongs to: a Dagster run's id, or a command's."""

    folder: Path
    size: int
    owner: str | None


def old_runs(root: Path, before: datetime) -> list[OldRun]:
    """Folders of ours directly under ``root`` in which nothing was written since ``before``, by name.

    A link is never followed, and a folder without a mark of ours is somebody else's.
    """
    if not root.is_dir():
        return []
    found = []
    for folder in sorted(root.iterdir()):
        if folder.is_symlink() or not folder.is_dir() or not _is_ours(folder):
            continue
        files = [path for path in folder.rglob("*") if not path.is_symlink() and path.is_file()]
        changed = max((path.stat().st_mtime for path in files), default=folder.stat().st_mtime)
        if changed < before.timestamp():
            found.append(OldRun(folder, sum(path.stat().st_size for path in files), read_owner(RunFolder(folder))))
    return found


def delete_runs(runs: list[OldRun], is_unfinished: Callable[[str], bool]) -> Iterator[OldRun]:
    """Delete the folders one by one and yield each that is gone.

    One whose Dagster run is not over, or that a process is writing, stays.

    Raises:
        OutputFailed: folders could not be deleted, the first of them named; all others are gone.
    """
    stuck: list[OutputFailed] = []
    for run in runs:
        if run.owner is not None and is_unfinished(run.owner):
            continue
        try:
            with RunFolder(run.folder).locked():
                doomed = run.folder.with_name(DOOMED + run.folder.name)
                run.folder.rename(doomed)
                shutil.rmtree(doomed)
        except OutputRefused:
            continue
        except OutputFailed as error:
            stuck.append(error)
            continue
        except OSError as error:
            stuck.append(OutputFailed(f"{run.folder.name} could not be deleted: {error.strerror}", "check rights"))
            continue
        yield run
    if stuck:
        raise OutputFailed(f"{len(stuck)} run folders stay; {stuck[0].message}", stuck[0].fix)


def old_partials(root: Path, before: datetime) -> list[Path]:
    """Files below ``root`` that were being written before ``before`` and never got their name; no link is followed."""
    found = (path for path in root.rglob(PARTIAL) if not path.is_symlink() and path.is_file())
    return sorted(path for path in found if path.stat().st_mtime < before.timestamp())


def _is_ours(folder: Path) -> bool:
    return folder.name.startswith(DOOMED) or any((folder / name).is_file() for name in OURS)
