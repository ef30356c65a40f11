"""Leases on tasks: one worker at a time, and a killed worker's task comes free by itself (S-005).

A lease is ``ext.lease`` of the task: its owner and, in ms since 1970, when it runs out. Where leases were taken away
from cancelled runs, ``ext.revoked_ms`` says which runs may not take them again: those created until then (DG11).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, or_, select, true, update

from resources.databases.supply_store.rows import chunks, select_in
from resources.databases.supply_store.states import FINAL
from resources.databases.supply_store.tables import supply_task as t
from resources.databases.supply_store.task_index import task_index as x
from resources.databases.supply_store.tasks.ext import (
    FREE_LEASE,
    LEASE,
    REVOKED_MS,
    lease_owner,
    lease_until,
    revoked_ms,
    set_ext_of_each,
    with_key,
)
from resources.databases.supply_store.tasks.index_rows import note
from resources.databases.supply_store.tasks.tasks import TaskRow, lock_task, lock_tasks
from resources.foundation.clock import epoch_ms
from resources.foundation.errors import LeaseLost


def acquire(
    connection: Connection, task_id: str, owner: str, *, now: datetime, ttl_s: float, since_ms: int | None = None
) -> bool:
    """Take the lease where it is free, has run out, or is the owner's already; whether the owner has it now.

    ``since_ms`` is when the run that asks was created; a task that was revoked then or later is not its to take.
    """
    free = or_(lease_owner() == owner, lease_until() <= epoch_ms(now), lease_until().is_(None))
    granted = true() if since_ms is None else or_(revoked_ms().is_(None), revoked_ms() < since_ms)
    lease = _lease(owner, now, ttl_s)
    statement = update(t).where(t.c.task_id == task_id, free, granted).values(ext=with_key(connection, LEASE, lease))
    if connection.execute(statement).rowcount != 1:
        return False
    note(connection, [task_id], LEASE, lease)
    return True


def renew(connection: Connection, task_ids: Iterable[str], owner: str, *, now: datetime, ttl_s: float) -> set[str]:
    """Prolong the leases that are still the owner's, and say which those are."""
    kept: set[str] = set()
    lease = _lease(owner, now, ttl_s)
    for some in chunks(task_ids):
        mine = (t.c.task_id.in_(some), lease_owner() == owner)
        renewed = connection.execute(update(t).where(*mine).values(ext=with_key(connection, LEASE, lease))).rowcount
        kept.update(some if renewed == len(some) else connection.execute(select(t.c.task_id).where(*mine)).scalars())
    note(connection, kept, LEASE, lease)
    return kept


def release(connection: Connection, task_id: str, owner: str) -> None:
    """Give the lease back where it is still the owner's."""
    free = with_key(connection, LEASE, FREE_LEASE)
    released = connection.execute(update(t).where(t.c.task_id == task_id, lease_owner() == owner).values(ext=free))
    if released.rowcount == 1:
        note(connection, [task_id], LEASE, FREE_LEASE)


def require_lease(connection: Connection, task_id: str, owner: str) -> TaskRow:
    """The task, locked, while the lease is the owner's.

    Raises:
        LeaseLost: it is not any more.
    """
    task = lock_task(connection, task_id)
    if (task.ext.get(LEASE) or FREE_LEASE)["owner"] != owner:
        raise LeaseLost(f"the lease of task {task_id} is not {owner}'s any more", "another worker goes on with it")
    return task


def take_away(connection: Connection, task_ids: Iterable[str]) -> None:
    """Free the leases of the tasks, whoever holds them: a worker in the middle of a stage cannot end it any more."""
    for some in chunks(task_ids):
        free = with_key(connection, LEASE, FREE_LEASE)
        connection.execute(update(t).where(t.c.task_id.in_(some)).values(ext=free))
        note(connection, some, LEASE, FREE_LEASE)


def revoke(connection: Connection, created_ms: Mapping[str, int]) -> int:
    """Take away the leases of all unfinished tasks of the batches; how many tasks that were.

    A run of a batch that was created until the batch's ``created_ms`` (ms since 1970) loses its tasks at its next write
    and does not get them back; a later one goes on with them.
    """
    unfinished = t.c.status.not_in([str(status) for status in FINAL])
    statement = select(x.c.task_id, x.c.batch).join(t, t.c.id == x.c.task_row_id).where(unfinished)
    found = select_in(connection, statement, x.c.batch, created_ms)
    until = {task_id: created_ms[batch] for task_id, batch in found}
    lock_tasks(connection, until)
    # A task that was revoked later than that already stays so.
    before = select_in(connection, select(x.c.task_id, x.c.revoked_ms), x.c.task_id, until)
    held = [task_id for task_id, revoked in before if revoked is None or revoked < until[task_id]]
    take_away(connection, held)
    set_ext_of_each(connection, REVOKED_MS, {task_id: until[task_id] for task_id in held})
    return len(until)


def _lease(owner: str, now: datetime, ttl_s: float) -> dict[str, Any]:
    return {"owner": owner, "until_ms": epoch_ms(now) + int(ttl_s * 1000)}
