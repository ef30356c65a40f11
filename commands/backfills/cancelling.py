"""Cancelling for good: runs end, and whoever still works for them loses the right to (DG11)."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import closing

from commands.backfills.request import Backfill
from commands.backfills.standing import runs_of
from resources.connections import open_supply_store
from resources.dagster_api.client import DagsterApi
from resources.dagster_api.runs import AT_ONCE, SAFELY, Run, terminate
from resources.errors import ServiceUnreachable
from resources.supply_settings import read_supply_settings
from resources.supply_store.leases import revoke

GRACE_S = 30
LONGEST_S = 120
POLL_S = 1.0


class NotCancelled(ServiceUnreachable):
    """Some runs are not over."""


def cancel(api: DagsterApi, backfill: Backfill, sleep: Callable[[float], None] = time.sleep) -> tuple[int, int]:
    """End every unfinished run, then take their tasks away; how many runs and tasks those were.

    When this returns no further plan is created for the backfill: a worker that does not know yet finds its lease
    revoked before it sends.

    Raises:
        NotCancelled: runs were not over within two minutes, also when they were given up.
        DagsterUnreachable, StoreUnwritable: nobody can say; cancel again.
    """
    began = time.monotonic()
    ended: set[str] = set()
    while unfinished := [run for run in runs_of(api, backfill.name) if not run.is_ended]:
        waited = time.monotonic() - began
        if waited > LONGEST_S:
            raise NotCancelled(f"{len(unfinished)} runs are not over", "cancel again, or end them in the UI")
        ended.update(run.run_id for run in unfinished)
        terminate(api, [run.run_id for run in unfinished], SAFELY if waited < GRACE_S else AT_ONCE)
        sleep(POLL_S)
    return len(ended), _fence(backfill, runs_of(api, backfill.name))


def _fence(backfill: Backfill, runs: Sequence[Run]) -> int:
    """Revoke what runs created until now have leased; later runs may lease it again."""
    newest = max((run.created for run in runs), default=0.0)
    with closing(open_supply_store(read_supply_settings())) as store:
        return store.write(lambda connection: revoke(connection, backfill.keys, created_ms=int(newest * 1000) + 1))
