"""What belongs to a session is taken off links, texts and bodies before they are sent or kept (S-012, WX3).

Some parameters are secrets wherever they stand, others on the platform's hosts alone: elsewhere they name pages (WX22).
"""

from __future__ import annotations

import re
from functools import lru_cache

from resources.foundation.secret_masking import LINK_SECRETS, SESSION_PARAMETERS
from resources.links.cleaning import cleaned

ANYWHERE = frozenset(LINK_SECRETS)
ON_PLATFORM = ANYWHERE | frozenset(SESSION_PARAMETERS)
_HOST = re.compile(r"(?i)^(?:https?:)?[\\/]*//(?:[^/?#\\]*\.)?(?:weixin|wechat|qq)\.[a-z.]+(?=[:/?#\\]|$)")


def _values_of(names: frozenset[str]) -> str:
    some = "|".join(sorted(names))
    plain = rf"(?:[?&;]|\\u0026|\\x26)(?:amp;)*(?:{some})="
    quoted = rf"(?:%26|%3F)(?:amp%3B)*(?:{some})%3D"
    return rf"(?i)({plain})[^&\"'<>\\#\s]+|({quoted})(?:(?!%26|%23|%22)[^&\"'<>\\#\s])+"


_IN_TEXT = re.compile(_values_of(ANYWHERE))
_IN_PLATFORM_LINK = re.compile(_values_of(ON_PLATFORM))
_IN_BODY = re.compile(_values_of(ANYWHERE).encode())
_LINK = re.compile(r"(?i)(?:https?:)?(?:\\?/){2}[^\s\"'<>]+")
_MARKS = tuple(name.encode() for name in sorted(ANYWHERE))


@lru_cache(maxsize=2048)  # of one call: sent, read, logged
def without_secrets(url: str) -> str:
    """A link without the parameters that belong to a session; everything else as it was."""
    address, fragment_mark, fragment = cleaned(url).partition("#")
    path, mark, query = address.partition("?")
    secrets = ON_PLATFORM if _HOST.match(path) else ANYWHERE
    kept = [part for part in query.split("&") if part.partition("=")[0].lower() not in secrets]
    return path + (mark + "&".join(kept) if kept and mark else "") + fragment_mark + fragment


def text_without_secrets(text: str) -> str:
    """A text in which links have lost the values of session parameters."""
    if "=" not in text and "%3" not in text:
        return text
    if not _LINK.search(text):
        return _IN_PLATFORM_LINK.sub(r"\1\2", text)
    return _IN_TEXT.sub(r"\1\2", _LINK.sub(_platform_link, text))


def body_without_secrets(body: bytes) -> bytes:
    """A body in which links have lost the values of the platform's session parameters: it may be stored."""
    if not any(mark in body for mark in _MARKS):
        return body
    return _IN_BODY.sub(rb"\1\2", body)


def _platform_link(link: re.Match[str]) -> str:
    return _IN_PLATFORM_LINK.sub(r"\1\2", link[0]) if _HOST.match(link[0]) else link[0]
