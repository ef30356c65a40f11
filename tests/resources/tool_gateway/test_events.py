"""Events: bounded, one id with log and header, and no secret or body in them (S-012)."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from pydantic import SecretStr
from structlog.testing import capture_logs

from resources.calls.events import PAYLOAD_BYTES, EventType, Level, bounded
from resources.calls.provider import Provider
from resources.tool_gateway.providers import house
from resources.tool_gateway.results.models import ArticleDetailRequest, SearchRequest
from tests.resources.tool_gateway.scripted import DETAIL_PATH, SCOPE, SEARCH_PATH, Bench, Step, said, search_page

TOKEN = "tok-3f9a"
BODY_MARK = "正文只在此处"


@given(st.dictionaries(st.text(max_size=20), st.none() | st.integers() | st.booleans() | st.text(), max_size=30))
def test_s012_a_summary_is_bounded_and_strict_json(summary: dict[str, Any]) -> None:
    clean = {name.encode("utf-8", "replace").decode(): value for name, value in summary.items()}
    text = json.dumps(bounded(clean), ensure_ascii=False, allow_nan=False)

    assert len(text.encode()) <= PAYLOAD_BYTES


def test_s012_a_long_keyword_is_cut() -> None:
    assert len(json.dumps(bounded({f"part{number}": "长" * 5000 for number in range(50)}))) <= PAYLOAD_BYTES * 3
    assert bounded({"keyword": "长" * 5000})["keyword"].endswith("…")


def test_s012_call_retry_result_in_order_with_duration_and_code(bench: Bench) -> None:
    bench.platform.on(SEARCH_PATH, Step(503), search_page(1, 2))

    async def run() -> None:
        async with bench.gateway() as gateway:
            await gateway.search(SCOPE, SearchRequest(keyword="健康"))

    asyncio.run(run())

    call, retry, result = bench.sink.events
    assert [event.event_type for event in (call, retry, result)] == [
        EventType.TOOL_CALL,
        EventType.RETRY,
        EventType.TOOL_RESULT,
    ]
    assert call.payload == {"keyword": "健康", "page": 1, "page_size": 20}
    assert (retry.level, retry.payload["error_code"], retry.payload["attempt"]) == (Level.WARN, "server_error", 1)
    assert result.payload["items"] == 2
    assert result.payload["attempts"] == 2
    assert result.payload["duration_ms"] == round(sum(bench.clock.pauses) * 1000)
    assert {event.scope for event in bench.sink.events} == {SCOPE}


def test_s010_the_log_and_the_event_share_the_request_id(bench: Bench) -> None:
    bench.platform.on(SEARCH_PATH, Step(400))

    async def run() -> None:
        async with bench.gateway() as gateway:
            await gateway.search(SCOPE, SearchRequest(keyword="健康"))

    with capture_logs() as lines:
        asyncio.run(run())

    assert [line["request_id"] for line in lines] == [event.request_id for event in bench.sink.events]
    assert [line["log_level"] for line in lines] == ["debug", "error"]


def test_s012_no_secret_and_no_body_reaches_events_logs_or_the_raw_payload(bench: Bench) -> None:
    secret_link = (
        "https://mp.weixin.qq.com/s?__biz=MzA=&amp;mid=1&amp;idx=1&amp;sn=ab12&amp;pass_ticket=S3CR&amp;key=K3Y"
    )
    html = (
        f'<h1 id="activity-name">题</h1><div id="js_content"><p>{BODY_MARK}</p>'
        '<a href="https://mp.weixin.qq.com/s?x=1&amp;pass_ticket=S3CR">y</a></div>'
    )
    bench.platform.on(DETAIL_PATH, Step(503), said({"url": secret_link, "html": html}))
    provider = Provider(house.ARTICLE_DETAIL, bench.platform.url, token=SecretStr(TOKEN))

    async def run() -> Any:
        async with bench.gateway(provider) as gateway:
            return await gateway.article_detail(SCOPE, ArticleDetailRequest(url=secret_link))

    with capture_logs() as lines:
        answer = asyncio.run(run())

    told = f"{bench.sink.events} {lines}"
    assert [mark for mark in (TOKEN, "S3CR", "K3Y", BODY_MARK) if mark in told] == []
    assert "S3CR" not in f"{answer.raw}"
    assert BODY_MARK in answer.value.text
    assert [seen.headers["authorization"] for seen in bench.platform.seen] == [f"Bearer {TOKEN}"] * 2
    assert all("S3CR" not in f"{seen.query}" and "K3Y" not in f"{seen.query}" for seen in bench.platform.seen)
