"""Events of a worker's calls on their way into ``supply_task_event``: kept per task, written with the stage's end.

What a stage has not written yet is flushed by the worker's heartbeat, so a kill loses seconds of events, never rows.
"""

from __future__ import annotations

import threading
from collections import defaultdict

from resources.calls.events import ToolEvent
from resources.databases.supply_store.events import NewEvent


class EventBuffer:
    """The event sink of one worker; recorded on the event loop, taken by whoever writes."""

    def __init__(self) -> None:
        self._pending: dict[str, list[NewEvent]] = defaultdict(list)
        self._lock = threading.Lock()

    def record(self, event: ToolEvent) -> None:
        """Keep one event of a call."""
        self.add(
            NewEvent(
                task_id=event.scope.task_id,
                stage_name=event.scope.stage,
                event_type=str(event.event_type),
                event_level=str(event.level),
                tool_name=event.tool,
                request_id=event.request_id,
                event_payload=event.payload,
                message=event.message,
                created_at=event.at,
            )
        )

    def add(self, *events: NewEvent) -> None:
        """Keep events that were not written yet."""
        with self._lock:
            for event in events:
                self._pending[event.task_id].append(event)

    def take(self, task_id: str) -> list[NewEvent]:
        """All events of a task that were not taken yet; the caller writes them."""
        with self._lock:
            return self._pending.pop(task_id, [])

    def take_all(self) -> list[NewEvent]:
        """All events that were not taken yet, by task in their order."""
        with self._lock:
            taken = [event for events in self._pending.values() for event in events]
            self._pending.clear()
        return taken
