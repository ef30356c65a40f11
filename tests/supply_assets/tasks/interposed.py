"""A platform of which single requests can be answered otherwise, and that remembers what it was asked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send


class Asked(NamedTuple):
    """A request: its method, its path and its query."""

    method: str
    path: str
    query: dict[str, str]


LOST = JSONResponse({"code": 50000, "msg": "lost on its way back"}, 503)
"""In place of an answer: the work is done, and its answer never arrives."""
Instead = Callable[[Asked], Response | None]


class Interposed:
    """The application behind it answers whatever ``instead`` gives no answer to."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self.asked: list[Asked] = []
        self.instead: Instead | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = _read(scope)
        if not request.path.startswith("/admin"):
            self.asked.append(request)
        answer = self.instead(request) if self.instead else None
        if answer is LOST:
            await self._app(scope, receive, _nowhere)
        await (answer or self._app)(scope, receive, send)


async def _nowhere(_: Message) -> None:
    return


def _read(scope: Scope) -> Asked:
    return Asked(scope["method"], scope["path"], dict(Request(scope).query_params))


def said(data: Any = None, code: int = 0) -> Response:
    """An envelope of the house dialect."""
    return JSONResponse({"code": code, "msg": "ok" if code == 0 else "error", "data": data})
