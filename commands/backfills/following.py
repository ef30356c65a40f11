"""Launching what is to run, and staying with it until all is over."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from commands.backfills.request import DEMAND, SUPPLY, Backfill, Half
from commands.backfills.standing import DONE, Standing, State, runs_of, standing_of
from resources.dagster_api.client import DagsterApi
from resources.dagster_api.errors import DagsterUnreachable
from resources.dagster_api.jobs import launch
from resources.dagster_api.partitions import add_partitions, partitions_of
from resources.errors import Pattern2PlanError

AT_ONCE = 25
POLL_S = 2.0
PATIENCE_S = 300
AGAIN = (State.FAILED, State.CANCELLED)


class CancelledMeanwhile(Pattern2PlanError):
    """Somebody cancelled the backfill while it was followed."""


@dataclass(frozen=True)
class Watcher:
    """Who is told how it stands, and that a service is away; ``sleep`` takes seconds."""

    progress: Callable[[Standing], None]
    trouble: Callable[[str], None]
    sleep: Callable[[float], None] = time.sleep


def launch_first(api: DagsterApi, backfill: Backfill, again: Sequence[State] = ()) -> Standing:
    """Launch all that may run now: what waits, and what is in one of the states ``again``; how it stood before.

    Raises:
        DagsterUnreachable: nobody can say how far it came; ``resume`` goes on.
    """
    standing = standing_of(api, backfill, runs_of(api, backfill.name))
    for half in backfill.asked.halves:
        _launch(api, backfill, half, _ready(backfill, standing, half, (State.WAITING, *again)))
    return standing


def follow(api: DagsterApi, backfill: Backfill, watcher: Watcher, before: Standing) -> Standing:
    """Launch the supply half of what is published, until everything is over.

    A webserver or a code server that is away is waited for, five minutes at a time.

    Raises:
        DagsterUnreachable: it stayed away.
        CancelledMeanwhile: a run was cancelled; nothing more is launched.
    """
    patient = api.without_retries()
    good = time.monotonic()
    away = False
    while True:
        try:
            standing = standing_of(patient, backfill, runs_of(patient, backfill.name))
            watcher.progress(standing)
            if standing.cancelled - before.cancelled:
                raise CancelledMeanwhile("the backfill was cancelled", f"pattern2plan backfill resume {backfill.name}")
            if standing.is_over:
                return standing
            for half in backfill.asked.halves:
                _launch(patient, backfill, half, _ready(backfill, standing, half, (State.WAITING,)))
            if not standing.unfinished and not _ready_at_all(backfill, standing):
                return standing
            good, away = time.monotonic(), False
        except DagsterUnreachable as error:
            if time.monotonic() - good > PATIENCE_S:
                raise
            if not away:
                watcher.trouble(f"{error.message}; waiting for it")
            away = True
        watcher.sleep(POLL_S)


def _ready_at_all(backfill: Backfill, standing: Standing) -> bool:
    return any(_ready(backfill, standing, half, (State.WAITING,)) for half in backfill.asked.halves)


def _ready(backfill: Backfill, standing: Standing, half: Half, states: Sequence[State]) -> list[str]:
    """Keys in one of the states that need not wait for their demand half."""
    keys = standing.keys(half, *states)
    if half is not SUPPLY or DEMAND not in backfill.asked.halves:
        return keys
    published = standing.states[DEMAND.name]
    return [key for key in keys if published[key] in DONE]


def _launch(api: DagsterApi, backfill: Backfill, half: Half, keys: Sequence[str]) -> None:
    if not keys:
        return
    known = partitions_of(api, half.asset).registered
    add_partitions(api, half.job.location, half.partitions, [key for key in keys if key not in known])
    for start in range(0, len(keys), AT_ONCE):
        some = keys[start : start + AT_ONCE]
        refusals = launch(api, half.job, [backfill.launch_of(half, key) for key in some])
        for key, refusal in zip(some, refusals, strict=True):
            if refusal is not None:
                raise Pattern2PlanError(f"{half.name} of {key} was refused: {refusal}", "see the job in the UI")
