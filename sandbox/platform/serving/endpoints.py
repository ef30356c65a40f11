"""An address of the platform: reads a request, lets faults strike, does the work, answers in a dialect.

Belongs here: how each fault is carried out over HTTP. Does not belong here: whether it strikes (``faults``), what
the work is (dialects, ``plan_service``).
"""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.types import Receive, Scope, Send

from resources.foundation import strict_json
from sandbox.platform.corpus.articles import digest_of
from sandbox.platform.corpus.pages import deleted_page, verify_page
from sandbox.platform.serving.faults import (
    FaultDecider,
    FaultName,
    FaultRule,
    FaultsInvalid,
    Injected,
    Target,
    asked_fault,
)

BAD_ARGUMENT, FREQUENCY = 20002, 200013
TRANSPORT = "sandbox.transport"
"""Key of the connection in a request's ``state``, put there by ``serve``."""
_PAGING = frozenset({"page", "page_size", "cursor", "count", "begin", "start"})
_FAULT_PARAMETER = "fault"
_GREATEST = 10**6


class ApiRequest(NamedTuple):
    """A request as the work sees it."""

    query: Mapping[str, str]
    path: Mapping[str, str]
    headers: Mapping[str, str]
    body: bytes
    alterations: Mapping[FaultName, float]


class ArgumentRefused(Exception):
    """A parameter is missing or not what it should be; the text begins with its name."""


Work = Callable[[ApiRequest], Response]


class Dialect(ABC):
    """How one vendor says that something went wrong; here as most of them do."""

    @abstractmethod
    def error(self, code: int, message: str) -> Response:
        """One of the vendor's own codes."""

    def refused(self, message: str) -> Response:
        """A parameter is not what it should be."""
        return self.error(BAD_ARGUMENT, message)

    def frequency(self) -> Response:
        """The caller is too quick."""
        return json_response({"ret": FREQUENCY, "msg": "freq control"})

    def verify(self, request: ApiRequest, target: Target) -> Response:
        """A person is wanted first."""
        return html_response(verify_page())

    def deleted(self, request: ApiRequest) -> Response:
        """The article is gone."""
        return html_response(deleted_page())


@dataclass
class Traffic:
    """Counts of requests by target, and how many were being answered at most at one time."""

    requests: Counter[Target] = field(default_factory=Counter)
    in_flight: int = 0
    max_in_flight: int = 0

    def enter(self, target: Target) -> None:
        """A request begins."""
        self.requests[target] += 1
        self.in_flight += 1
        self.max_in_flight = max(self.max_in_flight, self.in_flight)

    def leave(self) -> None:
        """A request ends."""
        self.in_flight -= 1

    def reset(self) -> None:
        """Count from the beginning; requests under way stay under way."""
        self.requests.clear()
        self.max_in_flight = self.in_flight


@dataclass(frozen=True)
class Handler:
    """The handler of one address."""

    target: Target
    dialect: Dialect
    work: Work
    decider: FaultDecider
    traffic: Traffic

    async def answer(self, request: Request) -> Response:
        """The response to ``request``, with the faults that strike it."""
        self.traffic.enter(self.target)
        try:
            return await self._answer(request)
        finally:
            self.traffic.leave()

    async def _answer(self, request: Request) -> Response:
        body = await request.body()
        query = dict(request.query_params)
        asked_text = query.pop(_FAULT_PARAMETER, "")
        try:
            asked = asked_fault(asked_text, self.target) if asked_text else None
        except FaultsInvalid as error:
            return json_response({"code": BAD_ARGUMENT, "msg": str(error)}, 400)
        listing = _listed({name: value for name, value in query.items() if name not in _PAGING}, request.url.path)
        paging = _listed({name: value for name, value in query.items() if name in _PAGING}, _body_key(request, body))
        injected = self.decider.decide(self.target, listing, paging, asked)
        if injected.wait_s:
            await asyncio.sleep(injected.wait_s)
        api_request = ApiRequest(query, request.path_params, request.headers, body, injected.alterations)
        return await self._answer_with_faults(api_request, injected, request)

    async def _answer_with_faults(self, api_request: ApiRequest, injected: Injected, request: Request) -> Response:
        failure = injected.failure
        if failure is None:
            return self._do_work(api_request)
        if failure.fault is FaultName.HANG:
            await _sleep_or_disconnect(request, failure.measure())
            return Dropped()
        if failure.fault is FaultName.DROP_BEFORE:
            return Dropped()
        if failure.fault in (FaultName.DROP_AFTER, FaultName.SLOW_AFTER, FaultName.BROKEN_JSON):
            return await self._spoil_answer(self._do_work(api_request), failure, request)
        return self._answer_instead(api_request, failure)

    def _do_work(self, api_request: ApiRequest) -> Response:
        try:
            return self.work(api_request)
        except ArgumentRefused as error:
            return self.dialect.refused(str(error))

    async def _spoil_answer(self, response: Response, failure: FaultRule, request: Request) -> Response:
        """The work was done; its answer is lost, late or cut."""
        if failure.fault is FaultName.DROP_AFTER:
            return Dropped()
        if failure.fault is FaultName.SLOW_AFTER:
            await _sleep_or_disconnect(request, failure.measure())
            return response
        cut = bytes(response.body)[: len(response.body) // 2]
        return Response(cut, response.status_code, media_type=response.media_type)

    def _answer_instead(self, api_request: ApiRequest, failure: FaultRule) -> Response:
        """What is answered in place of the work."""
        if failure.fault is FaultName.RATE_LIMIT:
            refusal = {"code": -1, "msg": "QPS exceeded"}
            return json_response(refusal, 429, {"Retry-After": f"{failure.measure():g}"})
        if failure.fault is FaultName.SERVER_ERROR:
            return json_response({"code": 50000, "msg": "internal error"}, int(failure.measure()))
        if failure.fault is FaultName.ERROR_CODE:
            return self.dialect.error(int(failure.measure()), "error")
        if failure.fault is FaultName.FREQ_CONTROL:
            return self.dialect.frequency()
        if failure.fault is FaultName.VERIFY_PAGE:
            return self.dialect.verify(api_request, self.target)
        return self.dialect.deleted(api_request)


class Dropped(Response):
    """No answer at all: the connection is closed where it stands."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        transport: asyncio.Transport = scope["state"][TRANSPORT]
        transport.abort()
        # The server notices at its next turn; until then it would report a missing response.
        while (await receive())["type"] != "http.disconnect":
            pass


def json_response(value: object, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """Strict JSON."""
    return Response(strict_json.dumps(value).encode(), status, headers, media_type="application/json")


def html_response(page: str) -> Response:
    """A page with status 200, as the public platform serves even its refusals."""
    return HTMLResponse(page)


def required(request: ApiRequest, name: str) -> str:
    """A parameter that must not be blank.

    Raises:
        ArgumentRefused: it is missing or blank.
    """
    value = request.query.get(name, "").strip()
    if not value:
        raise ArgumentRefused(f"{name}: is missing or blank")
    return value


def whole_number(request: ApiRequest, name: str, default: int, *, least: int = 0, most: int = _GREATEST) -> int:
    """A parameter that is a whole number in a range.

    Raises:
        ArgumentRefused: it is no such number.
    """
    text = request.query.get(name, str(default))
    if not (text.isascii() and text.isdigit() and len(text) <= 12 and least <= int(text) <= most):
        raise ArgumentRefused(f"{name}: {text[:40]!r} is not a whole number of {least} … {most}")
    return int(text)


def _listed(parameters: Mapping[str, str], about: str) -> str:
    return "&".join([about, *(f"{name}={value}" for name, value in sorted(parameters.items()))])


def _body_key(request: Request, body: bytes) -> str:
    """What tells one posted request from another: its operation, else its content."""
    key: str = request.headers.get("Idempotency-Key", "")
    return key or (digest_of(body.decode("utf-8", "replace")) if body else "")


async def _sleep_or_disconnect(request: Request, seconds: float) -> None:
    """Wait, but no longer than the caller does."""
    try:
        async with asyncio.timeout(seconds):
            while (await request.receive())["type"] != "http.disconnect":
                pass
    except TimeoutError:
        return
