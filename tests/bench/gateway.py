"""The gateway's own cost: calls of many tasks at once against calls × latency ÷ concurrency."""

from __future__ import annotations

import asyncio
import os
import time
from collections import Counter
from typing import Any

import httpx2

from resources.calls.events import CallScope, ToolEvent
from resources.calls.outcomes.answers import Found
from resources.foundation.clock import RandomIds, SystemClock
from resources.settings.supply import read_supply_settings
from resources.tool_gateway.configured import open_gateway
from resources.tool_gateway.results.models import ArticleDetailRequest
from tests.bench.platform_process import platform_process

TASKS = 200
CANDIDATES = 50
LATENCY_S = 0.05
CONCURRENCY = 8


class Counted:
    """A sink that counts events."""

    def __init__(self) -> None:
        self.types: Counter[str] = Counter()

    def record(self, event: ToolEvent) -> None:
        self.types[str(event.event_type)] += 1


def measure() -> dict[str, Any]:
    """Wall seconds of 200 tasks × 50 article pages at 50 ms and concurrency 8, and their ratio to the bound."""
    with platform_process(LATENCY_S * 1000, articles=2_000) as url:
        os.environ["SUPPLY_PLATFORM_URL"] = url
        os.environ["SUPPLY_TOOL_CONCURRENCY"] = str(CONCURRENCY)
        try:
            return asyncio.run(_calls(url))
        finally:
            del os.environ["SUPPLY_PLATFORM_URL"], os.environ["SUPPLY_TOOL_CONCURRENCY"]


async def _calls(url: str) -> dict[str, Any]:
    sink = Counted()
    settings = read_supply_settings()
    urls = _urls(url)
    async with open_gateway(settings, sink, SystemClock(), RandomIds()) as gateway:

        async def task(number: int) -> int:
            scope = CallScope(f"task-{number}", "CONTENT_ENRICH")
            asked = (
                gateway.article_detail(scope, ArticleDetailRequest(url=urls[(number + turn) % len(urls)]))
                for turn in range(CANDIDATES)
            )
            return sum(isinstance(answer, Found) for answer in await asyncio.gather(*asked))

        await task(0)
        started, cpu = time.perf_counter(), time.process_time()
        found = sum(await asyncio.gather(*(task(number) for number in range(TASKS))))
        wall, cpu = time.perf_counter() - started, time.process_time() - cpu
    calls = TASKS * CANDIDATES
    ideal = calls * LATENCY_S / CONCURRENCY
    return {
        "calls": calls,
        "found": found,
        "wall_s": wall,
        "calls_times_latency_by_concurrency_s": ideal,
        "wall_to_ideal": wall / ideal,
        "client_cpu_ms_a_call": cpu / calls * 1000,
        "events": dict(sink.types),
    }


def _urls(url: str) -> list[str]:
    """Links of living articles, as a search lists them."""
    found: list[str] = []
    for page in range(1, 6):
        parameters: dict[str, str | int] = {"keyword": "健康 饮食", "page": page, "page_size": 20}
        body = httpx2.get(f"{url}/tools/weixin_search", params=parameters, timeout=30).json()
        found += [item["url"] for item in body["data"]["items"]]
    living = [link for link in found if _is_article(url, link)]
    return living[:CANDIDATES]


def _is_article(url: str, link: str) -> bool:
    body = httpx2.get(f"{url}/tools/fetch_article_detail", params={"url": link}, timeout=30).json()
    return body["code"] == 0 and 'id="js_content"' in body["data"]["html"]
