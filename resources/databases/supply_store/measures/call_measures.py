"""What the calls of the platform came to lately, out of their events: outcomes, repeats, durations, breakers.

Events have no index on their time; their ids follow it, so at most the latest hundred thousand are looked at.
"""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from sqlalchemy import ColumnElement, Connection, and_, case, func, select

from resources.databases.supply_store.measures.event_payloads import (
    ENDED_CALLS,
    FAILED_CALL,
    at_rank,
    payload_number,
    payload_text,
)
from resources.databases.supply_store.tables import supply_task_event as e

LATEST = 100_000
RETRY, BREAKER = "RETRY", "BREAKER"
PERCENTILES = (50, 95, 99)


class Calls(NamedTuple):
    """Calls of a tool that a provider answered alike; ``outcome`` is found, absent or unknown (S-013a)."""

    tool: str
    provider: str
    outcome: str
    error_code: str
    number: int


class Repeats(NamedTuple):
    """Attempts that were made again, or handed to the next provider."""

    tool: str
    provider: str
    error_code: str
    number: int


class Durations(NamedTuple):
    """Seconds that the calls of a tool took, by :data:`PERCENTILES`, pauses and repeats included."""

    tool: str
    seconds: tuple[float, ...]
    number: int


class BreakerNow(NamedTuple):
    """The last that was said of the breaker of a provider."""

    tool: str
    provider: str
    is_open: bool


def calls_since(connection: Connection, since: datetime) -> list[Calls]:
    """Ended calls by tool, provider and outcome."""
    code = _said("error_code")
    outcome = case((e.c.event_type == FAILED_CALL, "unknown"), (code != "", "absent"), else_="found")
    alike = (e.c.tool_name, _said("provider"), outcome, code)
    statement = select(*alike, func.count()).where(_lately(since, *ENDED_CALLS)).group_by(*alike)
    return [Calls(*row) for row in connection.execute(statement)]


def repeats_since(connection: Connection, since: datetime) -> list[Repeats]:
    """Repeats by tool, provider and what was wrong."""
    alike = (e.c.tool_name, _said("provider"), _said("error_code"))
    statement = select(*alike, func.count()).where(_lately(since, RETRY)).group_by(*alike)
    return [Repeats(*row) for row in connection.execute(statement)]


def durations_since(connection: Connection, since: datetime) -> list[Durations]:
    """Nearest-rank quantiles of the calls' durations by tool."""
    duration = payload_number("duration_ms")
    ranked = (
        select(
            e.c.tool_name.label("tool"),
            duration.label("ms"),
            func.row_number().over(partition_by=e.c.tool_name, order_by=duration).label("place"),
            func.count().over(partition_by=e.c.tool_name).label("number"),
        )
        .where(_lately(since, *ENDED_CALLS), duration.is_not(None))
        .subquery()
    )
    c = ranked.c
    reached = [at_rank(c.place, c.number, c.ms, percent) for percent in PERCENTILES]
    statement = select(c.tool, func.max(c.number), *reached).group_by(c.tool)
    return [Durations(row[0], tuple(ms / 1000 for ms in row[2:]), row[1]) for row in connection.execute(statement)]


def breakers_since(connection: Connection, since: datetime) -> list[BreakerNow]:
    """The state of each breaker that opened or closed; of several workers the last one to say so counts."""
    provider = _said("provider")
    place = func.row_number().over(partition_by=(e.c.tool_name, provider), order_by=e.c.id.desc())
    latest = (
        select(e.c.tool_name.label("tool"), provider.label("provider"), _said("state").label("state"), place.label("n"))
        .where(_lately(since, BREAKER))
        .subquery()
    )
    statement = select(latest.c.tool, latest.c.provider, latest.c.state).where(latest.c.n == 1)
    return [BreakerNow(row[0], row[1], row[2] == "open") for row in connection.execute(statement)]


def _said(name: str) -> ColumnElement[str]:
    return func.coalesce(payload_text(name), "")


def _lately(since: datetime, *kinds: str) -> ColumnElement[bool]:
    first = select(func.coalesce(func.max(e.c.id), 0) - LATEST).scalar_subquery()
    return and_(e.c.id > first, e.c.created_at >= since, e.c.event_type.in_(kinds), e.c.tool_name.is_not(None))
