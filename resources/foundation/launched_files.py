"""Files that a launch names: those below one folder of the settings, so that who may launch reads no other.

A name is looked up below the folder; what lies outside, also by ``..`` or a link, is refused before it is looked at.
"""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from resources.foundation.errors import UsageError


@dataclass(frozen=True)
class LaunchedFiles:
    """A folder of files.

    Args:
        what: what a file is, for messages.
        variable: the variable that names the folder.
        most_bytes: how large a file may be.
    """

    what: str
    folder: Path
    variable: str
    most_bytes: int

    def open(self, name: Path) -> BinaryIO:
        """The file; a pipe, a device and a file that is too large are none.

        Raises:
            UsageError: it lies outside the folder or cannot be read; names the folder and its variable.
        """
        try:
            root = self.folder.resolve()
            file = (root / name).resolve()
            if not file.is_relative_to(root):
                raise self._refused(name, f"lies outside the folder of {self.what}s")
            descriptor = os.open(file, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW)
        except (OSError, ValueError, RuntimeError) as error:
            raise self._refused(name, getattr(error, "strerror", None) or str(error)) from None
        fault = self._fault(os.fstat(descriptor))
        if fault:
            os.close(descriptor)
            raise self._refused(name, fault)
        return os.fdopen(descriptor, "rb")

    def _fault(self, status: os.stat_result) -> str:
        if not stat.S_ISREG(status.st_mode):
            return "is no regular file"
        return f"is larger than {self.most_bytes} bytes" if status.st_size > self.most_bytes else ""

    def _refused(self, name: Path, why: str) -> UsageError:
        fix = f"put it into {self.folder.absolute()} and name it from there; {self.variable} names another folder"
        return UsageError(f"{self.what} {name}: {why}", fix)
