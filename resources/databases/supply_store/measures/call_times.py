"""How long the calls of a batch took, from its TOOL_RESULT and ERROR events; ranked in the database, memory flat."""

from __future__ import annotations

from typing import Any, NamedTuple

from sqlalchemy import Connection, Select, case, func, select

from resources.databases.supply_store.measures.event_payloads import (
    ENDED_CALLS,
    FAILED_CALL,
    at_rank,
    payload_number,
    payload_text,
)
from resources.databases.supply_store.tables import supply_task_event as e
from resources.databases.supply_store.tasks.tasks import task_ids_of_batch


class ToolTimes(NamedTuple):
    """Calls of one tool that ended, how many failed, and how long they took in ms; percentiles by nearest rank."""

    tool: str
    calls: int
    errors: int
    median_ms: int
    p95_ms: int
    slowest_ms: int


class SlowCall(NamedTuple):
    """One call; ``outcome`` is the event's message in short, ``provider`` is not known of every tool."""

    duration_ms: int
    tool: str
    provider: str | None
    request_id: str | None
    task_id: str
    failed: bool
    outcome: str | None


def tool_times(connection: Connection, batch: str) -> list[ToolTimes]:
    """One row a tool, by name; one statement, whatever the number of calls."""
    calls = _calls_of(batch).subquery()
    tool = calls.c.tool_name
    ranked = select(
        calls.c.tool_name,
        calls.c.event_type,
        calls.c.duration_ms,
        func.row_number().over(partition_by=tool, order_by=(calls.c.duration_ms, calls.c.id)).label("place"),
        func.count().over(partition_by=tool).label("of"),
    ).subquery()
    ranks = {percent: at_rank(ranked.c.place, ranked.c.of, ranked.c.duration_ms, percent) for percent in (50, 95)}
    statement = (
        select(
            ranked.c.tool_name,
            func.count(),
            func.sum(case((ranked.c.event_type == FAILED_CALL, 1), else_=0)),
            ranks[50],
            ranks[95],
            func.max(ranked.c.duration_ms),
        )
        .group_by(ranked.c.tool_name)
        .order_by(ranked.c.tool_name)
    )
    return [ToolTimes(row[0], *(int(value) for value in row[1:])) for row in connection.execute(statement)]


def slowest_calls(connection: Connection, batch: str, limit: int) -> list[SlowCall]:
    """At most ``limit`` calls, the slowest first; calls of the same duration in the order of their events."""
    calls = _calls_of(batch).order_by(payload_number("duration_ms").desc(), e.c.id).limit(limit)
    return [
        SlowCall(
            duration_ms=int(row.duration_ms),
            tool=row.tool_name,
            provider=row.provider,
            request_id=row.request_id,
            task_id=row.task_id,
            failed=row.event_type == FAILED_CALL,
            outcome=row.message,
        )
        for row in connection.execute(calls)
    ]


def _calls_of(batch: str) -> Select[Any]:
    return select(
        e.c.id, e.c.task_id, e.c.event_type, e.c.tool_name, e.c.request_id, e.c.message,
        payload_number("duration_ms").label("duration_ms"), payload_text("provider").label("provider"),
    ).where(
        e.c.task_id.in_(task_ids_of_batch(batch)),
        e.c.event_type.in_(ENDED_CALLS),
        e.c.tool_name.is_not(None),
        payload_number("duration_ms").is_not(None),
    )  # fmt: skip
