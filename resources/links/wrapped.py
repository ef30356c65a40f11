"""Links that stand around an article's link: redirects, captcha pages, warnings before another site.

Belongs here: finding the inner link; hosts, words and parameters are in ``wrapped.toml``. Does not belong here: whether
the inner link means an article. A shortened link names nothing and stays what it is.
"""

from __future__ import annotations

import re
import tomllib
from importlib.resources import files
from urllib.parse import unquote, urlsplit

_LISTS: dict[str, list[str]] = tomllib.loads(files(__package__).joinpath("wrapped.toml").read_text(encoding="utf-8"))
_HOSTS = re.compile("(?:.*\\.)?(?:" + "|".join(map(re.escape, _LISTS["hosts"])) + ")")
_WORDS = re.compile("|".join(map(re.escape, _LISTS["words"])))
_SEGMENTS = frozenset(_LISTS["segments"])
_PARAMETERS = frozenset(_LISTS["parameters"])
_HELD = re.compile(r"(?i)(?:^|&)([^=&]{1,40})=(https?(?:://|%(?:25)*3A%(?:25)*2F%(?:25)*2F)[^\s]*)")
_QUOTINGS = 4


def wrapped_link(link: str) -> str | None:
    """The link that a redirect or captcha page holds, still as it was written there; ``None`` where there is none."""
    try:
        parts = urlsplit(link, scheme="https")
        host = parts.hostname or ""
    except ValueError:
        return None
    is_family = _HOSTS.fullmatch(host) is not None
    if not (is_family or _is_passage(host, parts.path)):
        return None
    for held in _HELD.finditer(f"{parts.query}#{parts.fragment}"):
        if is_family or held[1].lower() in _PARAMETERS:
            return _value(held[2])
    return None


def _is_passage(host: str, path: str) -> bool:
    address = f"{host}{path}".lower()
    return _WORDS.search(address) is not None or path.rstrip("/").rpartition("/")[2].lower() in _SEGMENTS


def _value(text: str) -> str:
    """A value that was quoted ends at the next parameter; of one that was not, nobody can tell: it is all the rest."""
    if "://" in text.partition("%")[0][:8]:
        return text
    value = text.partition("&")[0].partition("#")[0]
    for _ in range(_QUOTINGS):
        if "://" in value[:8]:
            break
        value = unquote(value)
    return value
