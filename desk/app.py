"""The desk as an application: routes, sign-in, form tokens, and errors as pages."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from desk.authentication import COOKIE, Authenticator, TooManyTries
from desk.rendering import SecurityHeaders, page, style_sheet
from desk.reports import NoSuchReport, stored_report
from desk.review.tasks import listing, task_view
from desk.sessions import LIFE_S, Session
from resources.databases.supply_store.engine import SupplyStore
from resources.databases.supply_store.tasks.review_pages import Kind
from resources.foundation.clock import Clock
from resources.foundation.errors import NoSuchTask, Pattern2PlanError, ServiceUnreachable, UsageError
from resources.settings.desk import DeskSettings
from supply_assets.review.review import Decision, Reviewer, review_candidate, review_task
from supply_assets.review.review_state import review_of
from supply_assets.standing.freeze_state import freeze_of

LARGEST_FORM = 16_384
LONGEST_ID = 18
"""Digits of an id; a longer number is no row of any table, and more than some databases can be asked for."""
LOOPBACK_NAMES = ["127.0.0.1", "localhost", "[::1]"]
Answer = Callable[[Request, Session], Awaitable[Response]]


class ForeignForm(Pattern2PlanError):
    """A form that is not one of this session's pages."""


STATUS_OF_ERROR: Mapping[type[Pattern2PlanError], int] = {
    TooManyTries: 429,
    ForeignForm: 403,
    NoSuchTask: 404,
    NoSuchReport: 404,
    ServiceUnreachable: 503,
    UsageError: 400,
}
"""The first that fits; any other error, a refused review among them, is 409."""


def build_desk(store: SupplyStore, settings: DeskSettings, clock: Clock, reports: Path) -> Starlette:
    """The application; the store stays the caller's. ``reports`` is the folder that pages of batches are kept in."""
    desk = _Desk(store, Authenticator(settings, clock), clock, reports)
    routes = [
        Route("/", desk.guarded(desk.tasks)),
        Route("/tasks/{task_id}", desk.guarded(desk.task)),
        Route("/reports/{batch}", desk.guarded(desk.report)),
        Route("/tasks/{task_id}/decide", desk.guarded(desk.decide_task), methods=["POST"]),
        Route("/candidates/{candidate_id}/decide", desk.guarded(desk.decide_candidate), methods=["POST"]),
        Route("/sign-in", desk.sign_in, methods=["GET", "POST"]),
        Route("/sign-out", desk.guarded(desk.sign_out), methods=["POST"]),
        Route("/desk.css", style_sheet),
    ]
    names = [*LOOPBACK_NAMES, *settings.host_names]
    hosts = Middleware(TrustedHostMiddleware, allowed_hosts=names, www_redirect=False)
    return Starlette(
        routes=routes,
        middleware=[Middleware(SecurityHeaders), hosts],
        exception_handlers={HTTPException: _http_error, Exception: _server_error},
    )


class _Desk:
    def __init__(self, store: SupplyStore, authenticator: Authenticator, clock: Clock, reports: Path) -> None:
        self._store = store
        self._reports = reports
        self._authenticator = authenticator
        self._clock = clock

    def guarded(self, answer: Answer) -> Callable[[Request], Awaitable[Response]]:
        """Nobody gets in without a name; a product error becomes a page of its own."""

        async def endpoint(request: Request) -> Response:
            session = self._authenticator.session_of(request)
            if session is None:
                return self._outside(request)
            try:
                return await answer(request, session)
            except Pattern2PlanError as error:
                return _error_page(request, _status(error), error.message, error.fix, session)

        return endpoint

    def _outside(self, request: Request) -> Response:
        if request.method != "POST" and self._authenticator.asks_for_token:
            return RedirectResponse("/sign-in", 303)
        return self._sign_in_page(request, status=401)

    def _sign_in_page(self, request: Request, status: int, wrong: bool = False) -> Response:
        asks = self._authenticator.asks_for_token
        return page(request, "sign_in.html.j2", status=status, session=None, asks=asks, wrong=wrong)

    async def sign_in(self, request: Request) -> Response:
        if request.method != "POST":
            return self._sign_in_page(request, status=200)
        asks = self._authenticator.asks_for_token
        try:
            _require_same_origin(request)
            form = await _form(request)
            name, token = form.get("name", ""), form.get("token", "")
            cookie = await self._authenticator.sign_in(request, name, token) if asks else None
        except Pattern2PlanError as error:
            return _error_page(request, _status(error), error.message, error.fix)
        if cookie is None:
            return self._sign_in_page(request, status=401, wrong=True)
        response = RedirectResponse("/", 303)
        secure = self._authenticator.is_https(request)
        response.set_cookie(COOKIE, cookie, max_age=LIFE_S, httponly=True, samesite="strict", secure=secure)
        return response

    async def sign_out(self, request: Request, session: Session) -> Response:
        await self._own_form(request, session)
        response = RedirectResponse("/sign-in", 303)
        response.delete_cookie(COOKIE)
        return response

    async def tasks(self, request: Request, session: Session) -> Response:
        asked = request.query_params
        kind = Kind(asked["kind"]) if asked.get("kind") in list(Kind) else Kind.OPEN
        before, find = _id(asked.get("before", "")), asked.get("find", "").strip()[:100]
        shown = await run_in_threadpool(listing, self._store, kind, find, before)
        return self._page(request, "tasks.html.j2", session, shown=shown, freeze_of=freeze_of, review_of=review_of)

    async def task(self, request: Request, session: Session) -> Response:
        view = await run_in_threadpool(task_view, self._store, request.path_params["task_id"])
        done = "done" in request.query_params
        return self._page(request, "task.html.j2", session, view=view, decisions=list(Decision), done=done)

    async def report(self, request: Request, session: Session) -> Response:
        return await run_in_threadpool(stored_report, self._reports, request.path_params["batch"])

    def _page(self, request: Request, template: str, session: Session, **values: Any) -> Response:
        """A page with forms, which carry the session's token."""
        token = self._authenticator.sessions.form_token(session)
        return page(request, template, session=session, token=token, **values)

    async def decide_task(self, request: Request, session: Session) -> Response:
        form = await self._own_form(request, session)
        task_id = request.path_params["task_id"]
        decision, reviewer = _decision(form, session)
        await run_in_threadpool(review_task, self._store, self._clock, task_id, decision, reviewer)
        return RedirectResponse(f"/tasks/{quote(task_id, safe='')}?done", 303)

    async def decide_candidate(self, request: Request, session: Session) -> Response:
        form = await self._own_form(request, session)
        candidate_id = _id(request.path_params["candidate_id"]) or 0
        decision, reviewer = _decision(form, session)
        await run_in_threadpool(review_candidate, self._store, self._clock, candidate_id, decision, reviewer)
        return RedirectResponse(f"/tasks/{quote(form.get('task_id', ''), safe='')}?done#c{candidate_id}", 303)

    async def _own_form(self, request: Request, session: Session) -> dict[str, str]:
        _require_same_origin(request)
        form = await _form(request)
        request.state.task_id = form.get("task_id")
        if not self._authenticator.sessions.is_form_token(session, form.get("form_token", "")):
            raise ForeignForm("this form is not one of your session", "open the page again")
        return form


def _error_page(request: Request, status: int, message: str, fix: str, session: Session | None = None) -> Response:
    """What went wrong and what to do, with the way back to the task whose form was sent."""
    task_id = getattr(request.state, "task_id", None) if status != 404 else None
    return page(
        request,
        "trouble.html.j2",
        status=status,
        session=session,
        trouble={"message": message, "fix": fix},
        task_page=f"/tasks/{quote(task_id, safe='')}" if task_id else None,
    )


async def _http_error(request: Request, error: Exception) -> Response:
    """An address or a request that the desk does not know."""
    assert isinstance(error, HTTPException), "registered for these alone"
    return _error_page(request, error.status_code, error.detail, "open the desk's first page")


async def _server_error(request: Request, error: Exception) -> Response:
    """A fault of the desk itself: the server's log says which, the page does not."""
    return _error_page(request, 500, "the desk could not make this page", "the log of the desk says why")


def _id(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) <= LONGEST_ID else None


def _decision(form: dict[str, str], session: Session) -> tuple[Decision, Reviewer]:
    """What is decided, by the person who signed in."""
    try:
        decision = Decision(form.get("decision", ""))
    except ValueError:
        raise UsageError("decision: hold, release, accept or reject is needed", "use the buttons") from None
    return decision, Reviewer(session.name, form.get("reason", "").strip())


async def _form(request: Request) -> dict[str, str]:
    """The fields of a form of at most 16 KB."""
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > LARGEST_FORM:
            raise UsageError("the form is too large", "say it shorter")
    request._body = body
    async with request.form(max_files=0, max_fields=20) as form:
        fields = {name: value for name, value in form.items() if isinstance(value, str)}
    try:
        "".join(fields.values()).encode()
    except UnicodeEncodeError:
        raise UsageError("the form holds characters that no text can have", "write it anew") from None
    return fields


def _require_same_origin(request: Request) -> None:
    """A browser says where a form comes from; one that comes from elsewhere changes nothing.

    Raises:
        ForeignForm: another site sent it.
    """
    origin, fetch_site = request.headers.get("origin"), request.headers.get("sec-fetch-site")
    if fetch_site is not None:
        own = fetch_site in ("same-origin", "none")
    else:
        own = origin is None or urlsplit(origin).netloc == request.headers.get("host")
    if not own:
        raise ForeignForm("the form was sent from another site", "open the desk itself")


def _status(error: Pattern2PlanError) -> int:
    return next((status for kind, status in STATUS_OF_ERROR.items() if isinstance(error, kind)), 409)
