"""A Dagster home for one machine."""

from __future__ import annotations

from pathlib import Path


def write_local_instance(home: Path) -> None:
    """A Dagster home on SQLite that sends nothing anywhere; one that is configured already is left as it is."""
    home.mkdir(parents=True, exist_ok=True)
    configuration = home / "dagster.yaml"
    if not configuration.exists():
        configuration.write_text("telemetry:\n  enabled: false\nnux:\n  enabled: false\n")
