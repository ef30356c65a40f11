"""Whether a worker still has a run: what the queue last heard is not enough, the worker itself is asked."""

from __future__ import annotations

from enum import Enum
from typing import Any

from celery import Celery

ANSWER_S = 2.0
SILENT_LOOKS = 3
WORKING = "STARTED"
WAITING = frozenset({"PENDING", "RECEIVED"})


class Liveness(Enum):
    """How a run's task stands."""

    ALIVE = "alive"
    ENDED = "ended"
    GONE = "gone"


class RunLiveness:
    """Looks of one process at its runs' tasks; a task is gone after three looks in a row that found nobody with it."""

    def __init__(self, app: Celery) -> None:
        self._app = app
        self._missed: dict[str, int] = {}

    def has_begun(self, task_id: str) -> bool:
        """Whether a worker has ever begun the task."""
        return self._app.AsyncResult(task_id).state not in WAITING

    def of(self, task_id: str) -> Liveness:
        """How the task stands now; asks its worker, for two seconds at most.

        The task of a run that Dagster calls started was begun, so one that the queue knows nothing of is missed too.
        """
        result = self._app.AsyncResult(task_id)
        state = result.state
        if state not in WAITING and state != WORKING:
            # A task that is over whose run is still called started: its process died before it could say so.
            return self._after(task_id, Liveness.ENDED)
        if state == WORKING and self._is_on(task_id, result.info):
            self._missed.pop(task_id, None)
            return Liveness.ALIVE
        return self._after(task_id, Liveness.ALIVE)

    def _after(self, task_id: str, otherwise: Liveness) -> Liveness:
        missed = self._missed.get(task_id, 0) + 1
        if missed < SILENT_LOOKS:
            self._missed[task_id] = missed
            return otherwise
        self._missed.pop(task_id, None)
        return Liveness.GONE

    def _is_on(self, task_id: str, info: Any) -> bool:
        worker = info.get("hostname") if isinstance(info, dict) else None
        if worker is None:
            return False
        answers = self._app.control.inspect(destination=[worker], timeout=ANSWER_S).active() or {}
        return any(task["id"] == task_id for task in answers.get(worker) or [])
