"""A Dagster home for one machine."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import unquote

from resources.foundation.errors import UsageError
from resources.foundation.folders import make_folder


def write_local_instance(home: Path) -> None:
    """A Dagster home on SQLite that sends nothing anywhere; one that is configured already is left as it is.

    Raises:
        UsageError: see :func:`require_storable`; or neither its folder nor the one above is there.
    """
    require_storable(home)
    make_folder(home.parent)
    make_folder(home)
    configuration = home / "dagster.yaml"
    if not configuration.exists():
        configuration.write_text("telemetry:\n  enabled: false\nnux:\n  enabled: false\n")


def require_storable(home: Path) -> None:
    """Dagster writes the path of its SQLite files into a URL as it is, where ``?`` ends it and ``%20`` is a blank.

    Raises:
        UsageError: it would keep its files in another folder than this.
    """
    if "?" in str(home) or unquote(str(home)) != str(home):
        raise UsageError(
            f"Dagster cannot keep its files in {home}: it reads ? and %20 in a path as parts of a URL",
            "set PATTERN2PLAN_HOME (or DAGSTER_HOME) to a folder without them; nothing was written",
        )
