"""Folders that are made when something is first kept in them: the folder itself, never one above it.

A path that is misspelled above its last part is then refused, instead of becoming a tree of folders.
"""

from __future__ import annotations

from pathlib import Path

from resources.foundation.errors import UsageError


class FolderMissing(UsageError):
    """The folder that a path stands in is not there."""


def make_folder(folder: Path) -> None:
    """The folder, made if its own parent is there.

    Raises:
        FolderMissing: its parent is not there either.
        OSError: it may not be made.
    """
    if not folder.is_dir():
        require_parent(folder)
        folder.mkdir(exist_ok=True)


def require_parent(path: Path) -> None:
    """Refuse a path whose folder is not there; nothing is made for it.

    Raises:
        FolderMissing: it is not there.
    """
    if not path.absolute().parent.is_dir():
        raise FolderMissing(f"{path}: there is no folder {path.parent}", "look at the spelling, or make it first")
