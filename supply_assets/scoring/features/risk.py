"""What in a text is risky to recommend, as a score of 0 … 100 with its reasons (S-021, S-023).

Belongs here: weighing the words of the risk classes. Does not belong here: the words, filters, clickbait titles
(their own filter and penalty). A text that warns of a thing uses the same words as one that sells it: an occurrence
with a word of ``WARNING`` within 30 characters of its own sentence is not counted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from supply_assets.normalisation.texts import fold
from supply_assets.scoring.parts import clamp
from supply_assets.scoring.terms.lexicon import RISK_CLASSES, WARNING, found_folded, holds_any

CLASS_WEIGHTS = {"banned": 50.0, "pseudo_science": 30.0, "inducement": 25.0, "marketing": 15.0, "exaggeration": 15.0}
"""Points of the first word of a class; each further distinct word of it adds half of the one before."""

RISK_WORDS = tuple(word for words in RISK_CLASSES.values() for word in words)
REACH = 30
OCCURRENCES = 50
_END = re.compile(r"[。；;\n]")


class Risk(NamedTuple):
    """0 (none found) … 100, and ``class: word, word`` for every class that was hit."""

    score: float
    reasons: tuple[str, ...]


def risk(*texts: str) -> Risk:
    """The risk of ``texts`` together (title, digest or body), over all classes, cut at 100; empty texts have none.

    A class of weight w with n distinct words gives w · (2 − 2^(1−n)), so less than 2w.
    """
    folded = [fold(line) for text in texts for line in text.splitlines()]
    whole = "\n".join(line for line in folded if line)
    if not holds_any(whole, RISK_WORDS):
        return Risk(0.0, ())
    score, reasons = 0.0, []
    for name, words in RISK_CLASSES.items():
        hits = [word for word in found_folded(whole, words) if _offered(whole, word)]
        if hits:
            score += CLASS_WEIGHTS[name] * (2 - 2.0 ** (1 - len(hits)))
            reasons.append(f"{name}: {', '.join(hits)}")
    return Risk(clamp(score), tuple(reasons))


def _offered(whole: str, word: str) -> bool:
    """Whether one of the first occurrences stands without a word of warning."""
    return any(not found_folded(near, WARNING) for near in _surroundings(whole, word))


def _surroundings(whole: str, word: str) -> Iterator[str]:
    at = whole.find(word)
    for _ in range(OCCURRENCES):
        if at < 0:
            return
        end = at + len(word)
        yield _END.split(whole[max(0, at - REACH) : at])[-1] + word + _END.split(whole[end : end + REACH])[0]
        at = whole.find(word, end)
