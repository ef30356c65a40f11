"""Files that appear whole or not at all: written aside, synced, renamed."""

from __future__ import annotations

import errno
import os
from contextlib import suppress
from pathlib import Path


def write_atomically(target: Path, content: bytes) -> None:
    """Put ``content`` at ``target``; a kill at any moment leaves the old file, or none.

    Raises:
        OSError: disk full, no permission, device gone, or the target is no file; nothing is left beside the target.
    """
    if target.exists() and not target.is_file():
        raise FileExistsError(errno.EEXIST, "it is a folder, a device or a pipe, not a file", str(target))
    aside = target.with_name(f".{target.name}.{os.getpid()}.partial")
    try:
        with aside.open("wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        aside.replace(target)
        _sync_folder(target.parent)
    except BaseException:
        # An interrupt counts too: nothing half-written stays beside the target.
        with suppress(OSError):
            aside.unlink()
        raise


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
