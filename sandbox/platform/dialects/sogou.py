"""The dialect of a web search's mobile page: JSON whose items are XML texts, ten a page, ten pages at most.

Belongs here: that answer. Does not belong here: faults, look-ups.
"""

from __future__ import annotations

from starlette.responses import Response

from sandbox.platform.corpus.articles import CAP_SHOWN, Account, Article, shanghai_time
from sandbox.platform.corpus.catalogue import Catalogue
from sandbox.platform.corpus.pages import search_verify_page
from sandbox.platform.serving.endpoints import ApiRequest, Dialect, html_response, json_response, required, whole_number
from sandbox.platform.serving.faults import FaultName, Target
from sandbox.platform.serving.paging import cut_page

PAGE_SIZE, MAX_PAGES = 10, 10


class SogouSearch(Dialect):
    """Articles by keyword; every refusal is the page with the captcha."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue

    def error(self, code: int, message: str) -> Response:
        return html_response(search_verify_page())

    def frequency(self) -> Response:
        return html_response(search_verify_page())

    def verify(self, request: ApiRequest, target: Target) -> Response:
        return html_response(search_verify_page())

    def search(self, request: ApiRequest) -> Response:
        """``query``, ``page`` from 1; beyond the tenth page there is nothing."""
        number = whole_number(request, "page", 1, least=1)
        found = self._catalogue.search(required(request, "query"))
        page = cut_page(found[: PAGE_SIZE * MAX_PAGES], (number - 1) * PAGE_SIZE, PAGE_SIZE, request.alterations)
        pages = min(MAX_PAGES, -(-len(found) // PAGE_SIZE)) + (FaultName.ENDLESS_PAGES in request.alterations) * number
        counted = FaultName.MISSING_COUNTS not in request.alterations
        items = [_item(article, account, counted) for article, account in self._catalogue.listed(page.entries)]
        return json_response({"totalItems": len(found), "totalPages": pages, "page": number, "items": items})


def _item(article: Article, account: Account, counted: bool) -> str:
    day = shanghai_time(article.published)
    parts = {
        "title": article.title,
        "url": article.link,
        "sourcename": account.name,
        "username": account.account_id,
        "isV": str(account.verified),
        "content168": article.digest or "",
        "date": f"{day.year}-{day.month}-{day.day}",
    }
    marked = "".join(f"<{name}>{_character_data(text)}</{name}>" for name, text in parts.items())
    plain = f"<lastModified>{article.published}</lastModified>"
    if counted and article.counts.view is not None:
        plain += f"<readnum>{_number(article.counts.view)}</readnum>"
    return (
        '<?xml version="1.0" encoding="UTF-8"?><DOCUMENT><rank></rank><item><classid>11002601</classid>'
        f"<display>{marked}{plain}</display></item></DOCUMENT>"
    )


def _character_data(text: str) -> str:
    printable = "".join(character for character in text if character >= " ")
    return f"<![CDATA[{printable.replace(']]>', ']]]]><![CDATA[>')}]]>"


def _number(shown: int | str) -> str:
    """This vendor writes numbers only, and its own cap for more."""
    return str(min(shown, CAP_SHOWN)) if isinstance(shown, int) else str(CAP_SHOWN)
