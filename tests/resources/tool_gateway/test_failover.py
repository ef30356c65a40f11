"""An ordered list of providers behind one contract: who is asked next, and when (S-013a)."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from resources.calls.events import EventType, Level
from resources.calls.outcomes.answers import Absent, Code, Found, Unknown
from resources.tool_gateway.gateway import ToolGateway
from resources.tool_gateway.providers import article_page, house, mp
from resources.tool_gateway.results.models import (
    AccountRequest,
    ArticleDetailRequest,
    ArticleListRequest,
    SearchRequest,
)
from tests.resources.tool_gateway.scripted import LIST_PATH, SCOPE, SEARCH_PATH, Bench, Step, said, search_page

FIRST, SECOND = f"/first{SEARCH_PATH}", f"/second{SEARCH_PATH}"
REQUEST = SearchRequest(keyword="健康")


def ask(gateway: ToolGateway, times: int = 1) -> list[Any]:
    async def run() -> list[Any]:
        async with gateway:
            return [await gateway.search(SCOPE, REQUEST) for _ in range(times)]

    return asyncio.run(run())


def two(bench: Bench, **policy: Any) -> ToolGateway:
    return bench.gateway(bench.provider(name="first"), bench.provider(name="second"), **policy)


@pytest.mark.parametrize("step", [Step(503), Step(400), Step(401), Step(429), said(None, code=20001), Step(body=b"{")])
def test_s013a_the_next_is_asked_when_the_first_cannot_say(bench: Bench, step: Step) -> None:
    bench.platform.on(FIRST, step)
    bench.platform.on(SECOND, search_page(1))

    [answer] = ask(two(bench))

    assert isinstance(answer, Found)
    assert answer.provider == "second"
    assert bench.sink.of(EventType.RETRY)[-1].payload["next_provider"] is True


def test_s013a_absence_from_the_first_is_final(bench: Bench) -> None:
    bench.platform.on(FIRST, said(None, code=105, msg="deleted"))
    bench.platform.on(SECOND, search_page(1))

    [answer] = ask(two(bench))

    assert isinstance(answer, Absent)
    assert bench.platform.asked(SECOND) == 0


def test_s013a_a_missing_interface_is_not_absence(bench: Bench) -> None:
    [answer] = ask(two(bench))

    assert isinstance(answer, Unknown)
    assert bench.platform.asked(SECOND) == 1


def test_s013a_an_open_breaker_sends_calls_to_the_next(bench: Bench) -> None:
    bench.platform.on(FIRST, Step(503))
    bench.platform.on(SECOND, search_page(1))

    answers = ask(two(bench, breaker_threshold=4), times=3)

    assert [answer.provider for answer in answers] == ["second"] * 3
    assert bench.platform.asked(FIRST) == 4


@pytest.mark.parametrize("limits", [{"per_day": 2}, {"money": 1.0, "price": 0.5}])
def test_s013a_a_spent_budget_sends_calls_to_the_next(bench: Bench, limits: dict[str, float]) -> None:
    bench.platform.on(FIRST, search_page(1))
    bench.platform.on(SECOND, search_page(1))
    gateway = bench.gateway(bench.provider(name="first", **limits), bench.provider(name="second"))

    answers = ask(gateway, times=4)

    assert [answer.provider for answer in answers] == ["first", "first", "second", "second"]


def test_s013a_a_day_is_shanghais_and_starts_anew(bench: Bench) -> None:
    bench.platform.on(SEARCH_PATH, search_page(1))

    async def run() -> list[Any]:
        async with bench.gateway(bench.provider(per_day=1)) as gateway:
            before = [await gateway.search(SCOPE, REQUEST) for _ in range(2)]
            bench.clock.pass_(12 * 3600 + 1)
            return [*before, await gateway.search(SCOPE, REQUEST)]

    first, second, third = asyncio.run(run())

    assert isinstance(first, Found)
    assert isinstance(second, Unknown)
    assert (second.code, second.retryable) == (Code.BUDGET_SPENT, True)
    assert isinstance(third, Found)


def test_s010_a_rate_is_kept_and_waited_for_only_until_the_deadline(bench: Bench) -> None:
    bench.platform.on(SEARCH_PATH, search_page(1))

    first, second = ask(bench.gateway(bench.provider(per_second=0.001), deadline_s=0.5), times=2)

    assert isinstance(first, Found)
    assert isinstance(second, Unknown)
    assert (second.code, second.retryable) == (Code.RATE_LIMITED, True)
    assert bench.platform.asked(SEARCH_PATH) == 1


def test_s013a_no_provider_is_unknown_and_may_change(bench: Bench) -> None:
    [answer] = ask(bench.gateway(bench.provider(house.ACCOUNT)))

    assert isinstance(answer, Unknown)
    assert (answer.code, answer.retryable, answer.provider) == (Code.NO_PROVIDER, True, None)


def test_s013a_of_several_unknowns_the_one_that_may_pass_is_told(bench: Bench) -> None:
    bench.platform.on(FIRST, Step(503))
    bench.platform.on(SECOND, Step(400))

    [answer] = ask(two(bench))

    assert isinstance(answer, Unknown)
    assert (answer.code, answer.provider) == (Code.SERVER_ERROR, "first")


def test_s013a_a_provider_that_cannot_be_asked_is_passed_over(bench: Bench) -> None:
    bench.platform.on("/house/tools/fetch_weixin_account", said({"account_id": "gh_1", "added": [1]}))
    providers = (bench.provider(mp.ACCOUNT, "mp"), bench.provider(house.ACCOUNT, "house"))

    async def run() -> list[Any]:
        async with bench.gateway(*providers) as gateway:
            by_id = await gateway.account(SCOPE, AccountRequest(account_id="gh_1"))
            return [by_id, await gateway.account(SCOPE, AccountRequest())]

    by_id, by_nothing = asyncio.run(run())

    assert isinstance(by_id, Found)
    assert by_id.provider == "house"
    assert isinstance(by_nothing, Unknown)
    assert (by_nothing.code, by_nothing.retryable) == (Code.BAD_ARGUMENT, False)
    assert len(bench.platform.seen) == 1


def test_s013a_only_links_of_the_platform_are_fetched(bench: Bench) -> None:
    async def run() -> list[Any]:
        async with bench.gateway(bench.provider(article_page.ARTICLE_DETAIL)) as gateway:
            urls = ("http://169.254.169.254/s/abc", "file:///etc/passwd", "https://mp.weixin.qq.com@evil.example/s/x")
            return [await gateway.article_detail(SCOPE, ArticleDetailRequest(url=url)) for url in urls]

    answers = asyncio.run(run())

    assert {answer.code for answer in answers} == {Code.BAD_ARGUMENT}
    assert bench.platform.seen == []


def test_s013a_success_without_a_row_is_found_and_warns(bench: Bench) -> None:
    bench.platform.on(SEARCH_PATH, said({"items": [], "page": 1, "has_more": False, "total": 0}))
    bench.platform.on(LIST_PATH, said({"items": [], "next_cursor": None}))

    async def run() -> list[Any]:
        async with bench.gateway() as gateway:
            return [
                await gateway.search(SCOPE, REQUEST),
                await gateway.search(SCOPE, SearchRequest(keyword="健康", page=3)),
                await gateway.article_list(SCOPE, ArticleListRequest(biz="MzA=")),
                await gateway.article_list(SCOPE, ArticleListRequest(biz="MzA=", cursor=20)),
            ]

    answers = asyncio.run(run())

    assert all(isinstance(answer, Found) and answer.value.items == [] for answer in answers)
    levels = [event.level for event in bench.sink.of(EventType.TOOL_RESULT)]
    assert levels == [Level.WARN, Level.INFO, Level.WARN, Level.INFO]


def test_wx8_no_row_where_hits_were_due_is_unknown_and_may_pass(bench: Bench) -> None:
    none = said({"items": [], "page": 1, "has_more": False, "total": 0})
    bench.platform.on(SEARCH_PATH, search_page(), search_page(1), none)

    answers = ask(bench.gateway(), times=3)

    assert [type(answer) for answer in answers] == [Unknown, Found, Unknown]
    assert {(answers[0].code, answers[0].retryable), (answers[2].code, answers[2].retryable)} == {
        (Code.SUSPICIOUS_EMPTY, True)
    }


def test_s013a_a_probe_says_who_is_there(bench: Bench) -> None:
    bench.platform.on("/first/healthz", said(None))
    bench.platform.on("/second/healthz", Step(503))

    async def run() -> list[Any]:
        async with two(bench) as gateway:
            return await gateway.probe()

    results = asyncio.run(run())

    assert [(result.provider, result.code) for result in results] == [("first", None), ("second", Code.SERVER_ERROR)]
    assert bench.sink.events == []
