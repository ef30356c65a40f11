"""Characters that nobody sees, and whether a text shows anything at all (WX14, WX24)."""

from __future__ import annotations

import re

INVISIBLE = (
    # format characters (category Cf)
    "\u00ad\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff"
    "\ufff9-\ufffb\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0001\U000e0020-\U000e007f"
    # letters, marks and symbols that draw nothing: fillers, joiners, the blank braille cell
    "\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180d\u180f\u2800\u3164\uffa0"
    # controls that are not whitespace
    "\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f"
)
"""The inside of a character class."""
SELECTOR = "\ufe00-\ufe0f\U000e0100-\U000e01ef"
"""Variation selectors, which change how the character before them is drawn; the inside of a character class."""
_SEEN = re.compile(rf"[^\s{INVISIBLE}{SELECTOR}]")


def is_seen(text: str) -> bool:
    """Whether a reader sees anything of ``text``."""
    return _SEEN.search(text) is not None
