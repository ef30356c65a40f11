"""Launching what is to run, and staying with it until all is over."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from commands.operations.backfills.request import DEMAND, SUPPLY, Backfill, Half
from commands.operations.backfills.status import DONE, BackfillStatus, PartitionState, runs_of, standing_of
from resources.dagster_api.client import DagsterApi
from resources.dagster_api.errors import DagsterUnreachable
from resources.dagster_api.jobs import launch
from resources.dagster_api.partitions import add_partitions, partitions_of
from resources.foundation.errors import Pattern2PlanError

AT_ONCE = 25
POLL_S = 2.0
PATIENCE_S = 300
AGAIN = (PartitionState.FAILED, PartitionState.CANCELLED)


class CancelledMeanwhile(Pattern2PlanError):
    """Somebody cancelled the backfill while it was followed."""


@dataclass(frozen=True)
class Watcher:
    """Who is told how it stands, and that a service is away; ``sleep`` takes seconds."""

    progress: Callable[[BackfillStatus], None]
    trouble: Callable[[str], None]
    sleep: Callable[[float], None] = time.sleep
    monotonic: Callable[[], float] = time.monotonic


def launch_first(
    api: DagsterApi, backfill: Backfill, watcher: Watcher, again: Sequence[PartitionState] = ()
) -> BackfillStatus:
    """Launch all that may run now: what waits, and what is in one of the states ``again``; how it stood before.

    The partitions of both halves are registered before anything runs, so that one that is missing later was removed.

    Raises:
        DagsterUnreachable: nobody can say how far it came; ``resume`` goes on.
        CancelledMeanwhile: a run was cancelled; nothing more is launched.
    """
    standing = standing_of(api, backfill, runs_of(api, backfill.name))
    for half in backfill.asked.halves:
        _register(api, half, standing.keys(half, PartitionState.WAITING))
    launching = _Launching(api, backfill, watcher, standing.cancelled)
    for half in backfill.asked.halves:
        launching.launch(half, launching.ready(standing, half, (PartitionState.WAITING, *again)))
    return standing


def follow(api: DagsterApi, backfill: Backfill, watcher: Watcher, before: BackfillStatus) -> BackfillStatus:
    """Launch the supply half of what is published, until everything is over.

    A webserver or a code server that is away is waited for, five minutes at a time.

    Raises:
        DagsterUnreachable: it stayed away.
        CancelledMeanwhile: a run was cancelled; nothing more is launched.
    """
    patient = api.without_retries()
    launching = _Launching(patient, backfill, watcher, before.cancelled)
    good = watcher.monotonic()
    away = False
    while True:
        try:
            standing = standing_of(patient, backfill, runs_of(patient, backfill.name))
            watcher.progress(standing)
            launching.require_going_on(standing.cancelled)
            ready = {half: launching.ready(standing, half, (PartitionState.WAITING,)) for half in backfill.asked.halves}
            if standing.is_over or not (standing.unfinished or any(ready.values())):
                return standing
            for half, keys in ready.items():
                launching.launch(half, keys)
            good, away = watcher.monotonic(), False
        except DagsterUnreachable as error:
            if watcher.monotonic() - good > PATIENCE_S:
                raise
            if not away:
                watcher.trouble(f"{error.message}; waiting for it")
            away = True
        watcher.sleep(POLL_S)


@dataclass
class _Launching:
    """What this process launches: nothing after a cancel, and nothing twice that Dagster refused."""

    api: DagsterApi
    backfill: Backfill
    watcher: Watcher
    cancelled_before: frozenset[str]
    refused: set[tuple[str, str]] = field(default_factory=set)

    def ready(self, standing: BackfillStatus, half: Half, states: Sequence[PartitionState]) -> list[str]:
        """Keys in one of the states that need not wait for their demand half."""
        keys = [key for key in standing.keys(half, *states) if (half.name, key) not in self.refused]
        if half is not SUPPLY or DEMAND not in self.backfill.asked.halves:
            return keys
        published = standing.states[DEMAND.name]
        return [key for key in keys if published[key] in DONE]

    def launch(self, half: Half, keys: Sequence[str]) -> None:
        """Create the runs, some at a time; a refused one is told and does not stop the others."""
        for start in range(0, len(keys), AT_ONCE):
            if start:
                runs = runs_of(self.api, self.backfill.name)
                self.require_going_on(frozenset(run.run_id for run in runs if run.status == "CANCELED"))
            some = keys[start : start + AT_ONCE]
            refusals = launch(self.api, half.job, [self.backfill.launch_of(half, key) for key in some])
            for key, refusal in zip(some, refusals, strict=True):
                if refusal is not None:
                    self.refused.add((half.name, key))
                    self.watcher.trouble(f"{half.name} of {key} was refused: {refusal}")

    def require_going_on(self, cancelled: frozenset[str]) -> None:
        """Stop where a run was cancelled since this process began.

        Raises:
            CancelledMeanwhile: one was.
        """
        if cancelled - self.cancelled_before:
            raise CancelledMeanwhile("the backfill was cancelled", f"pattern2plan backfill resume {self.backfill.name}")


def _register(api: DagsterApi, half: Half, keys: Sequence[str]) -> None:
    if keys:
        known = partitions_of(api, half.asset).registered
        add_partitions(api, half.job.location, half.partitions, [key for key in keys if key not in known])
