"""How each partition of a backfill stands, read from its runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from commands.operations.backfills.request import BACKFILL, HALF, Backfill, Half
from resources.dagster_api.client import DagsterApi
from resources.dagster_api.jobs import PARTITION
from resources.dagster_api.partitions import AssetPartitions, partitions_of
from resources.dagster_api.runs import WAITING, Run, runs_with


class PartitionState(StrEnum):
    """Where a partition is; ``stands`` needs no run of this backfill."""

    WAITING = "waiting"
    QUEUED = "queued"
    RUNNING = "running"
    SUCCEEDED = "succeeded"
    STANDS = "stands"
    FAILED = "failed"
    CANCELLED = "cancelled"
    REMOVED = "removed"


DONE = frozenset({PartitionState.SUCCEEDED, PartitionState.STANDS})
OVER = DONE | {PartitionState.FAILED, PartitionState.CANCELLED, PartitionState.REMOVED}
_OF_STATUS = {
    "SUCCESS": PartitionState.SUCCEEDED,
    "FAILURE": PartitionState.FAILED,
    "CANCELED": PartitionState.CANCELLED,
}


@dataclass(frozen=True)
class BackfillStatus:
    """States by half and key, the newest run of each, and all unfinished runs."""

    states: Mapping[str, Mapping[str, PartitionState]]
    newest: Mapping[tuple[str, str], Run]
    unfinished: Sequence[Run]
    cancelled: frozenset[str]

    def counts(self) -> dict[str, dict[str, int]]:
        """Partitions by state, for each half."""
        return {half: dict(Counter(str(state) for state in states.values())) for half, states in self.states.items()}

    def keys(self, half: Half, *wanted: PartitionState) -> list[str]:
        """Keys of a half in one of the states."""
        return [key for key, state in self.states[half.name].items() if state in wanted]

    @property
    def is_over(self) -> bool:
        return all(state in OVER for states in self.states.values() for state in states.values())

    @property
    def is_done(self) -> bool:
        return all(state in DONE for states in self.states.values() for state in states.values())


def runs_of(api: DagsterApi, name: str) -> list[Run]:
    """The runs of a backfill, the newest first."""
    return runs_with(api, {BACKFILL: name})


def standing_of(api: DagsterApi, backfill: Backfill, runs: Sequence[Run]) -> BackfillStatus:
    """Where everything is."""
    newest: dict[tuple[str, str], Run] = {}
    for run in runs:
        newest.setdefault((run.tags.get(HALF, ""), run.tags.get(PARTITION, "")), run)
    states = {}
    for half in backfill.asked.halves:
        partitions = partitions_of(api, half.asset)
        states[half.name] = {key: _state(backfill, half, key, newest, partitions) for key in backfill.keys}
    unfinished = [run for run in runs if not run.is_ended]
    cancelled = frozenset(run.run_id for run in runs if run.status == "CANCELED")
    return BackfillStatus(states, newest, unfinished, cancelled)


def _state(
    backfill: Backfill,
    half: Half,
    key: str,
    newest: Mapping[tuple[str, str], Run],
    partitions: AssetPartitions,
) -> PartitionState:
    run = newest.get((half.name, key))
    is_registered = key in partitions.registered
    if run is None:
        if _stands(backfill, half, key, partitions):
            return PartitionState.STANDS
        # Partitions of both halves are registered before the first run: one that is not there any more was removed.
        has_begun = any(begun == key for _, begun in newest)
        return PartitionState.REMOVED if has_begun and not is_registered else PartitionState.WAITING
    if run.awaits_retry:
        return PartitionState.QUEUED
    state = _OF_STATUS.get(run.status, PartitionState.QUEUED if run.status in WAITING else PartitionState.RUNNING)
    if state in (PartitionState.FAILED, PartitionState.CANCELLED) and not is_registered:
        return PartitionState.REMOVED
    return state


def _stands(backfill: Backfill, half: Half, key: str, partitions: AssetPartitions) -> bool:
    """Whether the half is not asked to run for the key."""
    if backfill.asked.only == "missing":
        return key in partitions.materialized
    if backfill.asked.only == "failed":
        return key not in partitions.failed and (half.name, key) not in backfill.cancelled_before
    return False
