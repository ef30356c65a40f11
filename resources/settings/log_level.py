"""From which level on log lines are written; read without pydantic, because every ``--help`` reads it."""

from __future__ import annotations

import os

from resources.foundation.errors import SettingsError

LOG_LEVEL_VARIABLE = "PATTERN2PLAN_LOG_LEVEL"
LOG_LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR")


def read_log_level() -> str:
    """One of the levels; INFO where nothing is set.

    Raises:
        SettingsError: it is none of them.
    """
    level = (os.environ.get(LOG_LEVEL_VARIABLE) or "INFO").strip().upper()
    if level not in LOG_LEVELS:
        raise SettingsError(
            f"environment variable {LOG_LEVEL_VARIABLE} is not a level", f"one of {', '.join(LOG_LEVELS)}"
        )
    return level
