"""What is asked again, after which pause, and what is not (S-010, S-011, GW4, WX6, WX7)."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import timedelta
from email.utils import format_datetime

import pytest

from resources.calls.events import EventType
from resources.calls.outcomes.answers import Absent, Answer, Code, Found, Unknown
from resources.calls.provider import Provider
from resources.tool_gateway.providers import house
from resources.tool_gateway.results.models import ArticleDetailRequest, SearchPage, SearchRequest
from tests.resources.tool_gateway.scripted import (
    DETAIL_PATH,
    SCOPE,
    SEARCH_PATH,
    Bench,
    HandClock,
    Step,
    said,
    said_json,
    search_page,
)

VERIFY = (
    "<html><title>微信公众平台</title><body><h2>环境异常</h2><p>完成验证后即可继续访问。</p><a>去验证</a></body></html>"
)


def ask(bench: Bench, **policy: float) -> Answer[SearchPage]:
    async def run() -> Answer[SearchPage]:
        async with bench.gateway(**policy) as gateway:
            return await gateway.search(SCOPE, SearchRequest(keyword="健康"))

    return asyncio.run(run())


@pytest.mark.parametrize(
    ("step", "code"),
    [
        (Step(503), Code.SERVER_ERROR),
        (Step(500), Code.SERVER_ERROR),
        (Step(429), Code.RATE_LIMITED),
        (Step(408), Code.TIMEOUT),
        (Step(cut=True), Code.CONNECTION),
        (Step(302, headers={"Location": "/antispider/?from=x"}), Code.BLOCKED),
        (said_json({"ret": 200013, "msg": "freq control"}), Code.RATE_LIMITED),
        (said_json({"base_resp": {"ret": -6, "err_msg": "freq"}}), Code.RATE_LIMITED),
        (said(None, code=-1), Code.RATE_LIMITED),
        (said(None, code=103), Code.RATE_LIMITED),
        (said(None, code=50000), Code.SERVER_ERROR),
        (Step(418), Code.SERVER_ERROR),
        (Step(body=VERIFY.encode()), Code.BLOCKED),
        (Step(body=b"<html><body>hello</body></html>"), Code.UNKNOWN_PAGE),
        (Step(body="<html><body>系统繁忙，请稍后再试</body></html>".encode()), Code.BUSY),
        (said(None, code=777, msg="系统繁忙，请稍后再试"), Code.BUSY),
        (said_json({"ok": False, "msg": "服务异常"}), Code.BUSY),
    ],
)
def test_s010_a_failure_that_may_pass_is_asked_again_at_2_4_8_seconds(bench: Bench, step: Step, code: Code) -> None:
    bench.platform.on(SEARCH_PATH, step)

    answer = ask(bench)

    assert isinstance(answer, Unknown)
    assert (answer.code, answer.retryable) == (code, True)
    assert bench.platform.asked(SEARCH_PATH) == 4
    ratios = [pause / wish for pause, wish in zip(bench.clock.pauses, (2, 4, 8), strict=True)]
    assert all(0.9 <= ratio <= 1.1 for ratio in ratios)


@pytest.mark.parametrize(
    ("step", "code", "retryable"),
    [
        (Step(400), Code.BAD_ARGUMENT, False),
        (Step(401), Code.NOT_PERMITTED, False),
        (Step(403), Code.NOT_PERMITTED, False),
        (Step(404), Code.BAD_ARGUMENT, False),
        (Step(422), Code.BAD_ARGUMENT, False),
        (Step(302, headers={"Location": "/elsewhere"}), Code.WRONG_SHAPE, True),
        (said(None, code=20002), Code.BAD_ARGUMENT, False),
        (said(None, code=10002), Code.NOT_PERMITTED, False),
        (said(None, code=20001), Code.BUDGET_SPENT, True),
        (said_json({"ret": 200003}), Code.NOT_PERMITTED, False),
        (said(None, code=777), Code.WRONG_SHAPE, True),
        (said({"items": [{"title": "x"}], "has_more": False}), Code.WRONG_SHAPE, False),
        (Step(body=b'{"code": 0, "data": {"ite'), Code.WRONG_SHAPE, True),
        (Step(body=b""), Code.WRONG_SHAPE, True),
    ],
)
def test_s010_arguments_permissions_and_shapes_are_never_asked_again(
    bench: Bench, step: Step, code: Code, retryable: bool
) -> None:
    bench.platform.on(SEARCH_PATH, step)

    answer = ask(bench)

    assert isinstance(answer, Unknown)
    assert (answer.code, answer.retryable) == (code, retryable)
    assert bench.platform.asked(SEARCH_PATH) == 1
    assert bench.clock.pauses == []


NOW = HandClock().instant


@pytest.mark.parametrize(
    ("header", "least", "most"),
    [
        ("0", 0, 0),
        ("3", 3, 3.3),
        ("0.5", 0.5, 0.55),
        ("30", 30, 33),
        (format_datetime(NOW + timedelta(seconds=20), usegmt=True), 20, 22),
        (format_datetime(NOW - timedelta(days=1), usegmt=True), 0, 0),
        ("soon", 1.8, 2.2),
        ("-5", 1.8, 2.2),
        ("nan", 1.8, 2.2),
        ("", 1.8, 2.2),
    ],
)
@pytest.mark.parametrize("status", [429, 503])
def test_gw4_a_wish_is_honoured_and_garbage_is_as_good_as_none(
    bench: Bench, status: int, header: str, least: float, most: float
) -> None:
    bench.platform.on(SEARCH_PATH, Step(status, headers={"Retry-After": header}), search_page(1))

    answer = ask(bench)

    assert isinstance(answer, Found)
    [pause] = bench.clock.pauses
    assert least <= pause <= most


@pytest.mark.parametrize("header", ["31", "3600", "9" * 400, format_datetime(NOW + timedelta(days=9), usegmt=True)])
def test_gw4_a_provider_that_asks_for_too_long_is_not_waited_for(bench: Bench, header: str) -> None:
    bench.platform.on(SEARCH_PATH, Step(429, headers={"Retry-After": header}), search_page(1))

    answer = ask(bench)

    assert isinstance(answer, Unknown)
    assert (answer.code, answer.retryable) == (Code.RATE_LIMITED, True)
    assert bench.clock.pauses == []


def test_gw4_the_deadline_bounds_all_pauses_together(bench: Bench) -> None:
    bench.platform.on(SEARCH_PATH, Step(429, headers={"Retry-After": "25"}))

    answer = ask(bench, deadline_s=60)

    assert isinstance(answer, Unknown)
    assert len(bench.clock.pauses) == 2
    assert sum(bench.clock.pauses) < 60


@pytest.mark.parametrize("step", [Step(delay_s=1), Step(drip=True)])
def test_s010_a_server_that_hangs_or_drips_is_left_at_the_timeout(bench: Bench, step: Step) -> None:
    bench.platform.on(SEARCH_PATH, step, search_page(1))

    answer = ask(bench, timeout_s=0.2)

    assert isinstance(answer, Found)
    assert [event.payload["error_code"] for event in bench.sink.of(EventType.RETRY)] == [Code.TIMEOUT]


def test_s010_a_refused_connection_is_a_connection_error(bench: Bench) -> None:
    nowhere = Provider(house.SEARCH, "http://127.0.0.1:9")

    async def run() -> Answer[SearchPage]:
        async with bench.gateway(nowhere) as gateway:
            return await gateway.search(SCOPE, SearchRequest(keyword="健康"))

    answer = asyncio.run(run())

    assert isinstance(answer, Unknown)
    assert (answer.code, answer.retryable) == (Code.CONNECTION, True)
    assert len(bench.clock.pauses) == 3


def test_wx6_a_verification_page_is_a_block_and_never_a_body(bench: Bench) -> None:
    bench.platform.on(DETAIL_PATH, said({"url": "u", "html": VERIFY}))

    async def run() -> Answer[object]:
        async with bench.gateway() as gateway:
            return await gateway.article_detail(SCOPE, ArticleDetailRequest(url="https://mp.weixin.qq.com/s/abcdef"))

    answer = asyncio.run(run())

    assert isinstance(answer, Unknown)
    assert (answer.code, answer.retryable) == (Code.BLOCKED, True)
    assert bench.platform.asked(DETAIL_PATH) == 4


@pytest.mark.parametrize(
    ("code", "meaning"),
    [(101, Code.NOT_FOUND), (105, Code.DELETED), (106, Code.VIOLATION), (107, Code.MOVED), (404, Code.NOT_FOUND)],
)
def test_s011_a_code_that_says_gone_is_absence_at_once(bench: Bench, code: int, meaning: Code) -> None:
    bench.platform.on(SEARCH_PATH, said(None, code=code, msg="gone"))

    answer = ask(bench)

    assert isinstance(answer, Absent)
    assert answer.code is meaning
    assert bench.platform.asked(SEARCH_PATH) == 1


def test_wx7_a_throttled_page_goes_on_where_it_was(bench: Bench) -> None:
    bench.platform.on(SEARCH_PATH, said_json({"ret": 200013, "msg": "freq control"}), search_page(1, 2))

    answer = ask(bench)

    assert isinstance(answer, Found)
    assert [item.title for item in answer.value.items] == ["第1篇", "第2篇"]


def test_s010_one_request_id_a_call_over_all_its_attempts(bench: Bench) -> None:
    bench.platform.on(SEARCH_PATH, Step(503), Step(503), search_page(1))

    answer = ask(bench)

    assert {seen.headers["x-request-id"] for seen in bench.platform.seen} == {answer.request_id}
    assert {event.request_id for event in bench.sink.events} == {answer.request_id}


def test_s010_at_most_eight_requests_are_under_way(bench: Bench) -> None:
    bench.platform.on(SEARCH_PATH, replace(search_page(1), delay_s=0.02))

    async def run() -> list[Answer[SearchPage]]:
        async with bench.gateway() as gateway:
            asks = (gateway.search(SCOPE, SearchRequest(keyword=str(number))) for number in range(60))
            return await asyncio.gather(*asks)

    answers = asyncio.run(run())

    assert all(isinstance(answer, Found) for answer in answers)
    assert bench.platform.most_under_way == 8


def test_s010_a_cancelled_call_ends_at_once_and_frees_its_place(bench: Bench) -> None:
    bench.platform.on(SEARCH_PATH, Step(delay_s=30), search_page(1))

    async def run() -> Answer[SearchPage]:
        async with bench.gateway(concurrency=1, timeout_s=60) as gateway:
            first = asyncio.create_task(gateway.search(SCOPE, SearchRequest(keyword="x")))
            while not bench.platform.seen:
                await asyncio.sleep(0.01)
            first.cancel()
            with pytest.raises(asyncio.CancelledError):
                await first
            return await gateway.search(SCOPE, SearchRequest(keyword="y"))

    assert isinstance(asyncio.run(run()), Found)
