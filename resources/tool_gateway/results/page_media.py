"""Posts that are no classic article: pictures, sounds, films and texts that stand outside ``#js_content`` (WX16).

Belongs here: the kinds by the platform's number, the list of pictures in the page's scripts, the words beside them. A
number on no list is no reason to pass a post over: it is read like the others and named by its number.
"""

from __future__ import annotations

import re
from itertools import islice

from selectolax.lexbor import LexborHTMLParser

from resources.tool_gateway.results.page_body import PageBody, one_line_a_paragraph
from resources.tool_gateway.results.page_marks import PageMarks

KINDS = {
    "0": "article",
    "5": "video",
    "6": "music",
    "7": "audio",
    "8": "pictures",
    "10": "text",
    "11": "shared_article",
}
PICTURES = 200
_LISTS = 4
_LIST_CHARACTERS = 1_000_000
_PICTURE_LIST = re.compile(r"""\bpicture_page_info_list["']?\s*[=:]\s*\[""")
_TOKENS = re.compile(
    r""""(?:[^"\\]|\\.?)*(?:"|\Z)|'(?:[^'\\]|\\.?)*(?:'|\Z)|`(?:[^`\\]|\\.?)*(?:`|\Z)|[\[\]{}]""", re.DOTALL
)
"""Texts and brackets of a script. A text that nobody closed ends with the script: each character is read once."""


def kind_of(marks: PageMarks) -> str:
    """What the platform calls the post."""
    number = marks.item_type or "0"
    return KINDS.get(number, f"type_{number}")


def read_outside(tree: LexborHTMLParser, marks: PageMarks) -> PageBody:
    """The words, pictures, sound and film that a page holds outside its body; the tree is left as it is."""
    described = tree.css_first("#js_image_desc")
    words = one_line_a_paragraph(described.text(separator="\n")) if described else ""
    words = words or one_line_a_paragraph(marks.description or "")
    preview = 1 if tree.css_first('meta[property="og:image"][content^="http"]') else 0
    kind = kind_of(marks)
    return PageBody(
        words,
        max(_pictures(tree), preview),
        1 if kind == "video" else 0,
        1 if kind in ("audio", "music") else 0,
    )


def _pictures(tree: LexborHTMLParser) -> int:
    """Entries of the longest list of pictures in the page's scripts."""
    counts = [0]
    for node in tree.css("script"):
        script = node.text()
        counts += [_entries(script, found.end()) for found in islice(_PICTURE_LIST.finditer(script), _LISTS)]
    return max(counts)


def _entries(script: str, start: int) -> int:
    """Objects of the list that begins at ``start``, or its texts where it holds no objects."""
    depth, objects, texts = 0, 0, 0
    for token in _TOKENS.finditer(script, start, start + _LIST_CHARACTERS):
        mark = token[0]
        if mark in "[{":
            objects += depth == 0 and mark == "{"
            depth += 1
        elif mark in "]}":
            depth -= 1
        elif depth == 0:
            texts += 1
        if depth < 0 or objects >= PICTURES:
            break
    return objects or texts
