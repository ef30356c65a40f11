"""``supply_task_event``: what happened to a task, in bounded rows that never fail for what they say (S-012)."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, insert, select

from resources.databases.supply_store.column_types import JsonFieldRefused, json_text
from resources.databases.supply_store.rows import columns_of
from resources.databases.supply_store.tables import supply_task_event as e

LONGEST_MESSAGE = 1_000
PAYLOAD_BYTES = 4_096
PAYLOAD_START = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class NewEvent:
    """One event; ``created_at`` is when it happened."""

    task_id: str
    event_type: str
    created_at: datetime
    stage_name: str | None = None
    event_level: str = "INFO"
    tool_name: str | None = None
    request_id: str | None = None
    event_payload: Any = None
    message: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EventRow(NewEvent):
    """An event that stands."""

    id: int


def insert_events(connection: Connection, rows: Sequence[NewEvent]) -> None:
    """Write events by one statement; a message is cut to 1,000 characters, a payload bounded to 4 KB of JSON."""
    if rows:
        connection.execute(insert(e), [_bounded(row) for row in rows])


def read_events(connection: Connection, task_id: str, limit: int, event_types: Collection[str] = ()) -> list[EventRow]:
    """The latest ``limit`` events of a task, the oldest of them first; where types are named, of these alone."""
    statement = select(e).where(e.c.task_id == task_id).order_by(e.c.id.desc()).limit(limit)
    if event_types:
        statement = statement.where(e.c.event_type.in_(sorted(event_types)))
    return [EventRow(**row) for row in connection.execute(statement).mappings()][::-1]


def _bounded(row: NewEvent) -> dict[str, Any]:
    message = row.message
    if message is not None:
        message = message[:LONGEST_MESSAGE].encode("utf-8", "replace").decode()
    return columns_of(row) | {"message": message, "event_payload": _bounded_payload(row.event_payload)}


def _bounded_payload(payload: Any) -> Any:
    if payload is None:
        return None
    try:
        text = json_text("event_payload", payload)
    except JsonFieldRefused as error:
        return {"not_stored": error.message[:PAYLOAD_START].encode("utf-8", "replace").decode()}
    size = len(text.encode())
    if size <= PAYLOAD_BYTES:
        return payload
    return {"cut": True, "bytes": size, "start": text[:PAYLOAD_START]}
