"""What every client of a service does alike around its calls (S-010): open and close, bound, pause, log.

Belongs here: the connection pool, the places in it, the reading process, the sources of time and ids, the pause
before a next attempt.
Does not belong here: which requests a client sends, what an answer means, whether an outcome is worth another attempt.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self, TypeVar

import httpx2

from resources.calls.call_log import CallLog
from resources.calls.events import CallScope, EventSink
from resources.calls.foreign_text.reading_process import ReadingProcess
from resources.calls.outcomes.verdicts import Verdict
from resources.calls.pauses import pause_s
from resources.calls.policy import CallPolicy
from resources.calls.transport import open_client
from resources.foundation.clock import Clock, IdSource

Result = TypeVar("Result")


@dataclass(frozen=True)
class CallTerms:
    """What a client's calls are made with.

    ``sleep`` and ``monotonic`` (seconds) are the pauses' own clock; ``clock`` tells the time for breakers, days and
    events.
    """

    policy: CallPolicy
    events: EventSink
    ids: IdSource
    clock: Clock
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    monotonic: Callable[[], float] = time.monotonic


class CallFrame:
    """Async context manager of one connection pool and one reading process; ``name`` is what errors call its client."""

    def __init__(self, terms: CallTerms, name: str) -> None:
        self.terms = terms
        self.policy = terms.policy
        self.slots = asyncio.Semaphore(terms.policy.concurrency)
        self._name = name
        self._draw = random.Random()
        self._stack = AsyncExitStack()
        self._reading = ReadingProcess()
        self._client: httpx2.AsyncClient | None = None

    async def __aenter__(self) -> Self:
        self._client = await self._stack.enter_async_context(open_client(self.policy.concurrency))
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._client = None
        await self._reading.close()
        await self._stack.aclose()

    @property
    def client(self) -> httpx2.AsyncClient:
        """The open connection pool.

        Raises:
            RuntimeError: it is not open.
        """
        if self._client is None:
            raise RuntimeError(f"{self._name} is used outside its `async with`")
        return self._client

    async def read(self, is_small: bool, function: Callable[..., Result], *arguments: Any) -> Result:
        """What a function of a module makes of an answer: at once where that is surely cheap, else beside the loop.

        Raises:
            Unreadable: it took too long, or broke off.
        """
        return function(*arguments) if is_small else await self._reading.call(function, *arguments)

    def log(self, scope: CallScope, tool: str) -> CallLog:
        """The events of a new call, under a request id of its own."""
        terms = self.terms
        return CallLog(terms.events, terms.clock, terms.monotonic, scope, tool, terms.ids.new())

    def deadline(self) -> float:
        """When a call that begins now has to end, on the monotonic clock."""
        return self.terms.monotonic() + self.policy.deadline_s

    def left_s(self, ends_at: float) -> float:
        """Seconds until a deadline; negative after it."""
        return ends_at - self.terms.monotonic()

    def pause_before_next(self, verdict: Verdict, failures: int, ends_at: float) -> float | None:
        """Seconds before another attempt after ``failures`` failed ones; ``None`` when there is to be none.

        There is none where the attempts are used up, where the provider asks for more than the cap, or where the
        pause would not end before the deadline.
        """
        policy, wish = self.policy, verdict.retry_after_s
        if failures >= policy.attempts or (wish is not None and wish > policy.retry_after_cap_s):
            return None
        pause = pause_s(failures, wish, policy.backoff_s, self._draw)
        return pause if pause < self.left_s(ends_at) else None
