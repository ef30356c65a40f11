"""A real HTTP server whose answers are scripted, and a clock and pauses that a test moves by hand."""

from __future__ import annotations

import asyncio
import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from resources.calls.events import CallScope, EventType, ToolEvent
from resources.calls.frame import CallTerms
from resources.calls.outcomes.answers import Tool
from resources.calls.policy import CallPolicy, Limits
from resources.calls.provider import Provider
from resources.tool_gateway.gateway import ToolGateway
from resources.tool_gateway.providers import house
from sandbox.platform.serving.serve import serve
from tests.counting_ids import CountingIds

SCOPE = CallScope("task-1", "RECALL")
SEARCH_PATH = "/tools/weixin_search"
DETAIL_PATH = "/tools/fetch_article_detail"
ACCOUNT_PATH = "/tools/fetch_weixin_account"
LIST_PATH = "/tools/fetch_account_article_list"


@dataclass(frozen=True)
class Step:
    """One scripted answer; ``delay_s`` before it, ``drip`` sends its head and then nothing, ``cut`` half of it."""

    status: int = 200
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    delay_s: float = 0
    drip: bool = False
    cut: bool = False


class _Answer(Response):
    def __init__(self, step: Step) -> None:
        super().__init__(step.body, step.status, dict(step.headers))
        self._step = step

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if not (self._step.drip or self._step.cut):
            await super().__call__(scope, receive, send)
            return
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"1000")]})
        for _ in range(20 if self._step.drip else 1):
            await send({"type": "http.response.body", "body": b"x", "more_body": True})
            await asyncio.sleep(0.05 if self._step.drip else 0)


def said(data: Any, code: int = 0, msg: str = "ok") -> Step:
    """An envelope of the house dialect."""
    return said_json({"code": code, "msg": msg, "data": data})


def said_json(body: Any) -> Step:
    """Any JSON body with a 200."""
    return Step(body=json.dumps(body, ensure_ascii=False).encode())


def row(number: int = 1) -> dict[str, Any]:
    """An item as the house dialect sends it."""
    return {
        "title": f"第{number}篇",
        "url": f"https://mp.weixin.qq.com/s?__biz=MzA=&mid={number}&idx=1&sn=abcdef12",
        "publish_time": 1700000000,
        "account_id": "gh_1",
        "account_name": "号",
        "biz": "MzA=",
        "statistics": {"view_count": "10万+", "like_count": None},
    }


def search_page(*numbers: int, has_more: bool = False) -> Step:
    """A good page of a search."""
    return said({"items": [row(number) for number in numbers], "page": 1, "has_more": has_more, "total": 99})


@dataclass
class Seen:
    """A request that reached the server."""

    path: str
    query: dict[str, str]
    headers: dict[str, str]
    body: bytes


class ScriptedPlatform:
    """Answers a path's script step by step; the last step is repeated."""

    def __init__(self) -> None:
        self.url = ""
        self.seen: list[Seen] = []
        self.under_way = self.most_under_way = 0
        self._scripts: dict[str, list[Step]] = defaultdict(lambda: [Step(404)])

    def forget(self) -> None:
        """As at the start: no script, nothing seen."""
        self._scripts.clear()
        self.seen = []
        self.under_way = self.most_under_way = 0

    def on(self, path: str, *steps: Step) -> None:
        """Script a path."""
        self._scripts[path] = list(steps)

    def asked(self, path: str) -> int:
        """Requests of a path so far."""
        return sum(1 for seen in self.seen if seen.path == path)

    async def answer(self, request: Request) -> Response:
        """The next step of the path's script."""
        path = request.url.path
        body = await request.body()
        self.seen.append(Seen(path, dict(request.query_params), dict(request.headers), body))
        script = self._scripts[path]
        step = script.pop(0) if len(script) > 1 else script[0]
        self.under_way += 1
        self.most_under_way = max(self.most_under_way, self.under_way)
        try:
            await asyncio.sleep(step.delay_s)
        finally:
            self.under_way -= 1
        return _Answer(step)


@contextmanager
def scripted_platform() -> Iterator[ScriptedPlatform]:
    """A scripted platform on a free loopback port."""
    platform = ScriptedPlatform()
    with serve(Starlette(routes=[Route("/{rest:path}", platform.answer, methods=["GET", "POST"])])) as running:
        platform.url = running.url
        yield platform


@dataclass
class HandClock:
    """Time that passes only when told to, or when somebody pauses."""

    instant: datetime = datetime(2026, 7, 1, 4, 0, tzinfo=UTC)
    seconds: float = 0.0
    pauses: list[float] = field(default_factory=list)

    def now(self) -> datetime:
        return self.instant

    def monotonic(self) -> float:
        return self.seconds

    def pass_(self, seconds: float) -> None:
        """Let time go by."""
        self.instant += timedelta(seconds=seconds)
        self.seconds += seconds

    async def sleep(self, seconds: float) -> None:
        self.pauses.append(seconds)
        self.pass_(seconds)
        await asyncio.sleep(0)


@dataclass
class Sink:
    """Keeps the events."""

    events: list[ToolEvent] = field(default_factory=list)

    def record(self, event: ToolEvent) -> None:
        self.events.append(event)

    def of(self, kind: EventType) -> list[ToolEvent]:
        """Events of one type."""
        return [event for event in self.events if event.event_type is kind]


@dataclass
class Bench:
    """A gateway in front of a scripted platform, its sink and its clock."""

    platform: ScriptedPlatform
    clock: HandClock = field(default_factory=HandClock)
    sink: Sink = field(default_factory=Sink)

    def provider(self, dialect: Any = house.SEARCH, name: str = "", **limits: Any) -> Provider[Any, Any]:
        """A provider of the platform; a name of its own is also its path prefix, so that two can be told apart."""
        base_url = f"{self.platform.url}/{name}" if name else self.platform.url
        return Provider(dialect, base_url, name=name, limits=Limits(**limits))

    def gateway(self, *providers: Provider[Any, Any], **policy: Any) -> ToolGateway:
        """A gateway over these providers (by default the house's four)."""
        chosen = providers or tuple(
            self.provider(dialect)
            for dialect in (house.SEARCH, house.ACCOUNT, house.ARTICLE_LIST, house.ARTICLE_DETAIL)
        )
        lines: dict[Tool, Sequence[Provider[Any, Any]]] = {
            tool: [one for one in chosen if one.tool is tool] for tool in Tool
        }
        bounds = CallPolicy(**{"timeout_s": 5, **policy})
        terms = CallTerms(bounds, self.sink, CountingIds("request"), self.clock, self.clock.sleep, self.clock.monotonic)
        return ToolGateway(lines, terms)
