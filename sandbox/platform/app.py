"""The platform as one application: every dialect, the plan service and the sandbox's own switches.

Belongs here: which address leads where, the token, ``/admin``. Does not belong here: what an address answers.
"""

from __future__ import annotations

import hmac
from typing import Any

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from sandbox.platform.corpus.articles import Corpus
from sandbox.platform.corpus.catalogue import Catalogue
from sandbox.platform.dialects.house import HouseTools
from sandbox.platform.dialects.mp import MpTools
from sandbox.platform.dialects.public_page import PublicPages
from sandbox.platform.dialects.sogou import SogouSearch
from sandbox.platform.dialects.whosecard import WhosecardSearch
from sandbox.platform.plans.plan_service import PlanEndpoints
from sandbox.platform.plans.plans import PlanStore
from sandbox.platform.serving.endpoints import BAD_ARGUMENT, Dialect, Handler, Traffic, Work, json_response
from sandbox.platform.serving.faults import FaultConfig, FaultDecider, FaultsInvalid, Target, parse_faults

_OPEN_TO_ALL = ("/healthz", "/s")


def build_app(
    corpus: Corpus,
    *,
    faults: FaultConfig | None = None,
    token: str | None = None,
    plans: PlanStore | None = None,
) -> Starlette:
    """The application; serve it with :mod:`sandbox.platform.serving.serve`, which lets it drop connections.

    Args:
        corpus: articles and accounts to serve.
        faults: what goes wrong from the start; ``PUT /admin/faults`` changes it.
        token: asked for as ``Authorization: Bearer`` where it is given; probes and public pages never ask.
        plans: where plans are kept; in memory by default.
    """
    catalogue = Catalogue(corpus)
    kept = plans if plans is not None else PlanStore()
    switches = _Switches(faults or FaultConfig(), kept)
    routes = [
        *_tool_routes(catalogue, switches),
        *_plan_routes(kept, switches),
        Route("/healthz", _healthy),
        Route("/admin/plans", switches.show_plans),
        Route("/admin/calls", switches.show_calls),
        Route("/admin/faults", switches.show_faults),
        Route("/admin/faults", switches.set_faults, methods=["PUT"]),
        Route("/admin/reset", switches.reset, methods=["POST"]),
    ]
    guard = [Middleware(_TokenGuard, token=token)] if token else []
    return Starlette(routes=routes, middleware=guard)


class _Switches:
    """What ``/admin`` shows and changes."""

    def __init__(self, faults: FaultConfig, plans: PlanStore) -> None:
        self.decider = FaultDecider(faults)
        self.traffic = Traffic()
        self._first_faults = faults
        self._plans = plans

    def route(self, path: str, target: Target, dialect: Dialect, work: Work, method: str = "GET") -> Route:
        """An address at which faults can strike."""
        return Route(path, Handler(target, dialect, work, self.decider, self.traffic).answer, methods=[method])

    async def show_plans(self, request: Request) -> Response:
        """Every plan in full."""
        plans = [plan.summary() | plan.model_dump() for plan in self._plans.plans()]
        return json_response({"plans": plans, "created": len(plans)})

    async def show_calls(self, request: Request) -> Response:
        """Requests by endpoint, faults that struck by name and by endpoint, the most requests at one time."""
        faults: dict[str, int] = {}
        struck: dict[str, dict[str, int]] = {}
        for (target, name), number in sorted(self.decider.struck.items()):
            faults[name] = faults.get(name, 0) + number
            struck.setdefault(target, {})[name] = number
        endpoints = {str(target): number for target, number in sorted(self.traffic.requests.items())}
        counts: dict[str, Any] = {"endpoints": endpoints, "faults": faults, "faults_by_endpoint": struck}
        return json_response(counts | {"max_in_flight": self.traffic.max_in_flight})

    async def show_faults(self, request: Request) -> Response:
        """The rules in force."""
        return json_response(self.decider.config.model_dump(mode="json"))

    async def set_faults(self, request: Request) -> Response:
        """Other rules from now on; 400 names the field that is wrong."""
        try:
            self.decider.configure(parse_faults(await request.body()))
        except FaultsInvalid as error:
            return json_response({"code": BAD_ARGUMENT, "msg": str(error)}, 400)
        return await self.show_faults(request)

    async def reset(self, request: Request) -> Response:
        """As at the start: no plans, no counts, the first rules."""
        self._plans.clear()
        self.traffic.reset()
        self.decider.reset()
        self.decider.configure(self._first_faults)
        return json_response({"ok": True})


def _tool_routes(catalogue: Catalogue, switches: _Switches) -> list[Route]:
    house, back_office, pages = HouseTools(catalogue), MpTools(catalogue), PublicPages(catalogue)
    whosecard, sogou = WhosecardSearch(catalogue), SogouSearch(catalogue)
    return [
        switches.route("/tools/weixin_search", Target.SEARCH, house, house.search),
        switches.route("/tools/fetch_weixin_account", Target.ACCOUNT, house, house.account),
        switches.route("/tools/fetch_account_article_list", Target.ARTICLE_LIST, house, house.article_list),
        switches.route("/tools/fetch_article_detail", Target.ARTICLE_DETAIL, house, house.article_detail),
        switches.route("/cgi-bin/searchbiz", Target.ACCOUNT, back_office, back_office.search_biz),
        switches.route("/cgi-bin/appmsgpublish", Target.ARTICLE_LIST, back_office, back_office.published),
        switches.route("/api/wx/article/search", Target.SEARCH, whosecard, whosecard.search),
        switches.route("/weixinwap", Target.SEARCH, sogou, sogou.search),
        switches.route("/s", Target.ARTICLE_DETAIL, pages, pages.page),
        switches.route("/s/{short}", Target.ARTICLE_DETAIL, pages, pages.page),
    ]


def _plan_routes(plans: PlanStore, switches: _Switches) -> list[Route]:
    service = PlanEndpoints(plans)
    bind = "/plans/{crawler_plan_id}/produce-plan"
    return [
        switches.route("/plans", Target.PLAN_CREATE, service, service.create, "POST"),
        switches.route("/plans", Target.PLAN_FIND, service, service.find),
        switches.route(bind, Target.PLAN_BIND, service, service.bind, "POST"),
    ]


async def _healthy(request: Request) -> Response:
    return json_response({"ok": True})


class _TokenGuard:
    """401 without the token."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app = app
        self._expected = f"Bearer {token}".encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and not self._may_pass(scope):
            await json_response({"code": 10002, "msg": "token is missing or wrong"}, 401)(scope, receive, send)
            return
        await self._app(scope, receive, send)

    def _may_pass(self, scope: Scope) -> bool:
        path: str = scope["path"]
        if path in _OPEN_TO_ALL or path.startswith("/s/"):
            return True
        given = dict(scope["headers"]).get(b"authorization", b"")
        return hmac.compare_digest(given, self._expected)
