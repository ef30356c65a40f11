"""A link as it was meant: blanks, invisible characters, escapes of JSON, scripts and HTML taken off (WX1, WX2)."""

from __future__ import annotations

import re
from urllib.parse import unquote

from resources.texts.entities import decoded_link

_ESCAPES = (("\\/", "/"), ("\\u0026", "&"), ("\\x26", "&"))
_UNSEEN = "\u200b-\u200f\u2060\ufeff"
_OUTSIDE = re.compile(rf"^[\s\x00-\x20{_UNSEEN}]+|[\s\x00-\x20{_UNSEEN}]+$")
_INSIDE = re.compile(rf"[\t\r\n{_UNSEEN}]")
_QUOTED_WHOLE = re.compile(r"(?i)https?%3A%2F%2F")
_QUOTINGS = 3


def cleaned(raw: str) -> str:
    """The link itself; ``&amp;`` at any depth is ``&``, ``&timestamp=`` and ``&copy=2`` stay what they are."""
    link = _INSIDE.sub("", _OUTSIDE.sub("", raw))
    for escaped, plain in _ESCAPES:
        link = link.replace(escaped, plain)
    for _ in range(_QUOTINGS):
        if not _QUOTED_WHOLE.match(link):
            break
        link = unquote(link)
    return _INSIDE.sub("", _OUTSIDE.sub("", decoded_link(link)))
