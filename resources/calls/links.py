"""Links as they are sent and shown: entities decoded, session secrets taken off (S-012, WX1, WX3)."""

from __future__ import annotations

import html
import re
from functools import lru_cache
from urllib.parse import parse_qsl, urlencode, urlsplit

ARTICLE_HOST = "mp.weixin.qq.com"
SECRETS = frozenset(
    {"pass_ticket", "appmsg_token", "exportkey", "wxtoken", "key", "uin", "token", "session_us", "sessionid"}
)
_PAGE_PARAMETERS = ("__biz", "mid", "idx", "sn", "src", "timestamp", "ver", "signature", "new")
_OLD_NAMES = {"appmsgid": "mid", "itemidx": "idx"}
_SECRET_VALUE = re.compile(
    rb"((?:[?&;]|\\u0026|\\x26)(?:amp;)?(?:pass_ticket|appmsg_token|exportkey|wxtoken)=)[^&\"'<>\\#\s]+"
)
_SECRET_MARKS = (b"pass_ticket=", b"appmsg_token=", b"exportkey=", b"wxtoken=")


def decoded(url: str) -> str:
    """A link with HTML entities resolved, also where they were escaped twice."""
    return html.unescape(html.unescape(url.strip()))


@lru_cache(maxsize=2048)  # of one call: sent, read, logged
def without_secrets(url: str) -> str:
    """A link without the parameters that belong to a session; everything else as it was."""
    address, fragment_mark, fragment = decoded(url).partition("#")
    path, mark, query = address.partition("?")
    kept = [part for part in query.split("&") if part.partition("=")[0].lower() not in SECRETS]
    return path + (mark + "&".join(kept) if kept and mark else "") + fragment_mark + fragment


def body_without_secrets(body: bytes) -> bytes:
    """A body in which links have lost the values of the platform's session parameters: it may be stored."""
    if not any(mark in body for mark in _SECRET_MARKS):
        return body
    return _SECRET_VALUE.sub(rb"\1", body)


def page_address(url: str) -> tuple[str, dict[str, str]] | None:
    """Path and parameters of an article's public page, or ``None`` when the link is none.

    ``http://mp.weixin.qq.com/s?__biz=…&amp;mid=…&pass_ticket=…#rd`` gives ``("/s", {"__biz": …, "mid": …})``.
    """
    try:
        parts = urlsplit(decoded(url))
        host = parts.hostname
    except ValueError:
        return None
    if parts.scheme not in ("http", "https") or host != ARTICLE_HOST:
        return None
    if parts.path.startswith("/s/") and len(parts.path) > 3:
        return parts.path, {}
    query = {_OLD_NAMES.get(name, name): value for name, value in parse_qsl(parts.query.replace("+", "%2B"))}
    kept = {name: query[name] for name in _PAGE_PARAMETERS if name in query}
    return (parts.path, kept) if parts.path in ("/s", "/s/", "/mp/appmsg/show") and kept else None


def long_link(biz: str, mid: str, idx: str, sn: str) -> str:
    """The permanent link of an article from its four ids."""
    return f"https://{ARTICLE_HOST}/s?" + urlencode({"__biz": biz, "mid": mid, "idx": idx, "sn": sn}, safe="=")
