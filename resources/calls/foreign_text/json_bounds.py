"""JSON bodies are measured before they are parsed: how large, how many values, how deep. The measuring is linear."""

from __future__ import annotations

import re
from itertools import accumulate

from resources.calls.foreign_text.unreadable import Unreadable

DEEPEST = 100
MOST_VALUES = 500_000
SMALL_BYTES = 64 * 1024
MOST_QUOTES = 4 * MOST_VALUES

# Also one that is cut off: a pattern that had to find the end would look for it from every quote.
_TEXT = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)', re.DOTALL)
_NO_BRACKET = bytes(set(range(256)) - set(b"[]{}"))


def is_small_json(body: bytes) -> bool:
    """Whether JSON without a page can be read in the event loop: what it costs grows with its bytes alone."""
    return len(body) <= SMALL_BYTES and body.lstrip()[:1] != b"<"


def check_json(body: bytes) -> None:
    """Whether a body may be parsed; that it is JSON is the parser's to say.

    Raises:
        Unreadable: it is nested too deep, or has too many values.
    """
    opened = body.count(b"[") + body.count(b"{")
    if body.count(b'"') > MOST_QUOTES:
        raise Unreadable(f"body: JSON with more than {MOST_QUOTES} quotes")
    if opened <= DEEPEST and body.count(b",") <= MOST_VALUES:
        return
    bare = _TEXT.sub(b"", body)
    if sum(bare.count(mark) for mark in (b",", b"[", b"]", b"{", b"}")) > MOST_VALUES:
        raise Unreadable(f"body: JSON with more than {MOST_VALUES} values")
    brackets = bare.translate(None, _NO_BRACKET)
    if max(accumulate(1 if mark in b"[{" else -1 for mark in brackets), default=0) > DEEPEST:
        raise Unreadable(f"body: JSON nested deeper than {DEEPEST}")
