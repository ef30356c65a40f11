"""What a call tells the task's event log: bounded summaries, never a body, a token or a link's secret (S-012).

Belongs here: the event record, its size limit, and the sink that a caller supplies. Writing rows is the caller's.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, Protocol

from resources.foundation import strict_json

PAYLOAD_BYTES = 2048
TEXT_LIMIT = 300


class EventType(StrEnum):
    """The four events of a call, and the one of a breaker that a call opened or closed."""

    TOOL_CALL = "TOOL_CALL"
    TOOL_RESULT = "TOOL_RESULT"
    RETRY = "RETRY"
    ERROR = "ERROR"
    BREAKER = "BREAKER"


class Level(StrEnum):
    """How much an event should worry a reader."""

    INFO = "INFO"
    WARN = "WARN"
    ERROR = "ERROR"


@dataclass(frozen=True)
class CallScope:
    """Whose call it is: the task and the stage that its events are filed under."""

    task_id: str
    stage: str


@dataclass(frozen=True)
class ToolEvent:
    """One event; ``request_id`` is the call's, shared with the log line and the ``X-Request-Id`` header."""

    scope: CallScope
    event_type: EventType
    level: Level
    tool: str
    request_id: str
    message: str
    at: datetime
    payload: dict[str, Any] = field(default_factory=dict)


class EventSink(Protocol):
    """Takes events as they happen; called from the event loop, so it must be cheap and must not block."""

    def record(self, event: ToolEvent) -> None: ...


def bounded(summary: Mapping[str, Any]) -> dict[str, Any]:
    """A summary of at most 2 KB of JSON: long texts are cut, then entries are dropped from the end (S-012)."""
    kept = {name: _cut(value) for name, value in summary.items() if value is not None}
    if sum(len(str(value)) for value in kept.values()) * 6 + len(kept) * 50 <= PAYLOAD_BYTES:
        return kept
    while kept and len(strict_json.dumps(kept).encode()) > PAYLOAD_BYTES:
        kept.popitem()
    return kept


def _cut(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    sendable = value.encode("utf-8", "replace").decode()
    return sendable if len(sendable) <= TEXT_LIMIT else sendable[: TEXT_LIMIT - 1] + "…"
