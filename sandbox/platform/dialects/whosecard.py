"""The dialect of one search vendor: ten hits a page, ``hasMore`` and ``nextStart``.

Belongs here: its article search. Does not belong here: faults, look-ups.
"""

from __future__ import annotations

from typing import Any

from starlette.responses import Response

from sandbox.platform.corpus.articles import Account, Article, shanghai_time
from sandbox.platform.corpus.catalogue import Catalogue
from sandbox.platform.dialects.house import cover_of
from sandbox.platform.serving.endpoints import FREQUENCY, ApiRequest, Dialect, json_response, required, whole_number
from sandbox.platform.serving.paging import cut_page

PAGE_SIZE = 10


class WhosecardSearch(Dialect):
    """Articles by keyword; refusals as ``ok: false`` with a reason."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue

    def error(self, code: int, message: str) -> Response:
        return json_response({"ok": False, "cost": False, "retCode": code, "error": message})

    def frequency(self) -> Response:
        return json_response({"ok": False, "cost": False, "ret": FREQUENCY, "error": "freq control"})

    def search(self, request: ApiRequest) -> Response:
        """``keyword``, ``start`` from 0."""
        start = whole_number(request, "start", 0)
        page = cut_page(self._catalogue.search(required(request, "keyword")), start, PAGE_SIZE, request.alterations)
        result: dict[str, Any] = {
            "count": len(page.entries),
            "hasMore": page.has_more,
            "total": page.total,
            "viewTotal": page.total,
            "items": [_item(article, account) for article, account in self._catalogue.listed(page.entries)],
        }
        if page.has_more:
            result["nextStart"] = start + PAGE_SIZE
        return json_response({"ok": True, "cost": True, "result": result})


def _item(article: Article, account: Account) -> dict[str, Any]:
    return {
        "accountId": account.account_id,
        "accountName": account.name,
        "content": article.digest or "",
        "cover": cover_of(article),
        "publishedDate": shanghai_time(article.published).strftime("%Y-%m-%d"),
        "time": article.published,
        "title": article.title,
        "url": article.link,
    }
