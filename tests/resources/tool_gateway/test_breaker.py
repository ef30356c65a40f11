"""The circuit breaker: one probe, and only outages count (S-010, GW5, GW6)."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from resources.calls.breaker import Breaker, Outcome
from resources.calls.events import EventType, ToolEvent
from resources.calls.outcomes.answers import Code, Found, Unknown
from resources.tool_gateway.results.models import SearchRequest
from tests.resources.tool_gateway.scripted import SCOPE, SEARCH_PATH, Bench, HandClock, Step, said, search_page

COOLDOWN_S = 30
REQUEST = SearchRequest(keyword="健康")


def opened(clock: HandClock) -> Breaker:
    breaker = Breaker(2, COOLDOWN_S, clock)
    for _ in range(2):
        permit = breaker.enter()
        assert permit is not None
        breaker.leave(permit, Outcome.OUTAGE)
    assert breaker.enter() is None
    return breaker


def test_gw5_one_probe_and_its_failure_opens_again() -> None:
    clock = HandClock()
    breaker = opened(clock)
    clock.pass_(COOLDOWN_S)

    probe = breaker.enter()
    others = [breaker.enter() for _ in range(10)]

    assert probe is not None
    assert others == [None] * 10
    breaker.leave(probe, Outcome.OUTAGE)
    assert breaker.enter() is None
    clock.pass_(COOLDOWN_S - 1)
    assert breaker.enter() is None
    clock.pass_(1)
    assert breaker.enter() is not None


def test_gw5_the_probe_that_finds_it_alive_closes() -> None:
    clock = HandClock()
    breaker = opened(clock)
    clock.pass_(COOLDOWN_S)

    probe = breaker.enter()
    assert probe is not None
    breaker.leave(probe, Outcome.ALIVE)

    assert all(breaker.enter() for _ in range(10))


def test_gw5_a_probe_that_says_nothing_frees_the_place() -> None:
    clock = HandClock()
    breaker = opened(clock)
    clock.pass_(COOLDOWN_S)

    probe = breaker.enter()
    assert probe is not None
    breaker.leave(probe, Outcome.NOTHING)

    assert breaker.enter() is not None
    assert breaker.enter() is None


def test_gw5_answers_from_before_the_opening_are_ignored() -> None:
    clock = HandClock()
    breaker = Breaker(1, COOLDOWN_S, clock)
    early = [breaker.enter() for _ in range(3)]
    assert all(early)
    breaker.leave(early[0], Outcome.OUTAGE)  # type: ignore[arg-type]
    breaker.leave(early[1], Outcome.ALIVE)  # type: ignore[arg-type]
    assert breaker.enter() is None
    clock.pass_(COOLDOWN_S)
    assert breaker.enter() is not None
    breaker.leave(early[2], Outcome.ALIVE)  # type: ignore[arg-type]

    assert breaker.enter() is None


@given(st.lists(st.sampled_from(Outcome), max_size=60))
def test_gw6_it_opens_after_that_many_outages_in_a_row_and_never_else(outcomes: list[Outcome]) -> None:
    breaker = Breaker(3, COOLDOWN_S, HandClock())
    row = 0
    for outcome in outcomes:
        permit = breaker.enter()
        if permit is None:
            break
        breaker.leave(permit, outcome)
        row = row + 1 if outcome is Outcome.OUTAGE else 0 if outcome is Outcome.ALIVE else row
        assert breaker.is_open == (row >= 3)


def run_calls(bench: Bench, *waves: tuple[int, float], **policy: Any) -> list[list[Any]]:
    """Waves of calls at one time; after each wave so many seconds pass."""

    async def run() -> list[list[Any]]:
        answers = []
        async with bench.gateway(attempts=1, breaker_cooldown_s=COOLDOWN_S, **policy) as gateway:
            for number, pause in waves:
                answers.append(await asyncio.gather(*(gateway.search(SCOPE, REQUEST) for _ in range(number))))
                bench.clock.pass_(pause)
        return answers

    return asyncio.run(run())


def test_gw5_ten_callers_at_the_end_of_the_cooldown_make_one_request(bench: Bench) -> None:
    bench.platform.on(SEARCH_PATH, *[Step(503)] * 5, Step(503, delay_s=0.1), search_page(1))

    _, refused, probing, closing, after = run_calls(bench, (5, 0), (10, COOLDOWN_S), (10, COOLDOWN_S), (1, 0), (10, 0))

    assert [answer.code for answer in refused] == [Code.BREAKER_OPEN] * 10
    assert sorted(answer.code for answer in probing) == [Code.BREAKER_OPEN] * 9 + [Code.SERVER_ERROR]
    assert all(isinstance(answer, Found) for answer in [*closing, *after])
    assert bench.platform.asked(SEARCH_PATH) == 5 + 1 + 1 + 10


@pytest.mark.parametrize("step", [Step(400), Step(401), Step(429), said(None, code=103), said(None, code=404)])
def test_gw6_bad_keywords_and_rate_limits_never_open_it(bench: Bench, step: Step) -> None:
    bench.platform.on(SEARCH_PATH, *[step] * 12, search_page(1))

    answers = run_calls(bench, *[(1, 0)] * 13)

    assert isinstance(answers[-1][0], Found)


@pytest.mark.parametrize("step", [Step(503), Step(cut=True), Step(302, headers={"Location": "/captcha"})])
def test_gw6_outages_and_blocks_open_it(bench: Bench, step: Step) -> None:
    bench.platform.on(SEARCH_PATH, step)

    answers = run_calls(bench, *[(1, 0)] * 6)

    last = answers[-1][0]
    assert isinstance(last, Unknown)
    assert (last.code, last.retryable) == (Code.BREAKER_OPEN, True)
    assert bench.platform.asked(SEARCH_PATH) == 5


def test_gw5_a_cancelled_probe_does_not_stick(bench: Bench) -> None:
    bench.platform.on(SEARCH_PATH, Step(503), Step(delay_s=30), search_page(1))

    async def run() -> Any:
        async with bench.gateway(attempts=1, breaker_threshold=1, timeout_s=60) as gateway:
            await gateway.search(SCOPE, REQUEST)
            bench.clock.pass_(COOLDOWN_S)
            probe = asyncio.create_task(gateway.search(SCOPE, REQUEST))
            while len(bench.platform.seen) < 2:
                await asyncio.sleep(0.01)
            probe.cancel()
            await asyncio.wait([probe])
            return await gateway.search(SCOPE, REQUEST)

    assert isinstance(asyncio.run(run()), Found)


def test_gw6_a_refusal_shows_that_the_provider_is_up(bench: Bench) -> None:
    bench.platform.on(SEARCH_PATH, *[Step(503)] * 4, Step(400), *[Step(503)] * 4, search_page(1))

    answers = run_calls(bench, *[(1, 0)] * 10)

    assert isinstance(answers[-1][0], Found)


def test_s010_a_breaker_that_opens_opens_anew_and_closes_says_so_under_the_task_whose_call_did_it(bench: Bench) -> None:
    bench.platform.on(SEARCH_PATH, *[Step(503)] * 6, search_page(1))

    run_calls(bench, (5, 0), (3, COOLDOWN_S), (1, COOLDOWN_S), (2, 0))

    said_of_it = [(event.tool, event.payload["provider"], event.payload["state"]) for event in breaker_events(bench)]
    assert said_of_it == [("weixin_search", "house", state) for state in ("open", "open", "closed")]
    assert {event.scope for event in breaker_events(bench)} == {SCOPE}
    called = {event.request_id for event in bench.sink.of(EventType.TOOL_CALL)}
    assert {event.request_id for event in breaker_events(bench)} <= called


def breaker_events(bench: Bench) -> list[ToolEvent]:
    return bench.sink.of(EventType.BREAKER)
