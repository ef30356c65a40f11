"""The Chinese words that features, filters and recall rounds look for, by class, and how they are looked for.

Belongs here: finding them; the words are in ``lexicon.toml``, written folded (NFKC, lower case). Does not belong here:
what a hit costs. No word of ``WEAK_CLICKBAIT`` overlaps another word of these classes: erasing weak words ends in
one text whatever their order, so a further one can neither split nor hide a graver word (S-026).
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from enum import StrEnum
from functools import lru_cache
from importlib.resources import files
from types import MappingProxyType

from supply_assets.normalisation.texts import fold

_LATIN = re.compile("[a-z0-9]")


def _words(spaced: str) -> tuple[str, ...]:
    return tuple(spaced.split())


_LISTS = tomllib.loads(files(__package__).joinpath("lexicon.toml").read_text(encoding="utf-8"))

STRONG_CLICKBAIT, WEAK_CLICKBAIT = _words(_LISTS["strong_clickbait"]), _words(_LISTS["weak_clickbait"])
CLICKBAIT = STRONG_CLICKBAIT + WEAK_CLICKBAIT
WARNING, ELDER_TOPICS, SCENES = (_words(_LISTS[name]) for name in ("warning", "elder_topics", "scenes"))
RISK_CLASSES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {name: _words(_LISTS[name]) for name in ("banned", "pseudo_science", "inducement", "marketing", "exaggeration")}
)
TOPICS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {name: _words(spaced) for name, spaced in _LISTS["topics"].items()}
)


class Clickbait(StrEnum):
    """How much of a clickbait title a title is."""

    NONE = "none"
    WEAK = "weak"
    STRONG = "strong"


@lru_cache(maxsize=4096)
def _folded(word: str) -> str:
    return fold(word)


@lru_cache(maxsize=64)
def _any_of(words: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(re.escape(needle) for word in words if (needle := _folded(word))) or "(?!)")


def found(text: str, words: Iterable[str]) -> list[str]:
    """The distinct ``words`` that the folded ``text`` contains, in the order of ``words``; blank words never."""
    return found_folded(fold(text), words)


def found_folded(folded: str, words: Iterable[str]) -> list[str]:
    """``found`` for a text that is folded already."""
    listed = tuple(words)
    if not holds_any(folded, listed):
        return []
    return [word for word in dict.fromkeys(listed) if _holds(folded, _folded(word))]


def holds_any(folded: str, words: tuple[str, ...]) -> bool:
    """Whether a folded text may hold one of ``words``: never wrongly ``False``, and much cheaper than ``found``."""
    return _any_of(words).search(folded) is not None


def _holds(folded: str, needle: str) -> bool:
    """Whether ``needle`` occurs; where it ends in a Latin letter or digit, as a word (``ai``, not ``email``)."""
    if not needle or needle not in folded:
        return False
    pattern = standing_alone(needle)
    return pattern is None or pattern.search(folded) is not None


@lru_cache(maxsize=4096)
def standing_alone(folded: str) -> re.Pattern[str] | None:
    """A pattern of a term that ends in a Latin letter or digit and is found as a word only; ``None`` for any other."""
    before = "(?<![a-z0-9])" if _LATIN.match(folded[0]) else ""
    after = "(?![a-z0-9])" if _LATIN.match(folded[-1]) else ""
    return re.compile(before + re.escape(folded) + after) if before or after else None


def erased(text: str, words: Iterable[str]) -> str:
    """The folded ``text`` after erasing ``words`` until none is left, also those that erasing brought together."""
    folded = fold(text)
    listed = tuple(words)
    if not holds_any(folded, listed):
        return folded
    needles = tuple(needle for word in listed if (needle := _folded(word)))
    kept: list[str] = []
    for character in folded:
        kept.append(character)
        for needle in needles:
            if character == needle[-1] and "".join(kept[-len(needle) :]) == needle:
                del kept[-len(needle) :]
                break
    return fold("".join(kept))


def clickbait(title: str) -> tuple[Clickbait, list[str]]:
    """The grade of ``title`` and the words that gave it; a further clickbait word never lowers the grade (S-026)."""
    folded = fold(title)
    weak = found_folded(folded, WEAK_CLICKBAIT)
    strong = found_folded(erased(folded, WEAK_CLICKBAIT) if weak else folded, STRONG_CLICKBAIT)
    if strong:
        return Clickbait.STRONG, strong + weak
    return (Clickbait.WEAK, weak) if weak else (Clickbait.NONE, [])


def topics(text: str) -> list[str]:
    """The sub-topics that ``text`` touches, in the order of ``TOPICS`` (S-024)."""
    folded = fold(text)
    return [topic for topic, words in TOPICS.items() if found_folded(folded, words)]
