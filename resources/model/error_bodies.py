"""What an endpoint says of its failure, whatever shape its error body has."""

from __future__ import annotations

import re
from collections.abc import Mapping

_WORDS = (
    "message", "msg", "error_msg", "errmsg", "status_msg", "error_description", "detail", "details", "reason", "title",
    "error", "errors", "base_resp", "status", "raw",
)  # fmt: skip
_CODES = ("code", "error_code", "errcode", "status_code", "type")
_WRAPPERS = ("error", "errors", "base_resp")
_DEPTH = 5
_READ = 4_000
_SHOWN = 200
_TAG = re.compile(r"<[^<>]{0,500}>")
_FILTERED = re.compile(
    r"content[ _-]?(filter|policy|moderation|risk)|data_inspection_failed|(?<!case[ -])\bsensitive\b|responsible.?ai"
    r"|内容安全|敏感",
    re.IGNORECASE,
)


def said_in(body: object) -> str:
    """What a body says for people, with its code, in one line; nothing where it says nothing.

    A page of HTML is shown without its tags.
    """
    words = " ".join(_TAG.sub(" ", _words(body, _DEPTH)[:_READ]).split())
    code = _code(body)
    return f"{words} [{code}]"[:_SHOWN] if words and code and code not in words else (words or code)[:_SHOWN]


def is_error(answer: Mapping[str, object]) -> bool:
    """Whether an answer without choices says that something went wrong."""
    return any(answer.get(name) for name in (*_WORDS, "code"))


def tells_of_filter(said: str) -> bool:
    """Whether it was a filter of contents that refused."""
    return bool(_FILTERED.search(said))


def _words(value: object, depth: int) -> str:
    if isinstance(value, str):
        return value
    if depth == 0:
        return ""
    if isinstance(value, list):
        return next((words for inner in value if (words := _words(inner, depth - 1))), "")
    if isinstance(value, Mapping):
        return next((words for name in _WORDS if (words := _words(value.get(name), depth - 1))), "")
    return ""


def _code(body: object) -> str:
    if not isinstance(body, Mapping):
        return ""
    inner = [body.get(name) for name in _WRAPPERS]
    for level in [*(one for one in inner if isinstance(one, Mapping)), body]:
        for name in _CODES:
            code = level.get(name)
            if isinstance(code, str | int) and not isinstance(code, bool) and code != "":
                return str(code)[:60]
    return ""
