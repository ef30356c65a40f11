"""The public page itself, fetched by an article's own link from a configured address."""

from __future__ import annotations

from resources.calls.outcomes.answers import Code, Tool
from resources.calls.outcomes.verdicts import Reading, Verdict
from resources.calls.provider import Dialect
from resources.calls.transport import Outgoing, Reply
from resources.links.public_page import page_address
from resources.links.secrets import without_secrets
from resources.tool_gateway.results.models import ArticleDetail, ArticleDetailRequest
from resources.tool_gateway.results.pages import read_article_page


def _ask(request: ArticleDetailRequest) -> Outgoing | None:
    """Only links of the public platform, and of those only what names the article: no session parameter is sent."""
    address = page_address(request.url)
    return Outgoing(*address) if address else None


def _read(reply: Reply, request: ArticleDetailRequest) -> Reading[ArticleDetail]:
    page = reply.text()
    url = without_secrets(request.url)
    if not page.strip():
        return Reading(Verdict(Code.WRONG_SHAPE, "body: empty", passing=True))
    return Reading(read_article_page(page, url), {"url": url, "html": page})


ARTICLE_DETAIL = Dialect("article_page", Tool.ARTICLE_DETAIL, _ask, _read, Outgoing("/s"))
