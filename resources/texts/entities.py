"""The one reader of HTML entities, for links and for texts (WX1, WX2, S-022).

Only what HTML names and ends with a semicolon is an entity: the ``&times`` of ``&timestamp=`` and the ``&copy`` of
``&copy2024`` are letters of what they stand in.
"""

from __future__ import annotations

import html
import re
from html.entities import html5

_REFERENCE = re.compile(r"&(?:#\d{1,8}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
DEPTH = 8
"""How often a text may have been escaped; what is left after that stays as it is."""


def decoded_once(text: str) -> str:
    """``text`` with each entity replaced by its character."""
    return _REFERENCE.sub(_character, text) if "&" in text else text


def decoded_link(text: str) -> str:
    """``text`` with its entities decoded to the end: a link holds none that is meant."""
    for _ in range(DEPTH):
        plain = decoded_once(text)
        if plain == text:
            break
        text = plain
    return text


def decoded_text(text: str) -> str:
    """``text`` decoded once, and again as long as it was escaped as a whole.

    That is the case while each ``&`` begins an entity: ``&amp;quot;`` is a quotation mark, and ``AT&amp;T &amp;lt;``
    is ``AT&T &lt;``, as somebody wrote it.
    """
    for _ in range(DEPTH):
        plain = decoded_once(text)
        if plain == text:
            break
        text = plain
        if not _names_only_entities(text):
            break
    return text


def _names_only_entities(text: str) -> bool:
    return text.count("&") == sum(1 for found in _REFERENCE.finditer(text) if _is_known(found[0]))


def _is_known(reference: str) -> bool:
    return reference[1] == "#" or reference[1:] in html5


def _character(reference: re.Match[str]) -> str:
    return html.unescape(reference[0]) if _is_known(reference[0]) else reference[0]
