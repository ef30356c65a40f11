"""Pages are measured before they are parsed: the parser's time grows with the square of depth and of attributes.

The measuring is linear. It is not the parser's own grammar, so a page can be built that is heavier than it looks; that
one meets the limit of the reading process.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from resources.calls.foreign_text.unreadable import Unreadable

MOST_CHARACTERS = 8 * 1024 * 1024
MOST_TAGS = 100_000
DEEPEST = 512
MOST_ATTRIBUTES = 256
SMALL_BYTES = 8 * 1024
SMALL_TAGS = 200

_UNREAD = re.compile(r"<(script|style|textarea|!--)")
_TAG = re.compile(r"<(/?)([a-z][^\s/<>]*)([^<>]*)")
_ATTRIBUTE = re.compile(r"[\s/]+(?=[^\s/])")
_LEAVES = frozenset(
    ["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr"]
)
_ENDED_BY_THE_NEXT = frozenset(["dd", "dt", "li", "option", "p", "td", "th", "tr"])


def is_small_page(body: bytes) -> bool:
    """Whether a page, or JSON that holds one, can be read in the event loop, whatever is in it: 50 ms at the most.

    The worst that was found: one tag of 8 KiB of attributes (40 ms), 100 unclosed formatting elements that each of 100
    paragraphs opens again (25 ms), 200 tags in each other (10 ms). In JSON a tag may stand as an escape.
    """
    return len(body) <= SMALL_BYTES and body.count(b"<") + body.count(b"\\u003") <= SMALL_TAGS


def check_page(html: str) -> None:
    """Whether a page may be parsed.

    Raises:
        Unreadable: the page is too long, or has too many tags, too deep ones, or one with too many attributes.
    """
    _require(len(html) <= MOST_CHARACTERS, f"longer than {MOST_CHARACTERS} characters")
    _require(html.count("<") <= MOST_TAGS, f"more than {MOST_TAGS} tags")
    _measure("".join(_markup(html.lower())))


def _require(holds: bool, fault: str) -> None:
    if not holds:
        raise Unreadable(f"page: {fault}")


def _markup(html: str) -> Iterator[str]:
    """The page without scripts, styles and comments: what stands in there opens nothing."""
    place = 0
    while (found := _UNREAD.search(html, place)) is not None:
        yield html[place : found.start()]
        name = found.group(1)
        place = html.find("-->" if name == "!--" else f"</{name}", found.end())
        if place < 0:
            return
    yield html[place:]


def _measure(markup: str) -> None:
    opened: list[str] = []
    standing: Counter[str] = Counter()
    for slash, name, rest in _TAG.findall(markup):
        if len(rest) > MOST_ATTRIBUTES:
            _require(len(_ATTRIBUTE.findall(rest)) <= MOST_ATTRIBUTES, f"<{name[:20]}> has too many attributes")
        if slash:
            while standing[name]:
                last = opened.pop()
                standing[last] -= 1
                if last == name:
                    break
        elif not _ends_at_once(name, rest, opened, standing):
            opened.append(name)
            standing[name] += 1
            _require(len(opened) <= DEEPEST, f"nested deeper than {DEEPEST}")


def _ends_at_once(name: str, rest: str, opened: list[str], standing: Counter[str]) -> bool:
    if name in _LEAVES or (name in _ENDED_BY_THE_NEXT and opened and opened[-1] == name):
        return True
    return rest.endswith("/") and (standing["svg"] > 0 or standing["math"] > 0)
