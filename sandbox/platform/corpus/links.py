"""How links of articles are written, and which article a link means.

Belongs here: the tracking forms that the public platform hands out, and reading them back. Does not belong
here: canonical URLs of the product; the sandbox reads links for itself, so that it never agrees with the
product by construction.
"""

from __future__ import annotations

import html
import random
from typing import NamedTuple
from urllib.parse import parse_qsl, urlsplit

from sandbox.platform.corpus.articles import digest_of, long_link

_HOST = "mp.weixin.qq.com"


class LinkKey(NamedTuple):
    """What a link says: three ids, a short id, or a signature; only one of the three is set."""

    article: tuple[str, str, str] | None = None
    short: str | None = None
    signature: str | None = None


def read_link(link: str) -> LinkKey:
    """The ids in a link of any form; an empty key where it names no article."""
    try:
        parts = urlsplit(html.unescape(html.unescape(link)).strip())
    except ValueError:
        return LinkKey()
    if parts.path.startswith("/s/") and len(parts.path) > len("/s/"):
        return LinkKey(short=parts.path[len("/s/") :])
    return key_of_query(dict(parse_qsl(parts.query)))


def key_of_query(query: dict[str, str]) -> LinkKey:
    """The ids among the parameters of ``/s?…``."""
    biz, mid = query.get("__biz", ""), query.get("mid") or query.get("appmsgid", "")
    idx = query.get("idx") or query.get("itemidx", "")
    if biz and mid and idx:
        return LinkKey(article=(biz.rstrip("="), mid, idx))
    signature = query.get("signature")
    return LinkKey(signature=signature) if signature else LinkKey()


def short_link(seed: str) -> str:
    """A short link; 22 characters as the platform's own."""
    return f"https://{_HOST}/s/{digest_of(f'short {seed}', 22)}"


def temporary_link(seed: str, timestamp: int) -> str:
    """A link as a search engine hands it out: signed, soon expired, without any id."""
    signature = digest_of(f"signature {seed}", 48)
    return f"https://{_HOST}/s?src=3&timestamp={timestamp}&ver=1&signature={signature}"


def tracked_link(source: random.Random, biz: str, mid: str, idx: str, sn: str) -> str:
    """One of the forms in which the same lasting link goes round."""
    plain = long_link(biz, mid, idx, sn)
    checksum = f"&chksm={digest_of(f'chksm {mid}', 40)}"
    forms = (
        plain,
        f"{plain}#rd",
        f"{plain}{checksum}&scene=27#wechat_redirect",
        f"{plain.replace('https', 'http', 1)}{checksum}&scene=21#wechat_redirect",
        f"{plain}{checksum}&scene=126&sessionid=0".replace("&", "&amp;"),
        f"https://{_HOST}/s?mid={mid}&sn={sn}&idx={idx}&__biz={biz}",
        f"{plain.replace(biz, biz.replace('=', '%3D'), 1)}&mpshare=1&scene=1&srcid=0930&from=timeline",
    )
    return source.choice(forms)


def repeated_link(page_link: str) -> str:
    """A lasting link in another form, as a listing shows an article for the second time."""
    plain = page_link.partition("#")[0]
    return f"{plain}{'&' if '?' in plain else '?'}scene=178#rd"
