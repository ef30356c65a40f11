"""The dialect without an interface: the article's public page itself, at the address its link names.

Belongs here: ``/s?…`` and ``/s/…``. Does not belong here: which page is due (``detail``).
"""

from __future__ import annotations

from starlette.responses import Response

from sandbox.platform.corpus.catalogue import Catalogue
from sandbox.platform.corpus.detail import page_of_link
from sandbox.platform.corpus.links import LinkKey, key_of_query
from sandbox.platform.corpus.pages import unavailable_page, verify_page
from sandbox.platform.serving.endpoints import ApiRequest, Dialect, html_response


class PublicPages(Dialect):
    """Pages by link; every refusal is a page with status 200."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue

    def error(self, code: int, message: str) -> Response:
        return html_response(unavailable_page())

    def frequency(self) -> Response:
        return html_response(verify_page())

    def page(self, request: ApiRequest) -> Response:
        """``__biz``, ``mid``, ``idx``; or ``signature``; or a short id in the path."""
        short = request.path.get("short")
        key = LinkKey(short=short) if short else key_of_query(dict(request.query))
        return html_response(page_of_link(self._catalogue, key).html)
