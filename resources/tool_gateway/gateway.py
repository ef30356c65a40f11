"""The one way to the four tools: an ordered list of providers each, behind one contract (S-010 … S-013a).

Whatever a provider does, a call ends in found, absent or unknown. It is bounded in time, repeated only where that
can help, handed to the next provider where this one could not say, and told to the event sink under one request id.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import structlog
from aiolimiter import AsyncLimiter
from pydantic import BaseModel

from resources.calls.breaker import Breaker, Outcome
from resources.calls.budget import Budget
from resources.calls.call_log import CallLog
from resources.calls.events import CallScope
from resources.calls.foreign_text.json_bounds import is_small_json
from resources.calls.foreign_text.page_bounds import is_small_page
from resources.calls.foreign_text.unreadable import Unreadable
from resources.calls.frame import CallFrame, CallTerms
from resources.calls.outcomes.answers import Absent, Answer, Code, Found, Tool, Unknown
from resources.calls.outcomes.verdicts import ABSENCE, OUTAGES, REFUSALS, TRIED_AGAIN, Reading, Verdict, unreadable
from resources.calls.policy import CallPolicy
from resources.calls.provider import Provider, read_reply
from resources.calls.transport import Outgoing, Reply
from resources.foundation.clock import Clock
from resources.tool_gateway.results.empty_pages import SeenHits
from resources.tool_gateway.results.models import (
    AccountInfo,
    AccountRequest,
    ArticleDetail,
    ArticleDetailRequest,
    ArticleList,
    ArticleListRequest,
    SearchPage,
    SearchRequest,
)

_LOG = structlog.get_logger(__name__)
Value = TypeVar("Value", bound=BaseModel)
Providers = Mapping[Tool, Sequence[Provider[Any, Any]]]

QUEUE_FACTOR = 4
"""Calls of one tool under way, as a multiple of the concurrency: those that pause leave their place to others."""


ROWS_BYTES = 2 * 1024 * 1024
"""Answers without a page are rows that are kept as they came; a store takes no more in one statement."""


@dataclass(frozen=True)
class ProbeResult:
    """Whether a provider is there: ``code`` is ``None`` when it is."""

    tool: Tool
    provider: str
    code: Code | None
    message: str
    duration_ms: int


class _Line:
    """A provider with its breaker, budget and rate."""

    def __init__(self, provider: Provider[Any, Any], policy: CallPolicy, clock: Clock) -> None:
        self.provider = provider
        self.breaker = Breaker(policy.breaker_threshold, policy.breaker_cooldown_s, clock)
        self.budget = Budget(provider.limits, clock)
        rate = provider.limits.per_second
        self.limiter = None if rate is None else AsyncLimiter(1, 1 / rate)


@dataclass
class _Call(Generic[Value]):
    """One call under way; ``attempts`` over all providers, ``ends_at`` on the monotonic clock."""

    tool: Tool
    request: BaseModel
    log: CallLog
    ends_at: float = 0.0
    attempts: int = 0


class ToolGateway(CallFrame):
    """Async context manager of the four tools; one breaker, budget and rate a provider."""

    def __init__(self, providers: Providers, terms: CallTerms) -> None:
        super().__init__(terms, "the gateway")
        policy, clock = terms.policy, terms.clock
        self._lines = {tool: [_Line(one, policy, clock) for one in providers.get(tool, ())] for tool in Tool}
        self._hits = SeenHits()
        self._queues = {tool: asyncio.Semaphore(policy.concurrency * QUEUE_FACTOR) for tool in Tool}

    async def search(self, scope: CallScope, request: SearchRequest) -> Answer[SearchPage]:
        """One page of a search. Success without a row on page 1 is found, with a WARN event (S-013a)."""
        return await self._ask(Tool.SEARCH, scope, request)

    async def account(self, scope: CallScope, request: AccountRequest) -> Answer[AccountInfo]:
        """An account by whatever is known of it."""
        return await self._ask(Tool.ACCOUNT, scope, request)

    async def article_list(self, scope: CallScope, request: ArticleListRequest) -> Answer[ArticleList]:
        """A part of an account's history, the latest first."""
        return await self._ask(Tool.ARTICLE_LIST, scope, request)

    async def article_detail(self, scope: CallScope, request: ArticleDetailRequest) -> Answer[ArticleDetail]:
        """An article read out of its page; a notice in its place is absent or unknown, never a body."""
        return await self._ask(Tool.ARTICLE_DETAIL, scope, request)

    async def probe(self) -> list[ProbeResult]:
        """Ask every provider once whether it is there; no retries, no events, breakers and budgets untouched."""
        lines = [line for tool in Tool for line in self._lines[tool]]
        return list(await asyncio.gather(*(self._probe(line.provider) for line in lines)))

    async def _probe(self, provider: Provider[Any, Any]) -> ProbeResult:
        terms, started = self.terms, self.terms.monotonic()
        async with self.slots:
            reply = await provider.ask(self.client, provider.dialect.probe, terms.ids.new(), self.policy.timeout_s)
        refused = reply if isinstance(reply, Verdict) else reply.failure(terms.clock.now())
        taken = round((terms.monotonic() - started) * 1000)
        code, message = (refused.code, refused.message) if refused else (None, "")
        return ProbeResult(provider.tool, provider.name, code, message, taken)

    async def _ask(self, tool: Tool, scope: CallScope, request: BaseModel) -> Answer[Any]:
        log = self.log(scope, tool.value)
        async with self._queues[tool]:
            call: _Call[Any] = _Call(tool, request, log, self.deadline())
            log.started(request)
            answer = await self._from_any(call)
            log.ended(answer, call.attempts)
        return answer

    async def _from_any(self, call: _Call[Value]) -> Answer[Value]:
        """The first answer that is not unknown; else the unknown one that is worth most."""
        answers: list[Unknown] = []
        lines = self._lines[call.tool]
        for line in lines:
            outgoing = line.provider.dialect.build(call.request)
            if outgoing is None or (answers and self.left_s(call.ends_at) <= 0):
                continue
            answer: Answer[Value] = await self._from_one(line, outgoing, call)
            if not isinstance(answer, Unknown):
                return answer
            answers.append(answer)
            if line is not lines[-1]:
                call.log.handed_on(answer)
        if answers:
            return max(reversed(answers), key=_worth)
        if lines:
            return self._unknown(call, Verdict(Code.BAD_ARGUMENT, "no provider can be asked by what was given"), None)
        return self._unknown(call, Verdict(Code.NO_PROVIDER, f"no provider is configured for {call.tool}"), None)

    async def _from_one(self, line: _Line, outgoing: Outgoing, call: _Call[Value]) -> Answer[Value]:
        """Ask one provider, again after a pause where that can help (S-010)."""
        name = line.provider.name
        failures = 0
        last: Verdict | None = None
        while True:
            reading = await self._attempt(line, outgoing, call)
            if reading is None:
                return self._unknown(call, last or self._closed(line), name)
            outcome = reading.outcome
            if not isinstance(outcome, Verdict):
                return Found(outcome, name, call.log.request_id, reading.raw)
            if outcome.code in ABSENCE:
                return Absent(outcome.code, outcome.message, name, call.log.request_id, reading.raw)
            last = outcome
            failures += 1
            may_pass = outcome.code in TRIED_AGAIN
            pause = self.pause_before_next(outcome, failures, call.ends_at) if may_pass else None
            if pause is None:
                return self._unknown(call, outcome, name, reading.raw)
            call.log.retried(name, outcome, call.attempts, pause)
            await self.terms.sleep(pause)

    async def _attempt(self, line: _Line, outgoing: Outgoing, call: _Call[Value]) -> Reading[Value] | None:
        """One exchange; ``None`` when the breaker or the budget lets none through."""
        permit = line.breaker.enter()
        if permit is None:
            return None
        health = Outcome.NOTHING
        try:
            if not line.budget.take():
                return None
            reading: Reading[Value] = self._hits.believed(await self._in_turn(line, outgoing, call), call.request)
            health = _health(reading)
            return reading
        finally:
            changed_to = line.breaker.leave(permit, health)
            if changed_to is not None:
                call.log.breaker_changed(line.provider.name, changed_to)

    async def _in_turn(self, line: _Line, outgoing: Outgoing, call: _Call[Value]) -> Reading[Value]:
        """Wait for the provider's rate and a free place, both within the deadline, then exchange."""
        try:
            async with asyncio.timeout(max(self.left_s(call.ends_at), 0)):
                if line.limiter is not None:
                    await line.limiter.acquire()
                await self.slots.acquire()
        except TimeoutError:
            return Reading(Verdict(Code.RATE_LIMITED, "no turn before the call's deadline"))
        try:
            call.attempts += 1
            bound = min(self.policy.timeout_s, max(self.left_s(call.ends_at), 0))
            reply = await line.provider.ask(self.client, outgoing, call.log.request_id, bound)
        finally:
            self.slots.release()
        await asyncio.sleep(0)  # the next call is sent before this answer is read
        if isinstance(reply, Verdict):
            return Reading(reply)
        return await self._read(line.provider, reply, call.request)

    async def _read(self, provider: Provider[Any, Any], reply: Reply, request: BaseModel) -> Reading[Any]:
        """What a reply says; what is not surely cheap to read is read by the reading process."""
        refused = reply.failure(self.terms.clock.now())
        if refused is not None:
            return Reading(refused)
        body, is_page = reply.body, provider.tool is Tool.ARTICLE_DETAIL
        is_small = is_small_page(body) or (not is_page and is_small_json(body))
        try:
            if not is_page and len(body) > ROWS_BYTES:
                raise Unreadable(f"body: {len(body)} bytes of rows, more than {ROWS_BYTES}")
            return await self.read(is_small, read_reply, provider.dialect.read, reply, request)
        except Unreadable as error:
            _LOG.warning("an answer could not be read", provider=provider.name, reason=error.message[-300:])
            return Reading(unreadable(error))

    def _closed(self, line: _Line) -> Verdict:
        if line.breaker.is_open:
            return Verdict(Code.BREAKER_OPEN, "too many outages in a row: the provider is left alone for a while")
        return Verdict(Code.BUDGET_SPENT, "the provider's day or money is spent")

    def _unknown(self, call: _Call[Any], verdict: Verdict, provider: str | None, raw: Any = None) -> Unknown:
        return Unknown(verdict.code, verdict.message, verdict.retryable, provider, call.log.request_id, raw)


def _health(reading: Reading[Any]) -> Outcome:
    """What an exchange says about its provider (GW6): absence and refusals are signs of life, limits say nothing."""
    outcome = reading.outcome
    if not isinstance(outcome, Verdict) or outcome.code in ABSENCE or outcome.code in REFUSALS:
        return Outcome.ALIVE
    return Outcome.OUTAGE if outcome.code in OUTAGES else Outcome.NOTHING


def _worth(answer: Unknown) -> int:
    """Which of several unknown answers is reported: one that was asked and may change beats a refusal or a skip."""
    if answer.code in (Code.BREAKER_OPEN, Code.BUDGET_SPENT):
        return 0
    return 2 if answer.retryable else 1
