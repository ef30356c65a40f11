"""The page that a link leads to, whatever stands there today.

Belongs here: choosing the page. Does not belong here: its HTML (``pages``), dialects.
"""

from __future__ import annotations

from typing import NamedTuple

from sandbox.platform.corpus.articles import Article, ArticleState
from sandbox.platform.corpus.bodies import body_of
from sandbox.platform.corpus.catalogue import Catalogue
from sandbox.platform.corpus.links import LinkKey
from sandbox.platform.corpus.pages import article_page, deleted_page, expired_page, unavailable_page, violation_page

_STATE_PAGES = {
    ArticleState.DELETED: deleted_page,
    ArticleState.VIOLATION: violation_page,
    ArticleState.UNAVAILABLE: unavailable_page,
}


class Served(NamedTuple):
    """A page and the article it is about; ``None`` where the link names none."""

    html: str
    article: Article | None


def page_of_link(catalogue: Catalogue, key: LinkKey) -> Served:
    """What a reader of the link sees; a link that nobody knows shows the page "cannot be seen just now"."""
    position = catalogue.article_of_link(key)
    if position is None:
        return Served(expired_page() if key.signature else unavailable_page(), None)
    article = catalogue.articles[position]
    if key.signature and article.expired:
        return Served(expired_page(), article)
    if article.state in _STATE_PAGES:
        return Served(_STATE_PAGES[article.state](), article)
    origin = catalogue.articles[article.source] if article.source is not None else None
    return Served(article_page(article, catalogue.account_of(article), body_of(article, origin)), article)
