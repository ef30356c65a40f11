"""A reseller's article search: ten a page, counted by ``start``; the size of a page cannot be asked for.

Page *n* is always the *n*-th ten, so that paging through this provider alone leaves no gap.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict

from resources.calls.bodies import field, good_body
from resources.calls.outcomes.answers import Tool
from resources.calls.outcomes.verdicts import Reading, WrongShape
from resources.calls.provider import Dialect, validated
from resources.calls.transport import Outgoing, Reply
from resources.tool_gateway.providers.rows import read_items
from resources.tool_gateway.results.models import SearchPage, SearchRequest

PAGE_SIZE = 10


class _Result(BaseModel):
    model_config = ConfigDict(extra="ignore")

    hasMore: bool  # noqa: N815 (the vendor's spelling)
    total: int | None = None


def _ask(request: SearchRequest) -> Outgoing:
    start = (request.page - 1) * PAGE_SIZE
    return Outgoing("/api/wx/article/search", {"keyword": request.keyword, "start": str(start)})


def _read(reply: Reply, request: SearchRequest) -> Reading[SearchPage]:
    body = good_body(reply)
    field(body, "ok")
    result = field(body, "result")
    if not isinstance(result, dict):
        raise WrongShape("result", "an object was due")
    page = validated(_Result, result, "result")
    items = read_items(field(result, "items", "result."), "result.items", _row)
    return Reading(SearchPage(items=items, page=request.page, has_more=page.hasMore, total=page.total), body)


def _row(row: Mapping[str, Any]) -> dict[str, Any]:
    """``accountId`` is the account's public alias unless it looks like ``gh_…``; an alias is no id."""
    account = str(row.get("accountId") or "")
    return {
        "title": row.get("title"),
        "url": row.get("url"),
        "digest": row.get("content"),
        "cover_url": row.get("cover"),
        "publish_time": row.get("time") or row.get("publishedDate"),
        "account_id": account if account.startswith("gh_") else None,
        "account_name": row.get("accountName"),
    }


SEARCH = Dialect(
    "whosecard", Tool.SEARCH, _ask, _read, Outgoing("/api/wx/article/search", {"keyword": "微信", "start": "0"})
)
