"""Pages that stand where an article was due (S-011, WX5, WX6, WX18, WX20): known absence, passing trouble, the unknown.

What they say stands in ``page_notices.toml``. Only what a reader sees counts: sentences inside scripts and attributes
are no notice. Whether a page is an article is decided before, in :mod:`resources.tool_gateway.results.pages`: an
article may quote any of these sentences. A page on no list is unknown, which passes; it is never a final answer.
"""

from __future__ import annotations

import hashlib
import re
import tomllib
import unicodedata
from importlib.resources import files

from selectolax.lexbor import LexborHTMLParser

from resources.calls.outcomes.answers import Code
from resources.calls.outcomes.verdicts import Verdict
from resources.links.secrets import text_without_secrets

NOTICE_CHARACTERS = 1000
"""A notice is short; a longer page that holds such a sentence (a list of titles, say) is no notice."""
TITLE_CHARACTERS = 60

_CHALLENGE_MARKS = ", ".join(
    (
        "#js_verify, #seccodeForm, #seccodeImage, #challenge-form, #cf-challenge-running, #tcaptcha_iframe",
        "form[action*='captcha'], form[action*='verify'], script[src*='antispider'], iframe[src*='captcha']",
        ".g-recaptcha, .h-captcha",
    )
)


def _patterns() -> tuple[tuple[Code, re.Pattern[str]], ...]:
    text = files(__package__).joinpath("page_notices.toml").read_text(encoding="utf-8")
    notices = tomllib.loads(text)["notice"]
    return tuple((Code(one["code"]), re.compile("|".join(one["says"]).replace(" ", ""))) for one in notices)


_NOTICES = _patterns()


def read_notice(html: str | LexborHTMLParser) -> Verdict | None:
    """The notice of a page that is no article, or ``None`` when it says nothing of the kind; the tree is changed."""
    tree = html if isinstance(html, LexborHTMLParser) else LexborHTMLParser(html)
    if tree.css_first(_CHALLENGE_MARKS) is not None:
        return Verdict(Code.BLOCKED, "a verification page")
    seen = _seen_text(tree)
    if len(seen) > NOTICE_CHARACTERS:
        return None
    said = said_in(seen)
    return Verdict(said[0], f"a page that says {said[1]}") if said else None


def said_in(text: str) -> tuple[Code, str] | None:
    """What a sentence says, and the words that say it; ``None`` where it is on no list."""
    plain = "".join(unicodedata.normalize("NFKC", text).casefold().replace("\u2019", "'").split())
    found = ((code, pattern.search(plain)) for code, pattern in _NOTICES)
    return next(((code, words[0]) for code, words in found if words), None)


def unknown_page(html: str, what: str) -> Verdict:
    """A page on no list, named so that the next of its kind is recognised; ``what`` says why it is no article."""
    node = LexborHTMLParser(html).css_first("title")
    title = text_without_secrets(" ".join(node.text().split()))[:TITLE_CHARACTERS] if node else ""
    digest = hashlib.sha256(html.encode("utf-8", "replace")).hexdigest()[:12]
    return Verdict(Code.UNKNOWN_PAGE, f"{what}; title {title!r}, {len(html)} characters, sha256 {digest}")


def _seen_text(tree: LexborHTMLParser) -> str:
    title = tree.css_first("title")
    tree.strip_tags(["script", "style", "noscript", "template"])
    body = tree.body
    text = (title.text() if title else "") + "\n" + (body.text() if body else "")
    return "".join(text.split())
