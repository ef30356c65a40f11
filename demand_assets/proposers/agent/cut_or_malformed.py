"""Whether JSON that is not closed was cut off, or went wrong before it ended (D-090)."""

from __future__ import annotations

import json
import re

_TRAILING_COMMA = re.compile(r'("(?:[^"\\]++|\\.)*+")|,(?=\s*[}\]])', re.DOTALL)
_FIRST_KEY = re.compile(r'\s*\{\s*"([^"\\]*)\Z')
_LITERALS = ("true", "false", "null", "NaN", "Infinity", "-Infinity")


def fault_before_end(text: str) -> str | None:
    """What is wrong with an unclosed value, and where; ``None`` where it only ends too early.

    The first key of an object never holds brackets or a colon: there a quote is missing, as in ``{"items: [1``.
    """
    key = _FIRST_KEY.match(text)
    if key:
        at = text.index('"') + 1
        return f"no quote ends the key at character {at}" if re.search(r"[\[{:]", key[1]) else None
    whole = _TRAILING_COMMA.sub(r"\1", text)
    try:
        json.loads(whole, strict=False)
    except json.JSONDecodeError as error:
        rest = whole[error.pos :].rstrip()
        ends_there = not rest or error.msg.startswith(("Unterminated string", "Invalid \\u", "Invalid \\esc"))
        is_half_literal = any(literal.startswith(rest) for literal in _LITERALS)
        return None if ends_there or is_half_literal else f"{error.msg} at character {error.pos + 1}"
    except (ValueError, RecursionError):
        return "not JSON that can be read"
    return None
