"""Article links: which of their many forms mean one article, and the identity that follows (S-020, WX1, WX3, WX4).

Reading never asks the network: a short link stays its own identity until a page has said what it stands for.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from urllib.parse import SplitResult, parse_qsl, quote, urlencode, urlsplit

from resources.foundation.errors import Pattern2PlanError
from supply_assets.normalisation.texts import display, key

LONGEST = 1024
"""What the widest URL column holds; a longer link is refused, never cut (MY2)."""

_PLATFORM = "mp.weixin.qq.com"
_JUMP_HOST = "weixin.sogou.com"
_IDS = {"__biz": "__biz", "mid": "mid", "appmsgid": "mid", "idx": "idx", "itemidx": "idx", "sn": "sn"}
_EXPIRING = ("src", "timestamp", "ver", "signature", "tempkey")
_TRACKING = re.compile(
    r"utm_.*|chksm|(?:sub|a)?scene|session_?id|pass_ticket|(?:export)?key|uin|wxtoken|wx_header|devicetype|clicktime"
    r"|enterid|mpshare|srcid|sharer_share\w+|from_msgid|nettype|poc_token|isappinstalled|spm|(?:g|fb|ms|y)clid",
    re.IGNORECASE,
)
_ESCAPES = (("\\/", "/"), ("\\u0026", "&"), ("\\x26", "&"))
_AMPERSAND = re.compile(r"&(?:amp|#0*38|#x0*26);", re.IGNORECASE)
_OUTSIDE = re.compile(r"^[\s\x00-\x20\u200b-\u200f\u2060\ufeff]+|[\s\x00-\x20\u200b-\u200f\u2060\ufeff]+$")
_INSIDE = re.compile(r"[\t\r\n\u200b-\u200f\u2060\ufeff]")
_SHORT = re.compile(r"/s/([A-Za-z0-9_-]+)/?")
_HOST = re.compile(r"[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?|\[[0-9a-f:.]+\]")
_PATH_SAFE = "/%:@!$&'()*+,;=~-._"
_PORTS = {"http": 80, "https": 443}


class UnreadableUrl(Pattern2PlanError):
    """A link that names no article: blank, not http(s), without a host, or longer than can be kept."""


class UrlKind(StrEnum):
    """What a link is: by ids, by the platform's short id, by an expiring signature, or any other page."""

    LONG = "long"
    SHORT = "short"
    TEMPORARY = "temporary"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class ArticleUrl:
    """A link in its one canonical form.

    ``identity_hash`` is the SHA-256 (hex) of ``canonical``. For a ``TEMPORARY`` link ``resolved`` is false and the
    hash is that of a link that expires: use :func:`temporary_identity` for the row instead. ``content_id`` is
    ``biz:mid:idx`` of a long link and the id of a short one; it is what joins a long link without ``sn`` to the one
    with it, which by S-020 are two identities.
    """

    canonical: str
    kind: UrlKind
    biz: str | None = None
    mid: str | None = None
    idx: str | None = None
    sn: str | None = None
    content_id: str | None = None

    @property
    def identity_hash(self) -> str:
        return _sha256(self.canonical)

    @property
    def resolved(self) -> bool:
        return self.kind is not UrlKind.TEMPORARY


def read_url(raw: str | None) -> ArticleUrl:
    """The article that a link means, whatever its form (S-020).

    ``&amp;`` at any depth, host case, ``http``, default ports, the order of parameters, fragments, tracking and
    session parameters and the padding of ``__biz`` make no difference; ``idx`` and ``sn`` do. Hosts other than the
    platform's keep their scheme and their remaining parameters, sorted.

    Raises:
        UnreadableUrl: the link is blank, not http(s), has no host, carries credentials, is the platform's article
            address without any id, or is longer than 1024 characters in its canonical form.
    """
    parts, host = _split(_cleaned(raw or ""))
    query = [(name.removeprefix("amp;"), value) for name, value in parse_qsl(parts.query, keep_blank_values=True)]
    if host == _PLATFORM:
        article = _platform(parts.path or "/", query)
    elif host == _JUMP_HOST and parts.path in ("/link", "/websearch/art.jsp"):
        article = ArticleUrl(_page("https", host, parts.path, query), UrlKind.TEMPORARY)
    else:
        article = ArticleUrl(_page(parts.scheme, host, parts.path, query), UrlKind.OTHER)
    if len(article.canonical) > LONGEST:
        raise UnreadableUrl(
            f"the link has {len(article.canonical)} characters in its canonical form",
            f"links of at most {LONGEST} characters are kept",
        )
    return article


def temporary_identity(title: str, account: str | None, publish_time: datetime | None) -> str:
    """SHA-256 (hex) that stands for an article known only by an expiring link: its title, account and time (WX4).

    Title and account count by their keys, the time by its second in UTC (``None``: unknown).

    Raises:
        UnreadableUrl: nothing of the title is visible, so nothing names the article.
    """
    name = key(title) or display(title)
    if not name:
        raise UnreadableUrl("an expiring link without a visible title names no article", "resolve the link first")
    moment = publish_time.astimezone(UTC).isoformat(timespec="seconds") if publish_time else ""
    return _sha256("\n".join(("temporary", name, key(account), moment)))


def _cleaned(raw: str) -> str:
    link = _OUTSIDE.sub("", raw)
    for escaped, plain in _ESCAPES:
        link = link.replace(escaped, plain)
    while _AMPERSAND.search(link):
        link = _AMPERSAND.sub("&", link)
    return _INSIDE.sub("", link)


def _split(link: str) -> tuple[SplitResult, str]:
    if not link:
        raise UnreadableUrl("the link is blank")
    try:
        parts = urlsplit(link, scheme="https")
        host, port = (parts.hostname or "").rstrip("."), parts.port
        host = host if host.isascii() else host.encode("idna").decode("ascii")
    except ValueError as error:
        raise UnreadableUrl(f"the link cannot be read: {error}") from None
    if parts.scheme not in _PORTS:
        raise UnreadableUrl("the link is neither http nor https", "give the article's web address")
    host = f"[{host}]" if ":" in host else host
    if not _HOST.fullmatch(host):
        raise UnreadableUrl("the link has no usable host", "give the article's web address")
    if "@" in parts.netloc:
        raise UnreadableUrl("the link carries credentials", "give the article's public address")
    if port in (None, 80, 443) and (host == _PLATFORM or port in (None, _PORTS[parts.scheme])):
        return parts, host
    return parts, f"{host}:{port}"


def _platform(path: str, query: list[tuple[str, str]]) -> ArticleUrl:
    short = _SHORT.fullmatch(path)
    if short:
        return ArticleUrl(f"https://{_PLATFORM}/s/{short[1]}", UrlKind.SHORT, content_id=short[1])
    ids: dict[str, str] = {}
    for name, value in query:
        if name in _IDS and value.strip():
            ids.setdefault(_IDS[name], value.strip())
    if "__biz" in ids:
        ids["__biz"] = _padded(ids["__biz"])
    if path.rstrip("/") not in ("/s", "/mp/appmsg/show"):
        return ArticleUrl(_page("https", _PLATFORM, path, query), UrlKind.OTHER)
    if {"__biz", "mid", "idx"} <= ids.keys():
        return _long(ids)
    expiring = sorted((name, value) for name, value in query if name in _EXPIRING)
    if any(name in ("signature", "tempkey") for name, _ in expiring):
        return ArticleUrl(f"https://{_PLATFORM}/s?{_encoded(expiring)}", UrlKind.TEMPORARY)
    raise UnreadableUrl(
        "the link is the platform's article address without the ids of an article",
        "a long link has __biz, mid and idx; a short one has an id after /s/",
    )


def _long(ids: dict[str, str]) -> ArticleUrl:
    kept: list[tuple[str, str]] = [(name, ids[name]) for name in ("__biz", "mid", "idx", "sn") if name in ids]
    return ArticleUrl(
        f"https://{_PLATFORM}/s?{_encoded(kept)}",
        UrlKind.LONG,
        biz=ids["__biz"],
        mid=ids["mid"],
        idx=ids["idx"],
        sn=ids.get("sn"),
        content_id=f"{ids['__biz']}:{ids['mid']}:{ids['idx']}",
    )


def _padded(biz: str) -> str:
    """``__biz`` is base64: a blank was a plus sign, and its padding may have got lost on the way."""
    bare = biz.replace(" ", "+").replace("%3D", "=").replace("%3d", "=").rstrip("=")
    padded = bare + "=" * (-len(bare) % 4)
    try:
        base64.b64decode(padded, validate=True)
    except binascii.Error:
        return biz
    return padded


def _page(scheme: str, host: str, path: str, query: list[tuple[str, str]]) -> str:
    kept = sorted((name, value) for name, value in query if not _TRACKING.fullmatch(name))
    address = f"{scheme}://{host}{quote(path or '/', safe=_PATH_SAFE)}"
    return f"{address}?{_encoded(kept)}" if kept else address


def _encoded(pairs: list[tuple[str, str]]) -> str:
    return urlencode(pairs, safe="=", quote_via=quote, errors="replace")


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
