"""Out of the payloads of events: a payload that is no JSON, or was cut, says nothing and hides no other event."""

from __future__ import annotations

from typing import Any

from sqlalchemy import ColumnElement, case, func

from resources.databases.supply_store.tables import supply_task_event as e

FAILED_CALL = "ERROR"
ENDED_CALLS = ("TOOL_RESULT", FAILED_CALL)


def payload_number(name: str) -> ColumnElement[int]:
    """A whole number; ``NULL`` where there is none."""
    return case((_is_json(), e.c.event_payload[name].as_integer()))


def payload_text(name: str) -> ColumnElement[str]:
    """A text; ``NULL`` where there is none."""
    return case((_is_json(), e.c.event_payload[name].as_string()))


def at_rank(place: ColumnElement[int], count: ColumnElement[int], value: ColumnElement[Any], percent: int) -> Any:
    """In a group: the smallest value that at least ``percent`` of its ``count`` values do not exceed (nearest rank)."""
    return func.max(case((place == (count * percent + 99) // 100, value)))


def _is_json() -> ColumnElement[bool]:
    valid: ColumnElement[bool] = func.json_valid(e.c.event_payload) == 1
    return valid
