"""The house dialect: each tool answers 200 with ``{"code", "msg", "data"}``.

Belongs here: the four tools in that shape. Does not belong here: other vendors' shapes, faults, look-ups.
"""

from __future__ import annotations

from typing import Any

from starlette.responses import Response

from sandbox.platform.corpus.articles import Account, Article, ArticleState, Counts, digest_of
from sandbox.platform.corpus.catalogue import Catalogue
from sandbox.platform.corpus.detail import page_of_link
from sandbox.platform.corpus.links import read_link
from sandbox.platform.corpus.pages import deleted_page, verify_page
from sandbox.platform.serving.endpoints import (
    ApiRequest,
    ArgumentRefused,
    Dialect,
    json_response,
    required,
    whole_number,
)
from sandbox.platform.serving.faults import FaultName, Target
from sandbox.platform.serving.paging import Page, cut_page

NOT_FOUND, GONE, DELETED, VIOLATION = 404, 101, 105, 106
_STATE_CODES = {ArticleState.DELETED: DELETED, ArticleState.VIOLATION: VIOLATION}
_MAX_PAGE = 50


class HouseTools(Dialect):
    """The four tools over a catalogue; refusals as an envelope with a code."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue

    def error(self, code: int, message: str) -> Response:
        return json_response({"code": code, "msg": message, "data": None})

    def verify(self, request: ApiRequest, target: Target) -> Response:
        if target is Target.ARTICLE_DETAIL:
            return _enveloped({"url": request.query.get("url", ""), "html": verify_page()})
        return super().verify(request, target)

    def deleted(self, request: ApiRequest) -> Response:
        return _enveloped({"url": request.query.get("url", ""), "html": deleted_page()})

    def search(self, request: ApiRequest) -> Response:
        """``keyword``, ``page`` from 1, ``page_size`` of 1 … 50."""
        keyword = required(request, "keyword")
        number = whole_number(request, "page", 1, least=1)
        size = whole_number(request, "page_size", 20, least=1, most=_MAX_PAGE)
        page = cut_page(self._catalogue.search(keyword), (number - 1) * size, size, request.alterations)
        items = self._items(page, request, lasting=False)
        return _enveloped({"total": page.total, "page": number, "has_more": page.has_more, "items": items})

    def account(self, request: ApiRequest) -> Response:
        """``account_id``, ``biz`` or ``account_name``; code 404 where there is none."""
        found = self._account(request)
        if found is None:
            return self.error(NOT_FOUND, "no such account")
        return _enveloped(
            {
                "account_id": found.account_id,
                "account_name": found.name,
                "biz": found.biz,
                "intro": found.intro,
                "verify_status": found.verified,
                "category": found.category,
            }
        )

    def article_list(self, request: ApiRequest) -> Response:
        """``account_id`` or ``biz``, ``cursor`` from 0, ``count`` of 1 … 50; newest first."""
        cursor = whole_number(request, "cursor", 0)
        count = whole_number(request, "count", 20, least=1, most=_MAX_PAGE)
        found = self._account(request)
        if found is None:
            return self.error(NOT_FOUND, "no such account")
        page = cut_page(self._catalogue.history(found.biz), cursor, count, request.alterations)
        following = cursor + count if page.has_more else None
        return _enveloped(
            {"items": self._items(page, request, lasting=True), "next_cursor": following, "total": page.total}
        )

    def article_detail(self, request: ApiRequest) -> Response:
        """``url`` of any form; its page as HTML, or a code for some of what is gone.

        ``body_is_invented`` says that the sandbox wrote the body below a title of which it has no text.
        """
        link = required(request, "url")
        if not link.startswith(("http://", "https://")):
            raise ArgumentRefused("url: is not a link")
        key = read_link(link)
        served = page_of_link(self._catalogue, key)
        article = served.article
        if article is None and not key.signature:
            return self.error(GONE, "the article is gone")
        # Vendors answer what is gone by a code or by the page itself; here it is half and half.
        if article is not None and article.state in _STATE_CODES and article.mid[-1:] in set("02468"):
            return self.error(_STATE_CODES[article.state], "the article is gone")
        invented = article is not None and not article.text
        return _enveloped({"url": link, "html": served.html, "body_is_invented": invented})

    def _account(self, request: ApiRequest) -> Account | None:
        known = {name: request.query.get(name, "").strip() for name in ("account_id", "biz", "account_name")}
        if not any(known.values()):
            raise ArgumentRefused("account_id: one of account_id, biz and account_name is needed")
        return self._catalogue.account(account_id=known["account_id"], biz=known["biz"], name=known["account_name"])

    def _items(self, page: Page, request: ApiRequest, *, lasting: bool) -> list[dict[str, Any]]:
        """The entries of a page; ``lasting`` links never run out."""
        uncounted = FaultName.MISSING_COUNTS in request.alterations
        return [
            _item(article._replace(counts=Counts()) if uncounted else article, account)
            for article, account in self._catalogue.listed(page.entries, lasting=lasting)
        ]


def _item(article: Article, account: Account) -> dict[str, Any]:
    return {
        "title": article.title,
        "url": article.link,
        "digest": article.digest,
        "cover_url": cover_of(article),
        "publish_time": article.shown_time,
        "account_id": account.account_id,
        "account_name": account.name,
        "biz": account.biz,
        "is_deleted": article.flagged,
        "statistics": {f"{name}_count": count for name, count in article.counts._asdict().items()},
    }


def cover_of(article: Article) -> str:
    """Where the article's picture would be."""
    return f"https://mmbiz.qpic.cn/mmbiz_jpg/{digest_of(f'cover {article.page_link}', 40)}/0?wx_fmt=jpeg"


def _enveloped(data: object) -> Response:
    return json_response({"code": 0, "msg": "ok", "data": data})
