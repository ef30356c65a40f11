"""The house dialect: all four tools, each a 200 with ``{"code", "msg", "data"}``."""

from __future__ import annotations

from typing import Any

from resources.calls.bodies import field, good_body
from resources.calls.foreign_text.text_bounds import check_lines
from resources.calls.outcomes.answers import Tool
from resources.calls.outcomes.verdicts import Reading, WrongShape
from resources.calls.provider import Dialect, present, validated
from resources.calls.transport import Outgoing, Reply
from resources.links.secrets import without_secrets
from resources.tool_gateway.providers.rows import read_items
from resources.tool_gateway.results.models import (
    AccountInfo,
    AccountRequest,
    ArticleDetail,
    ArticleDetailRequest,
    ArticleList,
    ArticleListRequest,
    SearchPage,
    SearchRequest,
)
from resources.tool_gateway.results.pages import read_article_page

PROBE = Outgoing("/healthz")


def _data(reply: Reply) -> tuple[dict[str, Any], dict[str, Any]]:
    """The whole body and its ``data``."""
    body = good_body(reply)
    field(body, "code")
    data = field(body, "data")
    if not isinstance(data, dict):
        raise WrongShape("data", "an object was due")
    return body, data


def _ask_search(request: SearchRequest) -> Outgoing:
    params = {"keyword": request.keyword, "page": str(request.page), "page_size": str(request.page_size)}
    return Outgoing("/tools/weixin_search", params)


def _read_search(reply: Reply, request: SearchRequest) -> Reading[SearchPage]:
    body, data = _data(reply)
    items = read_items(field(data, "items", "data."), "data.items")
    return Reading(validated(SearchPage, {"page": request.page, **present(data), "items": items}, "data"), body)


def _ask_account(request: AccountRequest) -> Outgoing | None:
    params = {name: value for name, value in request.model_dump().items() if value}
    return Outgoing("/tools/fetch_weixin_account", params) if params else None


def _read_account(reply: Reply, _request: AccountRequest) -> Reading[AccountInfo]:
    body, data = _data(reply)
    check_lines({name: data.get(name) for name in AccountInfo.model_fields}, "data")
    info = validated(AccountInfo, {**present(data), "raw": data}, "data")
    if not (info.account_id or info.biz or info.account_name):
        raise WrongShape("data.account_id", "missing, and so are biz and account_name")
    return Reading(info, body)


def _ask_list(request: ArticleListRequest) -> Outgoing | None:
    who = {name: value for name in ("account_id", "biz") if (value := getattr(request, name))}
    if not who:
        return None
    part = {"cursor": str(request.cursor), "count": str(request.count)}
    return Outgoing("/tools/fetch_account_article_list", {**who, **part})


def _read_list(reply: Reply, _request: ArticleListRequest) -> Reading[ArticleList]:
    body, data = _data(reply)
    items = read_items(field(data, "items", "data."), "data.items")
    return Reading(validated(ArticleList, {**data, "items": items}, "data"), body)


def _ask_detail(request: ArticleDetailRequest) -> Outgoing:
    return Outgoing("/tools/fetch_article_detail", {"url": without_secrets(request.url)})


def _read_detail(reply: Reply, request: ArticleDetailRequest) -> Reading[ArticleDetail]:
    body, data = _data(reply)
    page = field(data, "html", "data.")
    if not isinstance(page, str):
        raise WrongShape("data.html", "a text was due")
    return Reading(read_article_page(page, without_secrets(request.url)), body)


SEARCH = Dialect("house", Tool.SEARCH, _ask_search, _read_search, PROBE)
ACCOUNT = Dialect("house", Tool.ACCOUNT, _ask_account, _read_account, PROBE)
ARTICLE_LIST = Dialect("house", Tool.ARTICLE_LIST, _ask_list, _read_list, PROBE)
ARTICLE_DETAIL = Dialect("house", Tool.ARTICLE_DETAIL, _ask_detail, _read_detail, PROBE)
