"""Titles, digests and names as they arrive, made fit to show, to compare and to match (S-022, WX14, MY1).

Three forms, each with one purpose: ``display`` is stored and shown, ``key`` is compared for equality only,
``fold`` is searched for terms. Nothing here knows what a text is about.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from itertools import takewhile

from resources.texts.entities import decoded_text
from resources.texts.invisible import INVISIBLE, SELECTOR
from supply_assets.normalisation.remembered import remembered

CACHED_LENGTH = 600
BODIES_CHARACTERS = 2_000_000
_PICTURE = "\u00a9\u00ae\u203c-\u3299\ufe0f\U0001f000-\U0001faff"
_FLAG = "\U0001f3f4[\U000e0020-\U000e007e]+\U000e007f"
_JOINER = f"(?<=[{_PICTURE}])\u200d(?=[{_PICTURE}])"

_UNSEEN = re.compile(f"({_FLAG}|{_JOINER})|[{INVISIBLE}]")
_STRAY_SELECTOR = re.compile(rf"(?<!\S)[{SELECTOR}]+")
_UNDRAWN = re.compile(f"[{INVISIBLE}{SELECTOR}]")
_TAG = re.compile(r"<!--.*?-->|</?(?:a|b|em|font|i|mark|p|span|strong|u)(?:\s[^<>]*)?/?>", re.IGNORECASE | re.DOTALL)
_BREAK = re.compile(r"<br\s*/?>", re.IGNORECASE)
_SURROGATE = re.compile("[\ud800-\udfff]")
_ODD = re.compile(f"[{INVISIBLE}{SELECTOR}\ud800-\udfff]")
_LETTER_PICTURES = re.compile("[\u2122\u24c2\u3297\u3299\U0001f200-\U0001f251]")
_NOT_WORD = re.compile(r"[\W_]+")


def display(text: str | None) -> str:
    """``text`` on one line as a reader should see it; ``None`` and all-invisible texts give ``""`` (S-022).

    Mark-up of search results (``<em>`` and its like, comments) goes first, then entities are decoded: an escaped
    ``&lt;em&gt;`` is what the author wrote and stays. Controls, format characters and lone surrogates are
    removed, whitespace is collapsed. Joiners within an emoji sequence, full-width and 4-byte characters stay.
    """
    if not text:
        return ""
    if "<" in text:
        text = _TAG.sub("", _BREAK.sub(" ", text))
    if "&" in text:
        text = decoded_text(text)
    if not _ODD.search(text):
        return " ".join(text.split())
    if _SURROGATE.search(text):
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "ignore")
    text = " ".join(_UNSEEN.sub(r"\1", text).split())
    return _STRAY_SELECTOR.sub("", text).strip()


def fold(text: str | None) -> str:
    """``display`` of ``text`` with width, compatibility forms and case levelled, for finding terms in it.

    NFKC, casefold, NFKC again; punctuation and single blanks stay, nothing invisible does, and neither do the few
    emoji that NFKC would turn into letters of the text.
    """
    return _folded_body(text) if text and len(text) > CACHED_LENGTH else _folded_short(text or "")


@lru_cache(maxsize=4096)
def _folded_short(text: str) -> str:
    """Titles and terms are folded again and again while a pool is ranked."""
    return _folded(text)


@remembered(BODIES_CHARACTERS)
def _folded_body(text: str) -> str:
    """A body is folded when it is measured, and when it is ranked and compared."""
    return _folded(text)


def _folded(text: str) -> str:
    seen = _UNDRAWN.sub("", display(text))
    if seen.isascii():
        return seen.casefold()
    seen = _LETTER_PICTURES.sub("", seen)
    levelled = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", seen).casefold())
    return " ".join(levelled.split())


def key(text: str | None) -> str:
    """What is left of ``text`` when only its letters, digits and their marks count; for equality only (WX14).

    Two titles that differ in width, case, entities, blanks, punctuation, emoji or invisible characters share a key.
    A text without any letter or digit has the key ``""``, which equals nothing.
    """
    return letters(fold(text))


def letters(folded: str) -> str:
    """The key of a text that :func:`fold` has made, for callers that need both."""
    return unicodedata.normalize("NFC", _NOT_WORD.sub(_marks_of_letter, folded))


def fits(text: str, limit: int) -> bool:
    """Whether ``text`` has at most ``limit`` code points, which is what a utf8mb4 ``VARCHAR`` counts."""
    return len(text) <= limit


def cut(text: str, limit: int) -> str:
    """The first ``limit`` code points of ``text``, without a joiner or blank left hanging at the cut.

    Raises:
        ValueError: ``limit`` is negative.
    """
    if limit < 0:
        raise ValueError(f"limit is {limit}, at least 0 is wanted")
    return text if fits(text, limit) else text[:limit].rstrip("\u200d ")


def _marks_of_letter(run: re.Match[str]) -> str:
    """The combining marks that a run of other characters begins with: they belong to the letter before it."""
    return "".join(takewhile(lambda char: unicodedata.category(char)[0] == "M", run[0]))
