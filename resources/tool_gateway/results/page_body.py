"""The body of an article's page: its text with one line a paragraph, its pictures, sounds and films, its references."""

from __future__ import annotations

import re
from dataclasses import dataclass

from selectolax.lexbor import LexborHTMLParser, LexborNode

from resources.texts.invisible import is_seen

_BREAK = "\u2029"
_BLOCKS = (
    "p, section, div, br, hr, li, ul, ol, dl, dt, dd, h1, h2, h3, h4, h5, h6, blockquote, pre, figure, figcaption, "
    "table, tr, article, header, footer"
)
_CELLS = "td, th"
_DROPPED = ["script", "style", "noscript", "template", "mp-style-type"]
_FURNITURE = (
    "#js_top_profile, .wx_follow_context, .rich_media_meta_list, [style*='display:none'], [style*='display: none']"
)
_FILMS = "iframe.video_iframe, iframe[data-src*='v.qq.com'], mpvideo, mp-common-videosnap, video"
_SOUNDS = "mpvoice, mp-common-mpaudio, qqmusic, mp-common-qqmusic, audio"
_REFERENCE = re.compile(
    r"(?:来源|来自|出处|资料|作者)\s*[:：丨|]|参考(?:资料|文献|来源|链接)|原文(?:链接|地址|出处)|(?:转|摘|编译|综合)自|转载自|转载于"
)


@dataclass(frozen=True)
class PageBody:
    """What the body holds; ``text`` is empty where the article is pictures, sounds or films only."""

    text: str = ""
    image_count: int = 0
    video_count: int = 0
    audio_count: int = 0

    @property
    def is_empty(self) -> bool:
        """Nothing to read, to see or to hear; characters that nobody sees are no text (WX24)."""
        return not (is_seen(self.text) or self.image_count or self.video_count or self.audio_count)

    def beside(self, other: PageBody) -> PageBody:
        """What two places of one page hold: the text of the first where it has any, and the most of each kind."""
        return PageBody(
            self.text if is_seen(self.text) else other.text,
            max(self.image_count, other.image_count),
            max(self.video_count, other.video_count),
            max(self.audio_count, other.audio_count),
        )


def read_body(tree: LexborHTMLParser) -> PageBody | None:
    """The body of a page, or ``None`` when it has none; the tree is changed.

    Pictures are ``img`` with ``data-src`` or ``src``; a film inside a film's frame counts once.
    """
    body = tree.css_first("#js_content")
    if body is None:
        return None
    body.strip_tags(_DROPPED)
    for node in _outermost(body, _FURNITURE):
        node.decompose()
    pictures = sum(1 for node in body.css("img") if node.attributes.get("data-src") or node.attributes.get("src"))
    films, sounds = len(_outermost(body, _FILMS)), len(_outermost(body, _SOUNDS))
    return PageBody(_paragraphs(body), pictures, films, sounds)


def one_line_a_paragraph(text: str) -> str:
    """Plain text with lines that show nothing gone and blanks inside a line collapsed."""
    return "\n".join(" ".join(line.split()) for line in text.splitlines() if is_seen(line))


def cites_source(text: str) -> bool:
    """Whether a text names where it is from: 来源：…, 参考资料, 原文链接, 转自 and the like."""
    return _REFERENCE.search(text) is not None


def _outermost(body: LexborNode, selector: str) -> list[LexborNode]:
    """Nodes that match, each once (a list of selectors finds one twice) and none inside another."""
    found = {node.mem_id: node for node in body.css(selector)}

    def is_inner(node: LexborNode) -> bool:
        parent = node.parent
        while parent is not None and parent.mem_id != body.mem_id:
            if parent.mem_id in found:
                return True
            parent = parent.parent
        return False

    return [node for node in found.values() if not is_inner(node)]


def _paragraphs(body: LexborNode) -> str:
    for node in body.css(_BLOCKS):
        node.insert_before(_BREAK)
        node.insert_after(_BREAK)
    for node in body.css(_CELLS):
        node.insert_after(" ")
    return "\n".join(" ".join(line.split()) for line in body.text().split(_BREAK) if is_seen(line))
