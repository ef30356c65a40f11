"""Article links: which of their many forms mean one article, and the identity that follows (S-020, WX1 … WX4, WX22).

Reading never asks the network: a short link stays its own identity until a page has said what it stands for.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
from dataclasses import dataclass
from enum import StrEnum
from urllib.parse import SplitResult, parse_qsl, quote, unquote, urlencode, urlsplit

from resources.foundation.errors import Pattern2PlanError
from resources.links.cleaning import cleaned
from resources.links.secrets import ANYWHERE
from resources.links.wrapped import wrapped_link

LONGEST = 1024
"""What the widest URL column holds; a longer link is refused, never cut (MY2)."""

DEPTH = 5
"""How many redirect pages may stand around an article's link, one in another."""

PLATFORM = "mp.weixin.qq.com"
_JUMP_HOST = "weixin.sogou.com"
_ARTICLE_PATHS = ("/s", "/mp/appmsg/show")
_IDS = {"__biz": "__biz", "mid": "mid", "appmsgid": "mid", "idx": "idx", "itemidx": "idx", "sn": "sn"}
_EXPIRING = ("src", "timestamp", "ver", "signature", "tempkey")
_ACROSS_SITES = re.compile(
    rf"utm_.*|(?:g|fb|ms|msk|y|d|tt|tw)clid|gbraid|wbraid|spm|isappinstalled|{'|'.join(sorted(ANYWHERE))}",
    re.IGNORECASE,
)
_OF_PLATFORM = re.compile(
    r"chksm|(?:sub|a)?scene|session_?id|session_us|key|uin|token|wx_header|devicetype|clicktime"
    r"|enterid|mpshare|srcid|sharer_share\w+|from_msgid|nettype|poc_token",
    re.IGNORECASE,
)
_SHORT = re.compile(r"/s/([A-Za-z0-9_~-]+)/?")
_HOST = re.compile(r"[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?|\[[0-9a-f:.]+\]")
_PATH_SAFE = "/%:@!$&'()*+,;=~-._"
_ROUTE_SAFE = _PATH_SAFE + "?"
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
    hash is that of a link that expires: the row has another identity then. ``content_id`` is
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
    session parameters, the padding of ``__biz`` and a redirect page around the link make no difference; ``idx`` and
    ``sn`` do. Hosts other than the platform's keep their scheme, a fragment that names a page (``#/…``) and their
    parameters, sorted, but for tracking across sites.

    Raises:
        UnreadableUrl: the link is blank, not http(s), has no host, carries credentials, is the platform's article
            address without any id, stands in more than 5 redirect pages, or is longer than 1024 characters in its
            canonical form.
    """
    link = cleaned(raw or "")
    article = _inner_article(link, DEPTH) or _read(link)
    if len(article.canonical) > LONGEST:
        raise UnreadableUrl(
            f"the link has {len(article.canonical)} characters in its canonical form",
            f"links of at most {LONGEST} characters are kept",
        )
    return article


def _inner_article(link: str, left: int) -> ArticleUrl | None:
    """The platform's article that redirect pages hold; ``None`` where it is none, or none of them is one."""
    held = None if _is_article_address(link) else wrapped_link(link)
    if held is None:
        return None
    if left == 0:
        raise UnreadableUrl(f"the link stands in more than {DEPTH} redirect pages", "give the article's own address")
    inner = cleaned(held)
    further = _inner_article(inner, left - 1)
    if further is not None or not _is_article_address(inner):
        return further
    try:
        return _read(inner)
    except UnreadableUrl:
        return None


def _is_article_address(link: str) -> bool:
    try:
        parts = urlsplit(link, scheme="https")
        return parts.hostname == PLATFORM and (parts.path.rstrip("/") in _ARTICLE_PATHS or parts.path.startswith("/s/"))
    except ValueError:
        return False


def _read(link: str) -> ArticleUrl:
    parts, host = _split(link)
    if host == PLATFORM:
        return _platform(parts.path or "/", _parameters(parts.query))
    kept = [pair for pair in _parameters(parts.query) if not _ACROSS_SITES.fullmatch(pair[0])]
    if host == _JUMP_HOST and parts.path in ("/link", "/websearch/art.jsp"):
        return ArticleUrl(_page("https", host, parts.path, kept), UrlKind.TEMPORARY)
    address = _page(parts.scheme, host, parts.path, kept)
    return ArticleUrl(address + _route(parts.fragment), UrlKind.OTHER)


def _parameters(query: str) -> list[tuple[str, str]]:
    return [(name.removeprefix("amp;"), value) for name, value in parse_qsl(query, keep_blank_values=True)]


def _route(fragment: str) -> str:
    """A fragment that names a page of an application; any other is a place within the page."""
    return "#" + quote(fragment, safe=_ROUTE_SAFE) if fragment.startswith(("/", "!/")) else ""


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
    if port in (None, 80, 443) and (host == PLATFORM or port in (None, _PORTS[parts.scheme])):
        return parts, host
    return parts, f"{host}:{port}"


def _platform(path: str, query: list[tuple[str, str]]) -> ArticleUrl:
    short = _SHORT.fullmatch(unquote(path))
    if short:
        name = short[1].replace("~", "_")  # some reading services write ``_`` so (WX23)
        return ArticleUrl(f"https://{PLATFORM}/s/{name}", UrlKind.SHORT, content_id=name)
    ids: dict[str, str] = {}
    for name, value in query:
        if name in _IDS and value.strip():
            ids.setdefault(_IDS[name], value.strip())
    if "__biz" in ids:
        ids["__biz"] = _padded(ids["__biz"])
    if path.rstrip("/") not in _ARTICLE_PATHS:
        kept = [pair for pair in query if not (_ACROSS_SITES.fullmatch(pair[0]) or _OF_PLATFORM.fullmatch(pair[0]))]
        return ArticleUrl(_page("https", PLATFORM, path, kept), UrlKind.OTHER)
    if {"__biz", "mid", "idx"} <= ids.keys():
        return _long(ids)
    expiring = sorted((name, value.replace(" ", "+")) for name, value in query if name in _EXPIRING)
    if any(name in ("signature", "tempkey") for name, _ in expiring):
        return ArticleUrl(f"https://{PLATFORM}/s?{_encoded(expiring)}", UrlKind.TEMPORARY)
    raise UnreadableUrl(
        "the link is the platform's article address without the ids of an article",
        "a long link has __biz, mid and idx; a short one has an id after /s/",
    )


def _long(ids: dict[str, str]) -> ArticleUrl:
    kept: list[tuple[str, str]] = [(name, ids[name]) for name in ("__biz", "mid", "idx", "sn") if name in ids]
    return ArticleUrl(
        f"https://{PLATFORM}/s?{_encoded(kept)}",
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
    address = f"{scheme}://{host}{quote(path or '/', safe=_PATH_SAFE)}"
    return f"{address}?{_encoded(sorted(query))}" if query else address


def _encoded(pairs: list[tuple[str, str]]) -> str:
    return urlencode(pairs, safe="=", quote_via=quote, errors="replace")


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
