"""Secrets that stand in files: a folder whose files bear the names of the variables, as containers mount them."""

from __future__ import annotations

import os
from pathlib import Path

from resources.foundation.errors import SettingsError

FOLDER = "PATTERN2PLAN_SECRETS_DIR"


def secrets_folder() -> Path | None:
    """The folder that is named, if any.

    Raises:
        SettingsError: it is no folder.
    """
    named = os.environ.get(FOLDER)
    if not named:
        return None
    folder = Path(named)
    if not folder.is_dir():
        raise SettingsError(f"environment variable {FOLDER} names no folder", "mount the secrets there, or unset it")
    return folder


def variable(name: str) -> str | None:
    """What the environment says, else what the file of this name holds, without the line's end.

    Raises:
        SettingsError: the file cannot be read.
    """
    value = os.environ.get(name)
    if value:
        return value
    folder = secrets_folder()
    file = folder / name if folder else None
    if file is None or not file.is_file():
        return None
    try:
        return file.read_text(encoding="utf-8").strip() or None
    except (OSError, UnicodeDecodeError):
        raise SettingsError(f"the secret file of {name} cannot be read", "check its rights and its encoding") from None
