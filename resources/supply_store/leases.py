"""Leases on tasks: one worker at a time, and a killed worker's task comes free by itself (S-005).

A lease is ``ext.lease`` of the task: its owner and, in ms since 1970, when it runs out.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, or_, select, update

from resources.clock import epoch_ms
from resources.supply_store.ext import FREE_LEASE, LEASE, lease_owner, lease_until, with_key
from resources.supply_store.rows import chunks
from resources.supply_store.states import STARTED
from resources.supply_store.tables import supply_task as t
from resources.supply_store.tasks import TaskRow, task_row


def acquire(connection: Connection, task_id: str, owner: str, *, now: datetime, ttl_s: float) -> bool:
    """Take the lease where it is free, has run out, or is the owner's already; whether the owner has it now."""
    free = or_(lease_owner() == owner, lease_until() <= epoch_ms(now), lease_until().is_(None))
    lease = with_key(connection, LEASE, _lease(owner, now, ttl_s))
    statement = update(t).where(t.c.task_id == task_id, free).values(ext=lease)
    return connection.execute(statement).rowcount == 1


def renew(connection: Connection, task_ids: Iterable[str], owner: str, *, now: datetime, ttl_s: float) -> set[str]:
    """Prolong the leases that are still the owner's, and say which those are."""
    kept: set[str] = set()
    lease = with_key(connection, LEASE, _lease(owner, now, ttl_s))
    for some in chunks(task_ids):
        mine = (t.c.task_id.in_(some), lease_owner() == owner)
        connection.execute(update(t).where(*mine).values(ext=lease))
        kept.update(connection.execute(select(t.c.task_id).where(*mine)).scalars())
    return kept


def release(connection: Connection, task_id: str, owner: str) -> None:
    """Give the lease back where it is still the owner's."""
    free = with_key(connection, LEASE, FREE_LEASE)
    connection.execute(update(t).where(t.c.task_id == task_id, lease_owner() == owner).values(ext=free))


def expired_running(connection: Connection, now: datetime, limit: int) -> list[TaskRow]:
    """At most ``limit`` tasks that were started, have not ended, and that no worker holds any more."""
    statement = (
        select(t)
        .where(t.c.status.in_([str(status) for status in STARTED]))
        .where(or_(lease_until() <= epoch_ms(now), lease_until().is_(None)))
        .order_by(t.c.priority, t.c.id)
        .limit(limit)
    )
    return [task_row(row) for row in connection.execute(statement).mappings()]


def _lease(owner: str, now: datetime, ttl_s: float) -> dict[str, Any]:
    return {"owner": owner, "until_ms": epoch_ms(now) + int(ttl_s * 1000)}
