"""One hostile answer is one answer's trouble: named, asked for once, and everything else goes on meanwhile (S-010)."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from resources.calls.foreign_text import reading_process
from resources.calls.outcomes.answers import Code, Found, Unknown
from resources.tool_gateway.gateway import ToolGateway
from resources.tool_gateway.results.models import ArticleDetailRequest, SearchRequest
from tests.resources.tool_gateway.scripted import (
    DETAIL_PATH,
    SCOPE,
    SEARCH_PATH,
    Bench,
    ScriptedPlatform,
    Step,
    row,
    said,
    search_page,
)

HEAD = '<meta property="og:title" content="题"><h1 id="activity-name">题</h1><div id="js_content">'
EVASIVE = "<p>" + "".join(f"<b {number}>" for number in range(250)) + "<p>字" * 40_000
"""Within the bounds of depth, tags and attributes, and minutes to parse: each paragraph opens all tags before it."""
HEAVY_PAGES = {
    "tags": "<div>" * 200_000,
    "attributes": "<p " + " ".join(f"a{number}" for number in range(30_000)) + ">",
    "an article of 300000 characters": "字" * 300_000,
}
HEAVY_ROWS = {
    "values": b"[" * 1_000_000,
    "title": said({"items": [row() | {"title": "长" * 5_000}], "page": 1, "has_more": False}).body,
    "bytes of rows": said({"items": [row() | {"x": "长" * 1_000_000}], "page": 1, "has_more": False}).body,
}
URL = "https://mp.weixin.qq.com/s/abc"


def page(inner: str) -> Step:
    return said({"html": HEAD + inner})


def test_s010_a_heavy_answer_is_named_and_asked_for_once(bench: Bench) -> None:
    bench.platform.on(DETAIL_PATH, *(page(inner) for inner in HEAVY_PAGES.values()))
    bench.platform.on(SEARCH_PATH, *(Step(body=body) for body in HEAVY_ROWS.values()))

    async def all_of_them() -> list[Any]:
        async with bench.gateway() as gateway:
            pages = [await gateway.article_detail(SCOPE, ArticleDetailRequest(url=URL)) for _ in HEAVY_PAGES]
            return pages + [await gateway.search(SCOPE, SearchRequest(keyword="健康")) for _ in HEAVY_ROWS]

    for answer, said_of_it in zip(asyncio.run(all_of_them()), [*HEAVY_PAGES, *HEAVY_ROWS], strict=True):
        assert isinstance(answer, Unknown)
        assert (answer.code, answer.retryable) == (Code.UNREADABLE, False)
        assert said_of_it in answer.message
    assert bench.platform.asked(DETAIL_PATH) == len(HEAVY_PAGES)
    assert bench.platform.asked(SEARCH_PATH) == len(HEAVY_ROWS)


def test_s010_a_page_that_looks_light_is_stopped_while_the_loop_goes_on(
    bench: Bench, platform: ScriptedPlatform, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading_process, "CPU_S", 0.5)
    platform.on(DETAIL_PATH, page(EVASIVE), page("<p>字</p>" * 3_000))
    platform.on(SEARCH_PATH, search_page(1))
    order: list[str] = []

    async def detail(gateway: ToolGateway) -> Any:
        answer = await gateway.article_detail(SCOPE, ArticleDetailRequest(url=URL))
        order.append("page")
        return answer

    async def searches(gateway: ToolGateway) -> None:
        for _ in range(5):
            assert isinstance(await gateway.search(SCOPE, SearchRequest(keyword="健康")), Found)
        order.append("searches")

    async def all_at_once() -> tuple[Any, Any]:
        async with bench.gateway() as gateway:
            hostile, _ = await asyncio.gather(detail(gateway), searches(gateway))
            return hostile, await detail(gateway)

    hostile, after = asyncio.run(all_at_once())
    assert (hostile.code, hostile.retryable, order) == (Code.UNREADABLE, False, ["searches", "page", "page"])
    assert isinstance(after, Found)
