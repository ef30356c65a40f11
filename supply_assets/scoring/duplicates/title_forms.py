"""A title without what reposting adds to it, and how alike two titles are by their characters (S-024, WX13).

Character work only; whether alike titles are one work is decided in ``near_duplicates``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from supply_assets.normalisation.texts import letters

SHORTEST = 5
"""Titles of fewer letters are compared by their key only: one of four characters is a quarter of the meaning."""

TOLD_BY_WORDS = 10
"""In titles of fewer letters one other word of two characters (天津 for 陕西) makes another title."""

_FORWARDING = "(?:赶紧|赶快|火速|紧急|请|速|快|求|已)?(?:转发|转载|扩散|转)|速看|快看|必看|必读|速读|速存|收藏"
_COLUMN = (
    "荐读|夜读|推荐|分享|提醒|关注|注意|重要|重磅|突发|紧急|震惊|热文|好文|深度好文|健康|实用|科普|最新|独家|原创|头条"
)
_OPENING, _CLOSING = r"[\[(【〔〖]", r"[\])】〕〗]"
_SEPARATOR = r"[^\w\[(【〔〖「『<《]"
_HEAD = re.compile(
    rf"{_SEPARATOR}*(?:{_OPENING}\s*(?:{_FORWARDING}|{_COLUMN})\s*{_CLOSING}"
    rf"|(?:{_FORWARDING}|{_COLUMN}){_SEPARATOR}+|转发|转载|速看|速转|快看)"
)
_TAIL = re.compile(rf"[\W_]+(?:{_FORWARDING}|{_COLUMN})[\W_]*$")


@dataclass(frozen=True, slots=True)
class TitleForm:
    """``whole`` is the title's key; ``body`` the key of what is left without a forwarder's words and column tags."""

    whole: str
    body: str

    @classmethod
    def of(cls, folded: str) -> TitleForm:
        """Form of a folded title."""
        whole, rest = letters(folded), folded
        while head := _HEAD.match(rest):
            rest = rest[head.end() :]
        tail = _TAIL.search(rest)
        body = letters(rest[: tail.start()] if tail else rest)
        return cls(whole, body if len(body) >= SHORTEST else whole)


def edits_allowed(length: int, threshold: float) -> int:
    """Insertions, deletions and substitutions that leave a title of ``length`` letters the same work.

    The share 1 − ``threshold`` of its length, and at least a slip or two: one edit from 5 letters on, two from 7.
    """
    slips = 2 if length >= 7 else int(length >= SHORTEST)
    return max(slips, int((1 - threshold) * length + 1e-9))


def other_word(left: str, right: str) -> str | None:
    """``"天津 / 陕西"`` where two short titles differ in just that word, else ``None``."""
    if len(left) != len(right) or len(left) >= TOLD_BY_WORDS:
        return None
    places = [place for place, (one, other) in enumerate(zip(left, right, strict=True)) if one != other]
    if len(places) != 2 or places[1] != places[0] + 1:
        return None
    ours, theirs = left[places[0] : places[1] + 1], right[places[0] : places[1] + 1]
    return f"{ours} / {theirs}" if set(ours).isdisjoint(theirs) else None


@lru_cache(maxsize=1024)
def ring(text: str) -> frozenset[str]:
    """The pairs of neighbouring characters of ``text`` laid in a ring: swapping its halves leaves them the same."""
    return frozenset(map("".join, zip(text, text[1:] + text[:1], strict=True)))


def ring_similarity(left: str, right: str) -> float:
    """Dice coefficient of the two rings, 0 … 1; 1 where the halves of one text were swapped."""
    ours, theirs = ring(left), ring(right)
    return 2 * len(ours & theirs) / (len(ours) + len(theirs)) if ours and theirs else 0.0


def is_rotation(left: str, right: str) -> bool:
    """Whether ``right`` is ``left`` cut once and put together the other way round."""
    return len(left) == len(right) and right in left + left
