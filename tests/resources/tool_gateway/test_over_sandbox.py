"""The gateway against the platform sandbox over real HTTP, healthy and with faults (S-014, S-013a)."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from typing import Any, TypeVar

import httpx2
import pytest

from resources.calls.frame import CallTerms
from resources.calls.outcomes.answers import Absent, Code, Found, Unknown
from resources.calls.policy import CallPolicy
from resources.calls.provider import Provider
from resources.tool_gateway.configured import DEFAULT_ORDER, DIALECTS
from resources.tool_gateway.gateway import ToolGateway
from resources.tool_gateway.results.models import (
    AccountRequest,
    ArticleDetailRequest,
    ArticleListRequest,
    SearchRequest,
)
from sandbox.platform.app import build_app
from sandbox.platform.corpus.generated import generate
from sandbox.platform.serving.serve import serve
from tests.counting_ids import CountingIds
from tests.resources.tool_gateway.scripted import SCOPE, HandClock, Sink

Result = TypeVar("Result")
REQUEST = SearchRequest(keyword="健康")


@pytest.fixture(scope="module")
def running_sandbox() -> Iterator[str]:
    """A sandbox over a small generated corpus."""
    with serve(build_app(generate(1500, 40, 0))) as running:
        yield running.url


@pytest.fixture
def sandbox(running_sandbox: str) -> str:
    """Its address, without faults."""
    httpx2.post(f"{running_sandbox}/admin/reset").raise_for_status()
    return running_sandbox


def faults(url: str, *rules: dict[str, Any]) -> None:
    httpx2.put(f"{url}/admin/faults", json={"seed": 7, "rules": list(rules)}).raise_for_status()


def run(
    url: str, work: Callable[[ToolGateway], Awaitable[Result]], order: Any = DEFAULT_ORDER, **policy: Any
) -> Result:
    async def inner() -> Result:
        clock = HandClock()
        providers = {tool: [Provider(dialect, url) for dialect in line] for tool, line in order.items()}
        bounds = CallPolicy(**{"timeout_s": 1, **policy})
        terms = CallTerms(bounds, Sink(), CountingIds("r"), clock, clock.sleep, clock.monotonic)
        async with ToolGateway(providers, terms) as gateway:
            return await work(gateway)

    return asyncio.run(inner())


async def all_tools(gateway: ToolGateway) -> list[Any]:
    page = await gateway.search(SCOPE, REQUEST)
    assert isinstance(page, Found)
    item = page.value.items[0]
    about = await gateway.account(SCOPE, AccountRequest(account_name=item.account_name))
    assert isinstance(about, Found)
    history = await gateway.article_list(SCOPE, ArticleListRequest(biz=about.value.biz))
    return [page, about, history, await gateway.article_detail(SCOPE, ArticleDetailRequest(url=item.url))]


def test_s014_the_four_tools_answer(sandbox: str) -> None:
    answers = run(sandbox, all_tools)

    assert all(isinstance(answer, Found) and answer.provider == "house" for answer in answers)


def test_s013a_the_second_providers_answer_as_well(sandbox: str) -> None:
    order = {tool: list(dialects.values())[1:] for tool, dialects in DIALECTS.items()}
    answers = run(sandbox, all_tools, order)

    assert [answer.provider for answer in answers] == ["whosecard", "mp", "mp", "article_page"]
    assert all(isinstance(answer, Found) for answer in answers)


@pytest.mark.parametrize(
    ("fault", "value", "code"),
    [
        ("rate_limit", 1, Code.RATE_LIMITED),
        ("rate_limit", 999, Code.RATE_LIMITED),
        ("server_error", None, Code.SERVER_ERROR),
        ("broken_json", None, Code.WRONG_SHAPE),
        ("error_code", 103, Code.RATE_LIMITED),
        ("freq_control", None, Code.RATE_LIMITED),
        ("verify_page", None, Code.BLOCKED),
        ("drop_before", None, Code.CONNECTION),
        ("drop_after", None, Code.CONNECTION),
        ("hang", 3, Code.TIMEOUT),
    ],
)
def test_s014_a_fault_for_good_is_unknown_and_may_pass(sandbox: str, fault: str, value: Any, code: Code) -> None:
    faults(sandbox, {"target": "weixin_search", "fault": fault, "rate": 1, "value": value})

    answer = run(sandbox, lambda gateway: gateway.search(SCOPE, REQUEST), timeout_s=0.3, breaker_threshold=99)

    assert isinstance(answer, Unknown)
    assert (answer.code, answer.retryable) == (code, True)


def test_wx5_a_deleted_article_is_absent(sandbox: str) -> None:
    faults(sandbox, {"target": "fetch_article_detail", "fault": "deleted_article", "rate": 1})
    request = ArticleDetailRequest(url="https://mp.weixin.qq.com/s/abcdefgh")

    answer = run(sandbox, lambda gateway: gateway.article_detail(SCOPE, request))

    assert isinstance(answer, Absent)
    assert answer.code is Code.DELETED


def test_s014_at_a_fifth_of_every_fault_each_call_ends_and_no_verify_page_is_content(sandbox: str) -> None:
    names = ("rate_limit", "server_error", "broken_json", "error_code", "freq_control", "verify_page", "drop_before")
    faults(sandbox, *({"target": "*", "fault": name, "rate": 0.2 / len(names) * 2, "value": None} for name in names))

    async def work(gateway: ToolGateway) -> list[Any]:
        pages = await asyncio.gather(
            *(gateway.search(SCOPE, SearchRequest(keyword="健康", page=page % 5 + 1)) for page in range(30))
        )
        urls = {item.url for page in pages if isinstance(page, Found) for item in page.value.items}
        details = await asyncio.gather(
            *(gateway.article_detail(SCOPE, ArticleDetailRequest(url=url)) for url in sorted(urls)[:40])
        )
        return [*pages, *details]

    answers = run(sandbox, work, breaker_threshold=99)

    assert len(answers) > 40
    found = [answer for answer in answers if isinstance(answer, Found)]
    assert len(found) > len(answers) / 2
    assert not any("去验证" in str(answer.value) for answer in found)
