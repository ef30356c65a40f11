"""What an article's page says of itself outside its body: ids, time, account, links, title.

The page's scripts come in two makes: ``var ct = "1762243169";`` of the classic page and ``window.ct = '…' || '';`` or
``ct: JsDecode('…')`` of shared pictures and texts. Only values in quotes count, each checked for its shape, and the
surest place wins. The scripts run to megabytes: they are read in one pass.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from selectolax.lexbor import LexborHTMLParser, LexborNode

from resources.links.articles import PLATFORM
from resources.links.public_page import long_link, page_address
from resources.texts.entities import decoded_text
from resources.texts.invisible import is_seen

_NAMES = (
    "biz|bizuin|mid|idx|sn|ct|ori_create_time|create_time|user_name|nickname|nick_name|msg_link|msg_title|"
    "item_show_type|msg_source_url|source_url"
)
_QUOTED = r"""(?:"[^"\n]*"|'[^'\n]*')"""
_ASSIGNED = re.compile(
    rf"\b({_NAMES})\s*[=:]\s*(xml\s*\?[^\n]{{0,200}}?:\s*)?(htmlDecode\(|JsDecode\()?\s*"
    rf"({_QUOTED}(?:\s*\|\|\s*{_QUOTED})*)"
)
_INNER = re.compile(r""""([^"\n]*)"|'([^'\n]*)'""")
_LEAD = re.compile(r"(var\s+|window\.|\b_g\.|\bd\.)$|[\w.$]$")
_SAME = {"bizuin": "biz", "ori_create_time": "ct", "nick_name": "nickname", "source_url": "msg_source_url"}
_SHAPES = {
    "biz": re.compile(r"[A-Za-z0-9+/_-]{4,}={0,2}"),
    "mid": re.compile(r"\d+", re.ASCII),
    "idx": re.compile(r"\d+", re.ASCII),
    "sn": re.compile(r"[0-9A-Za-z]{8,}", re.ASCII),
    "ct": re.compile(r"\d{9,13}", re.ASCII),
    "user_name": re.compile(r"gh_\w+", re.ASCII),
    "item_show_type": re.compile(r"\d{1,4}", re.ASCII),
    "msg_source_url": re.compile(r"https?://.+"),
}
_BARE_TYPE = re.compile(r"(?:\bvar\s+|\bwindow\.|\b_g\.|\bd\.|\bcgiData\.)item_show_type\s*=\s*(\d{1,4})\b", re.ASCII)
_JS_ESCAPE = re.compile(r"\\x([0-9a-fA-F]{2})|\\u([0-9a-fA-F]{4})|\\([nrt'\"/\\])")
_PLAIN_ESCAPES = {"n": "\n", "r": "\r", "t": "\t"}


@dataclass(frozen=True)
class PageMarks:
    """What was found; ``None`` where the page says nothing. ``ids`` holds those known of biz, mid, idx and sn.

    ``item_type`` is the platform's number of the kind of post. ``body_is_invented``: the sandbox wrote the body below a
    real title, and says so (S-014).
    """

    title: str | None
    description: str | None
    author: str | None
    canonical_url: str | None
    ids: dict[str, str]
    account_id: str | None
    account_name: str | None
    publish_time: int | str | None
    item_type: str | None
    has_source_link: bool
    body_is_invented: bool

    @property
    def is_of_platform(self) -> bool:
        """Whether the page names an article or account at all."""
        return bool(self.ids or self.account_id or self.canonical_url)


def read_marks(tree: LexborHTMLParser) -> PageMarks:
    """Marks of a page; the tree is left as it is."""
    script = "\n".join(node.text() for node in tree.css("script"))
    values = _script_values(script)
    share_link = _meta(tree, "og:url") or values.get("msg_link")
    ids = _ids(values, share_link)
    shared_title = _meta(tree, "og:title") or values.get("msg_title")
    source_link = values.get("msg_source_url") or tree.css_first("a#js_view_source[href^=http]")
    return PageMarks(
        title=_text(tree, "#activity-name", "#js_text_title") or _readable(shared_title),
        description=_readable(_meta(tree, "og:description") or _meta(tree, "description", "name")),
        author=_meta(tree, "author", "name") or _meta(tree, "og:article:author"),
        canonical_url=_canonical(ids, share_link),
        ids=ids,
        account_id=values.get("user_name"),
        account_name=_text(tree, "#js_name", "#post-user")
        or _readable(values.get("nickname"))
        or _text(tree, ".wx_follow_nickname", ".profile_nickname"),
        publish_time=_time(tree, values),
        item_type=values.get("item_show_type") or _bare_type(script),
        has_source_link=source_link is not None,
        body_is_invented=_meta(tree, "pattern2plan:body", "name") == "invented",
    )


def _script_values(script: str) -> dict[str, str]:
    """The surest value of each name: ``var``, then ``window.``, then ``JsDecode``, then a bare entry."""
    best: dict[str, tuple[int, str]] = {}
    for match in _ASSIGNED.finditer(script):
        name = _SAME.get(match.group(1), match.group(1))
        rank = _rank(match, script)
        if rank is None or (name in best and best[name][0] <= rank):
            continue
        value = _first_value(match.group(4), _SHAPES.get(name))
        if value:
            best[name] = (rank, value)
    return {name: value for name, (_, value) in best.items()}


def _bare_type(script: str) -> str | None:
    """The kind of post where the page writes it as a number, without quotes."""
    found = _BARE_TYPE.search(script)
    return found[1] if found else None


def _rank(match: re.Match[str], script: str) -> int | None:
    """How sure a place is, 0 the surest; ``None`` for a field of some other object (``data.mid = …``)."""
    lead = _LEAD.search(script[max(0, match.start() - 10) : match.start()])
    if lead is None:
        return 2 if match.group(3) else 4
    owner = (lead.group(1) or "").strip()
    return {"var": 0, "window.": 1, "_g.": 1, "d.": 3}.get(owner)


def _first_value(quoted: str, shape: re.Pattern[str] | None) -> str | None:
    for double, single in _INNER.findall(quoted):
        value = _unescaped(double or single).strip()
        if value and (shape is None or shape.fullmatch(value)):
            return value
    return None


def _ids(values: dict[str, str], share_link: str | None) -> dict[str, str]:
    address = page_address(share_link) if share_link else None
    linked = {name.lstrip("_"): value for name, value in address[1].items()} if address else {}
    found = {name: values.get(name) or linked.get(name) for name in ("biz", "mid", "idx", "sn")}
    return {name: value for name, value in found.items() if value}


def _canonical(ids: dict[str, str], share_link: str | None) -> str | None:
    """The long form where all four ids are there, else the short link; never a temporary one (WX4)."""
    if len(ids) == 4:
        return long_link(ids["biz"], ids["mid"], ids["idx"], ids["sn"])
    address = page_address(share_link) if share_link else None
    if address is None or not address[0].startswith("/s/") or address[1]:
        return None
    return f"https://{PLATFORM}{address[0]}"


def _time(tree: LexborHTMLParser, values: dict[str, str]) -> int | str | None:
    if "ct" in values:
        return int(values["ct"])
    return _text(tree, "#publish_time", "#post-date") or values.get("create_time")


def _text(tree: LexborHTMLParser, *selectors: str) -> str | None:
    for selector in selectors:
        node: LexborNode | None = tree.css_first(selector)
        text = " ".join(node.text().split()) if node else ""
        if is_seen(text):
            return text
    return None


def _meta(tree: LexborHTMLParser, name: str, attribute: str = "property") -> str | None:
    node = tree.css_first(f'meta[{attribute}="{name}"]')
    content = (node.attributes.get("content") or "").strip() if node else ""
    return content if is_seen(content) else None


def _readable(text: str | None) -> str | None:
    """Script and HTML escapes resolved: shared pages write ``\\x0a`` and ``&quot;`` into their descriptions."""
    return (decoded_text(_unescaped(text)).strip() or None) if text else None


def _unescaped(text: str) -> str:
    if "\\" not in text:
        return text

    def character(match: re.Match[str]) -> str:
        code = match.group(1) or match.group(2)
        return chr(int(code, 16)) if code else _PLAIN_ESCAPES.get(match.group(3), match.group(3))

    return _JS_ESCAPE.sub(character, text).encode("utf-16", "surrogatepass").decode("utf-16", "replace")
