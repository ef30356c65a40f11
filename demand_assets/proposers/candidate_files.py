"""Which files candidates are read from: what is rejected of one stands in the ledger, so it is never just any file."""

from __future__ import annotations

from pathlib import Path
from typing import BinaryIO

from resources.foundation.launched_files import LaunchedFiles
from resources.settings.demand import PROPOSER_DIR_VARIABLE

MAX_FILE_BYTES = 1 << 30


def open_candidates(name: Path, folder: Path) -> BinaryIO:
    """The file of candidates, at most 1 GiB.

    Raises:
        UsageError: it lies outside the folder or cannot be read; names the folder and its variable.
    """
    return LaunchedFiles("proposer file", folder, PROPOSER_DIR_VARIABLE, MAX_FILE_BYTES).open(name)
