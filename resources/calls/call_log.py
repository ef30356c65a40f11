"""The events and log lines of one call, under one request id (S-012)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import structlog
from pydantic import BaseModel

from resources.calls.breaker import BreakerState
from resources.calls.events import CallScope, EventSink, EventType, Level, ToolEvent, bounded
from resources.calls.outcomes.answers import Absent, Answer, Found, Unknown
from resources.calls.outcomes.verdicts import Verdict
from resources.foundation.clock import Clock
from resources.links.secrets import without_secrets

_LOG = structlog.get_logger("tool_gateway")


class CallLog:
    """Writes a call's events; the log gets each of them as a line with the same ``request_id``."""

    def __init__(
        self,
        events: EventSink,
        clock: Clock,
        monotonic: Callable[[], float],
        scope: CallScope,
        tool: str,
        request_id: str,
    ) -> None:
        self._events = events
        self._clock = clock
        self._monotonic = monotonic
        self._scope = scope
        self._tool = tool
        self._started = monotonic()
        self._is_first_part = True
        self.request_id = request_id

    def started(self, request: BaseModel) -> None:
        """TOOL_CALL with what is asked for; the duration counts from here."""
        self._started = self._monotonic()
        asked = {
            name: without_secrets(value) if name == "url" else value for name, value in request.model_dump().items()
        }
        self._is_first_part = asked.get("page", 1) == 1 and asked.get("cursor", 0) == 0
        self.record(EventType.TOOL_CALL, Level.INFO, "asked", asked)

    def retried(self, provider: str, verdict: Verdict, attempt: int, pause: float) -> None:
        """RETRY: the same provider is asked again after a pause."""
        summary = {"provider": provider, "error_code": verdict.code, "attempt": attempt, "pause_s": round(pause, 3)}
        self.record(EventType.RETRY, Level.WARN, verdict.message, summary)

    def handed_on(self, answer: Unknown) -> None:
        """RETRY: the next provider is asked."""
        summary = {"provider": answer.provider, "error_code": answer.code, "next_provider": True}
        self.record(EventType.RETRY, Level.WARN, f"next provider: {answer.message}", summary)

    def breaker_changed(self, provider: str, state: BreakerState) -> None:
        """BREAKER: by this call the provider is left alone for a while, or asked again."""
        level = Level.WARN if state is BreakerState.OPEN else Level.INFO
        summary = {"provider": provider, "tool": self._tool, "state": state}
        self.record(EventType.BREAKER, level, f"the breaker of {provider} is {state}", summary)

    def ended(self, answer: Answer[Any], attempts: int) -> None:
        """TOOL_RESULT for found and absent, ERROR for unknown."""
        summary: dict[str, Any] = {"provider": answer.provider, "attempts": attempts}
        if isinstance(answer, Found):
            found = answer.value.summary()
            is_bare = found.get("items") == 0 and self._is_first_part
            level, message = (Level.WARN, "success, 0 rows") if is_bare else (Level.INFO, "found")
            self.record(EventType.TOOL_RESULT, level, message, {**summary, **found})
            return
        summary["error_code"] = answer.code
        if isinstance(answer, Absent):
            self.record(EventType.TOOL_RESULT, Level.INFO, answer.message, {**summary, "absent": True})
        else:
            self.record(EventType.ERROR, Level.ERROR, answer.message, {**summary, "retryable": answer.retryable})

    def record(self, event_type: EventType, level: Level, message: str, summary: dict[str, Any]) -> None:
        """One event and its log line; ``duration_ms`` since the start is added to all but TOOL_CALL."""
        if event_type is not EventType.TOOL_CALL:
            summary = {"duration_ms": round((self._monotonic() - self._started) * 1000), **summary}
        payload = bounded(summary)
        self._events.record(
            ToolEvent(
                self._scope,
                event_type,
                level,
                self._tool,
                self.request_id,
                message[:300],
                self._clock.now(),
                payload,
            )
        )
        write = _LOG.debug if level is Level.INFO else _LOG.warning if level is Level.WARN else _LOG.error
        named = {"request_id": self.request_id, "task_id": self._scope.task_id, "stage": self._scope.stage}
        write(event_type.lower(), **{**payload, **named, "tool": self._tool, "message": message[:300]})
