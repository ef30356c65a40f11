"""An article's page read as what it is: an article, or what stands in its place (S-011, WX5, WX6, WX16, WX18, WX24)."""

from __future__ import annotations

from selectolax.lexbor import LexborHTMLParser

from resources.calls.foreign_text.page_bounds import check_page
from resources.calls.foreign_text.text_bounds import check_article, check_lines
from resources.calls.outcomes.page_notices import read_notice, unknown_page
from resources.calls.outcomes.verdicts import Verdict
from resources.tool_gateway.results.models import ArticleDetail
from resources.tool_gateway.results.page_body import PageBody, cites_source, read_body
from resources.tool_gateway.results.page_marks import PageMarks, read_marks
from resources.tool_gateway.results.page_media import kind_of, read_outside

CLASSIC = "0"


def read_article_page(html: str, url: str) -> ArticleDetail | Verdict:
    """Read the page that the public platform serves for ``url``.

    A page whose ``#js_content`` holds text, pictures, sounds or films under a title is an article, whatever it quotes.
    Posts of other kinds keep their words and pictures outside the body: there ``#js_image_desc``, else the share
    description, is the text, and the list of pictures in the scripts, else the preview picture, the pictures; but only
    where the page says that it is such a post, or has no ``#js_content`` at all and is no notice. Every other page is
    read as a notice.

    Returns:
        The article, or a verdict: known absence, a passing notice, BAD_ARGUMENT, or UNKNOWN_PAGE for a page on no list,
        which names what is missing and the page's title, length and hash.
    """
    check_page(html)
    tree = LexborHTMLParser(html)
    marks = read_marks(tree)
    outside = read_outside(tree, marks)
    body = read_body(tree)
    is_post = marks.item_type not in (None, CLASSIC)
    if marks.title and body is not None and not body.is_empty:
        return _article(html, url, marks, body.beside(outside) if is_post else body)
    if marks.title and is_post and not outside.is_empty:
        return _article(html, url, marks, outside.beside(body or PageBody()))
    notice = read_notice(LexborHTMLParser(html))
    if notice is None and marks.title and _is_share(marks, body):
        return _article(html, url, marks, outside)
    return notice or unknown_page(html, _missing(marks, body))


def _is_share(marks: PageMarks, body: PageBody | None) -> bool:
    """A page without a body that names its article and describes it."""
    return body is None and marks.item_type is None and marks.is_of_platform and bool(marks.description)


def _missing(marks: PageMarks, body: PageBody | None) -> str:
    kind = "" if marks.item_type in (None, CLASSIC) else f"a post of the kind {kind_of(marks)}: "
    if body is None:
        return f"{kind}#js_content: missing"
    return f"{kind}#js_content: empty" if body.is_empty else f"{kind}#activity-name: missing"


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
        kind=kind_of(marks),
        image_count=body.image_count,
        audio_count=body.audio_count,
        video_count=body.video_count,
        has_source_reference=marks.has_source_link or cites_source(body.text),
        body_is_invented=marks.body_is_invented,
        html_bytes=len(html.encode("utf-8", "replace")),
    )
    check_lines(detail.model_dump(exclude={"text"}), "page")
    return detail
