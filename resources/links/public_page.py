"""Where an article's public page is asked for, and the permanent link that its four ids make."""

from __future__ import annotations

from urllib.parse import parse_qsl, urlencode, urlsplit

from resources.links.articles import PLATFORM, UnreadableUrl, UrlKind, read_url


def page_address(url: str) -> tuple[str, dict[str, str]] | None:
    """Path and parameters of an article's public page, or ``None`` when the link is none.

    ``http://mp.weixin.qq.com/s?__biz=…&amp;mid=…&pass_ticket=…#rd`` gives ``("/s", {"__biz": …, "mid": …})``.
    """
    try:
        article = read_url(url)
    except UnreadableUrl:
        return None
    parts = urlsplit(article.canonical)
    if article.kind is UrlKind.OTHER or parts.hostname != PLATFORM:
        return None
    return parts.path, dict(parse_qsl(parts.query.replace("+", "%2B"), keep_blank_values=True))


def long_link(biz: str, mid: str, idx: str, sn: str) -> str:
    """The permanent link of an article from its four ids."""
    return f"https://{PLATFORM}/s?" + urlencode({"__biz": biz, "mid": mid, "idx": idx, "sn": sn}, safe="=")
