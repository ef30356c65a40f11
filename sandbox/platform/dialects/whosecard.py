"""The dialect of one search vendor: ten hits a page, ``hasMore`` and ``nextStart``.

Belongs here: its article search. Does not belong here: faults, look-ups.
"""

from __future__ import annotations

from typing import Any

from starlette.responses import Response

from sandbox.platform.corpus.articles import shanghai_time
from sandbox.platform.corpus.catalogue import Catalogue
from sandbox.platform.corpus.links import repeated_link
from sandbox.platform.corpus.pages import deleted_page, verify_page
from sandbox.platform.dialects.house import cover_of
from sandbox.platform.serving.endpoints import Ask, html_response, json_response, required, whole_number
from sandbox.platform.serving.faults import Target
from sandbox.platform.serving.paging import cut_page

PAGE_SIZE = 10
BAD_ARGUMENT, FREQUENCY = 20002, 200013
_DEEPEST = 10**6


class WhosecardDialect:
    """Refusals as ``ok: false`` with a reason."""

    def refused(self, message: str) -> Response:
        return self.error(BAD_ARGUMENT, message)

    def error(self, code: int, message: str) -> Response:
        return json_response({"ok": False, "cost": False, "retCode": code, "error": message})

    def frequency(self) -> Response:
        return json_response({"ok": False, "cost": False, "ret": FREQUENCY, "error": "freq control"})

    def verify(self, ask: Ask, target: Target) -> Response:
        return html_response(verify_page())

    def deleted(self, ask: Ask) -> Response:
        return html_response(deleted_page())


class WhosecardSearch:
    """Articles by keyword."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue

    def search(self, ask: Ask) -> Response:
        """``keyword``, ``start`` from 0."""
        start = whole_number(ask, "start", 0, least=0, most=_DEEPEST)
        page = cut_page(self._catalogue.search(required(ask, "keyword")), start, PAGE_SIZE, ask.alterations)
        result: dict[str, Any] = {
            "count": len(page.entries),
            "hasMore": page.has_more,
            "total": page.total,
            "viewTotal": page.total,
            "items": [self._item(position, repeated) for position, repeated in page.entries],
        }
        if page.has_more:
            result["nextStart"] = start + PAGE_SIZE
        return json_response({"ok": True, "cost": True, "result": result})

    def _item(self, position: int, repeated: bool) -> dict[str, Any]:
        article = self._catalogue.articles[position]
        account = self._catalogue.account_of(article)
        return {
            "accountId": account.account_id,
            "accountName": account.name,
            "content": article.digest or "",
            "cover": cover_of(article),
            "publishedDate": shanghai_time(article.published).strftime("%Y-%m-%d"),
            "time": article.published,
            "title": article.title,
            "url": repeated_link(article.page_link) if repeated else article.link,
        }
