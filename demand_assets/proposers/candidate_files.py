"""Which files candidates are read from: those below one folder of the settings, so that a launch reads no other.

Whoever may launch a run names the file, and what is rejected of it stands in the ledger. A name is looked up below
``DEMAND_PROPOSER_DIR``; what lies outside, also by ``..`` or a link, is refused before it is looked at.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import BinaryIO

from resources.foundation.errors import UsageError
from resources.settings.demand import PROPOSER_DIR_VARIABLE

MAX_FILE_BYTES = 1 << 30


def open_candidates(name: Path, folder: Path) -> BinaryIO:
    """The file of candidates; a pipe, a device and a file of more than 1 GiB are none.

    Raises:
        UsageError: it lies outside the folder or cannot be read; names the folder and its variable.
    """
    try:
        root = folder.resolve()
        file = (root / name).resolve()
        if not file.is_relative_to(root):
            raise _refused(name, "lies outside the folder of candidate files", folder)
        descriptor = os.open(file, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW)
    except (OSError, ValueError, RuntimeError) as error:
        raise _refused(name, getattr(error, "strerror", None) or str(error), folder) from None
    fault = _fault(os.fstat(descriptor))
    if fault:
        os.close(descriptor)
        raise _refused(name, fault, folder)
    return os.fdopen(descriptor, "rb")


def _fault(status: os.stat_result) -> str:
    if not stat.S_ISREG(status.st_mode):
        return "is no regular file"
    return f"is larger than {MAX_FILE_BYTES} bytes" if status.st_size > MAX_FILE_BYTES else ""


def _refused(name: Path, why: str, folder: Path) -> UsageError:
    fix = f"put it into {folder.absolute()} and name it from there; {PROPOSER_DIR_VARIABLE} names another folder"
    return UsageError(f"proposer file {name}: {why}", fix)
