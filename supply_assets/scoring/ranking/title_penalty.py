"""What a title costs an article's scores: clickbait and words of risk (S-023, S-026).

Belongs here: the one place where a title is judged. Does not belong here: the body, filters. The penalty of a
strong clickbait word is the most there is, and a title is judged after its weak words are erased: no further
clickbait word can lower a penalty.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from supply_assets.normalisation.texts import fold
from supply_assets.scoring.features.risk import RISK_WORDS, risk
from supply_assets.scoring.terms.lexicon import CLICKBAIT, WEAK_CLICKBAIT, Clickbait, clickbait, erased, holds_any

STRONG_PENALTY = 40.0
WEAK_PENALTY = 8.0
RISK_SHARE = 0.5
_TELLING = CLICKBAIT + RISK_WORDS


class JudgedTitle(NamedTuple):
    """``plain`` is the folded title without weak clickbait words, ``""`` for a strong clickbait title."""

    grade: Clickbait
    plain: str
    penalty: float


@lru_cache(maxsize=256)  # several parts of one article ask one after the other
def judge_title(title: str) -> JudgedTitle:
    """Grade ``title``; the penalty is 0 … 40: 40 for strong clickbait, else half its risk, and 8 for weak clickbait."""
    folded = fold(title)
    if not holds_any(folded, _TELLING):
        return JudgedTitle(Clickbait.NONE, folded, 0.0)
    grade, _ = clickbait(title)
    if grade is Clickbait.STRONG:
        return JudgedTitle(grade, "", STRONG_PENALTY)
    plain = erased(title, WEAK_CLICKBAIT)
    penalty = RISK_SHARE * risk(plain).score + (WEAK_PENALTY if grade is Clickbait.WEAK else 0.0)
    return JudgedTitle(grade, plain, min(STRONG_PENALTY, penalty))
