"""What earlier steps left on disk about an execution: how its candidates were decided, and which rows were refused.

The databases do not keep it. Where no record is found the report says so; it never says 0.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pandas as pd
from pyarrow import ArrowException

from demand_assets.outputs.run_folder import MANIFEST, OUTPUT_ROOT
from resources.foundation import strict_json

MOST_FOLDERS = 500
PUBLISHES = "mysql_demand_content"
UNREADABLE = (OSError, ValueError, KeyError, TypeError, AttributeError, ArrowException, strict_json.JsonRefused)
"""What a file that is cut off, foreign or not ours to read raises."""


@dataclass(frozen=True)
class Decisions:
    """One decision of an execution: candidates proposed, accepted, met twice, and rejected by code.

    ``publishes`` tells a run into the table from a trial into files; ``label`` is that of its rows, ``None`` where it
    has none to show; ``source`` is where it is recorded.
    """

    source: str
    label: str | None
    at: datetime
    publishes: bool
    proposed: int
    accepted: int
    duplicates: int
    rejected_by_code: dict[str, int]

    @property
    def rejected(self) -> int:
        return sum(self.rejected_by_code.values())


@dataclass
class Records:
    """The folders that hold records: ``frames`` of the location, and the ``runs`` of the command line."""

    frames: Path
    runs: Path = Path(OUTPUT_ROOT)
    unreadable: list[str] = field(default_factory=list)
    """Files that are there and could not be read."""

    def decisions(self, execution_id: int) -> list[Decisions]:
        """Every decision that is recorded; a run that left both frames and a manifest is there once."""
        of_runs = list(self._of_runs(execution_id))
        folders = {one.source for one in of_runs}
        return [*(one for one in self._of_frames(execution_id) if one.source not in folders), *of_runs]

    def refused_by_rule(self, batch: str) -> dict[str, int] | None:
        """Rows that the last intake refused, by rule; ``None`` where no intake is recorded."""
        path = self._frame("demand_snapshots", batch)
        if not path.is_file():
            return None
        try:
            frame = pd.read_parquet(path, columns=["state", "rule_id"])
        except UNREADABLE:
            self.unreadable.append(_shown(path))
            return None
        return _counts(frame.loc[frame["state"] == "refused", "rule_id"])

    def _frame(self, asset: str, key: str | int) -> Path:
        return self.frames / asset / f"{key}.parquet"

    def _of_frames(self, execution_id: int) -> Iterator[Decisions]:
        rejected = self._frame("rejected_demands", execution_id)
        if not rejected.is_file():
            return
        try:
            codes = _counts(pd.read_parquet(rejected, columns=["reject_code"])["reject_code"])
            proposed = len(pd.read_parquet(self._frame("candidate_demands", execution_id), columns=["seq"]))
            accepted = len(pd.read_parquet(self._frame("validated_demands", execution_id), columns=["seq"]))
            mode, label, folder = self._of_rows(execution_id)
            yield Decisions(
                source=_manifest_of(folder) if folder else "frames",
                label=label,
                at=_changed(rejected),
                publishes=mode == PUBLISHES,
                proposed=proposed,
                accepted=accepted,
                duplicates=proposed - accepted - sum(codes.values()),
                rejected_by_code=codes,
            )
        except UNREADABLE:
            self.unreadable.append(_shown(rejected))

    def _of_rows(self, execution_id: int) -> tuple[str | None, str | None, str | None]:
        """Mode, label and run folder of the rows in the frames; nothing where there is no row."""
        path = self._frame("demand_content", execution_id)
        if not path.is_file():
            return None, None, None
        columns = ["output_mode", "run_label", "run_folder"]
        rows = pd.read_parquet(path, columns=columns).to_dict("records")
        return (rows[0]["output_mode"], rows[0]["run_label"], rows[0]["run_folder"]) if rows else (None, None, None)

    def _of_runs(self, execution_id: int) -> Iterator[Decisions]:
        for path in _newest_manifests(self.runs):
            try:
                manifest = strict_json.loads(path.read_bytes())
                if manifest["config"]["execution_id"] == execution_id:
                    yield _of_manifest(manifest, path)
            except UNREADABLE:
                self.unreadable.append(_shown(path))


def latest(decisions: Sequence[Decisions]) -> Decisions | None:
    """The latest decision; one that publishes comes before any trial."""
    return max(decisions, key=lambda one: (one.publishes, one.at), default=None)


def _newest_manifests(runs: Path) -> list[Path]:
    """Of the runs that are whole, the newest 500; more would make a report wait for years of trials."""
    if not runs.is_dir():
        return []
    with os.scandir(runs) as entries:
        whole = [path for entry in entries if (path := Path(entry.path) / MANIFEST).is_file()]
    return sorted(whole, key=_changed, reverse=True)[:MOST_FOLDERS]


def _of_manifest(manifest: dict[str, Any], path: Path) -> Decisions:
    counts = manifest["counts"]
    return Decisions(
        source=_manifest_of(path.parent.name),
        label=str(manifest["run_label"]),
        at=_changed(path),
        publishes=manifest["output_mode"] == PUBLISHES,
        proposed=int(counts["proposed"]),
        accepted=int(counts["accepted"]),
        duplicates=int(counts["duplicates"]),
        rejected_by_code={str(code): int(number) for code, number in counts["rejected_by_code"].items()},
    )


def _manifest_of(folder: str) -> str:
    return f"{folder}/{MANIFEST}"


def _counts(values: pd.Series[Any]) -> dict[str, int]:
    return {str(name): int(number) for name, number in values.value_counts().items()}


def _changed(path: Path) -> datetime:
    return datetime.fromtimestamp(path.stat().st_mtime, UTC)


def _shown(path: Path) -> str:
    return f"{path.parent.name}/{path.name}"
