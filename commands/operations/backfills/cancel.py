"""Cancelling for good: runs end, and whoever still works for them loses the right to (DG11)."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import closing

from commands.operations.backfills.request import HALF, SUPPLY
from commands.operations.backfills.status import runs_of
from resources.dagster_api.client import DagsterApi
from resources.dagster_api.jobs import PARTITION
from resources.dagster_api.runs import AT_ONCE, SAFELY, Run, terminate
from resources.databases.connections import open_supply_store
from resources.databases.supply_store.tasks.leases import revoke
from resources.foundation.errors import ServiceUnreachable
from resources.settings.supply import read_supply_settings

GRACE_S = 30
LONGEST_S = 120
POLL_S = 1.0
QUIET_S = 5.0
"""More than one look of a command that follows the backfill elsewhere: what it was about to launch is ended as well."""


class NotCancelled(ServiceUnreachable):
    """Some runs are not over."""


def cancel(
    api: DagsterApi,
    name: str,
    sleep: Callable[[float], None] = time.sleep,
    monotonic: Callable[[], float] = time.monotonic,
) -> tuple[int, int]:
    """End every unfinished run, then take their tasks away; how many runs and tasks those were.

    When this returns no run of the backfill creates a further plan: a worker that does not know yet finds its lease
    revoked before it sends. A failed run that Dagster is about to launch anew is waited for, and ended. Where nothing
    was unfinished no trace is left: a command elsewhere that waits for a service may still launch, and must be stopped.

    Raises:
        NotCancelled: runs were not over within two minutes, also when they were given up.
        DagsterUnreachable, StoreUnwritable: nobody can say; cancel again.
    """
    began = quiet_since = monotonic()
    ended: set[str] = set()
    while True:
        runs, now = runs_of(api, name), monotonic()
        unfinished = [run for run in runs if not run.is_ended]
        if not unfinished and now - quiet_since >= QUIET_S:
            return len(ended), _revoke_leases(runs)
        if unfinished:
            quiet_since = now
            if now - began > LONGEST_S:
                raise NotCancelled(f"{len(unfinished)} runs are not over", "cancel again, or end them in the UI")
            running = [run.run_id for run in unfinished if not run.awaits_retry]
            ended.update(running)
            terminate(api, running, SAFELY if now - began < GRACE_S else AT_ONCE)
        sleep(POLL_S)


def _revoke_leases(runs: Sequence[Run]) -> int:
    """Revoke what the supply runs that did not succeed have leased; runs of later may lease it again.

    Batches that this backfill did not run are left alone: somebody else may be at work on them.
    """
    newest: dict[str, Run] = {}
    for run in runs:
        if run.tags.get(HALF) == SUPPLY.name:
            newest.setdefault(run.tags.get(PARTITION, ""), run)
    open_ones = {key: run for key, run in newest.items() if run.status != "SUCCESS"}
    if not open_ones:
        return 0
    created_ms = {key: int(run.created * 1000) + 1 for key, run in open_ones.items()}
    with closing(open_supply_store(read_supply_settings())) as store:
        return store.write(lambda connection: revoke(connection, created_ms))
