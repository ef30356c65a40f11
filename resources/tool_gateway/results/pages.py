"""An article's page read as what it is: an article, or a notice that stands in its place (S-011, WX5, WX6)."""

from __future__ import annotations

from selectolax.lexbor import LexborHTMLParser

from resources.calls.foreign_text.page_bounds import check_page
from resources.calls.foreign_text.text_bounds import check_article, check_lines
from resources.calls.outcomes.answers import Code
from resources.calls.outcomes.page_notices import read_notice
from resources.calls.outcomes.verdicts import Verdict
from resources.tool_gateway.results.models import ArticleDetail
from resources.tool_gateway.results.page_body import PageBody, cites_source, one_line_a_paragraph, read_body
from resources.tool_gateway.results.page_marks import PageMarks, read_marks


def read_article_page(html: str, url: str) -> ArticleDetail | Verdict:
    """Read the page that the public platform serves for ``url``.

    A page whose ``#js_content`` holds text, pictures or films under a title is an article, whatever it quotes.
    A shared picture or text keeps its words outside the body: there the share description (``og:description``, else
    ``description``) is the text and its preview picture (``og:image``) the one picture, but only where the page says
    that it is a share or has no ``#js_content`` at all. Every other page is read as a notice.

    Returns:
        The article, or a verdict: BLOCKED, DELETED, VIOLATION, MOVED, EXPIRED_LINK, UNAVAILABLE, BAD_ARGUMENT, or
        WRONG_SHAPE naming what is missing.
    """
    check_page(html)
    tree = LexborHTMLParser(html)
    marks = read_marks(tree)
    has_preview = tree.css_first('meta[property="og:image"][content^="http"]') is not None
    body = read_body(tree)
    if marks.title and body is not None and not body.is_empty:
        return _article(html, url, marks, body)
    if marks.title and marks.is_share and marks.description:
        return _article(html, url, marks, _shared(marks.description, body, has_preview))
    return read_notice(LexborHTMLParser(html)) or Verdict(Code.WRONG_SHAPE, _missing(marks, body))


def _shared(description: str, body: PageBody | None, has_preview: bool) -> PageBody:
    films = body.video_count if body else 0
    return PageBody(one_line_a_paragraph(description), 1 if has_preview else 0, films)


def _missing(marks: PageMarks, body: PageBody | None) -> str:
    if body is None:
        return "#js_content: missing"
    return (
        "#js_content: empty" if body.is_empty else "#activity-name: missing" if not marks.title else "page: no article"
    )


def _article(html: str, url: str, marks: PageMarks, body: PageBody) -> ArticleDetail:
    check_article(body.text)
    detail = ArticleDetail(
        url=url,
        title=marks.title or "",
        text=body.text,
        canonical_url=marks.canonical_url,
        **marks.ids,
        account_id=marks.account_id,
        account_name=marks.account_name,
        author=marks.author,
        publish_time=marks.publish_time,
        image_count=body.image_count,
        video_count=body.video_count,
        has_source_reference=marks.has_source_link or cites_source(body.text),
        html_bytes=len(html.encode("utf-8", "replace")),
    )
    check_lines(detail.model_dump(exclude={"text"}), "page")
    return detail
