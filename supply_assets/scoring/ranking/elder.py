"""The elder part of a total: does the article suit older readers (S-023)."""

from __future__ import annotations

from typing import Any

from supply_assets.normalisation.texts import fold
from supply_assets.scoring.parts import Part, clamp
from supply_assets.scoring.ranking.title_penalty import judge_title
from supply_assets.scoring.records import PoolArticle
from supply_assets.scoring.terms.lexicon import ELDER_TOPICS, found_folded

RISK_SHARE = 0.3
PENALTY_SHARE = 0.25
ESTIMATED_BASE, ESTIMATED_TOPIC, MOST_TOPICS = 40.0, 10.0, 3


def elder_score(article: PoolArticle) -> Part:
    """0 … 100, never raised by a clickbait word in the title or by more risk (S-026).

    With content features: their age-friendliness, less 0.3 of the risk score, less a quarter of the title's penalty.
    Without them, marked ``estimated``: 40 and 10 for each distinct word of ``ELDER_TOPICS`` in title and digest, three
    at most, less a quarter of the title's penalty.
    """
    title = judge_title(article.title)
    cost = PENALTY_SHARE * title.penalty
    inputs: dict[str, Any] = {
        "estimated": article.content is None,
        "clickbait": title.grade.value,
        "title_penalty": title.penalty,
    }
    if article.content is not None:
        friendly, risk = article.content.elder_friendly_score, article.content.risk_score
        inputs |= {"elder_friendly": friendly, "risk": risk}
        return Part(clamp(friendly - RISK_SHARE * risk - cost), inputs)
    words = found_folded(f"{title.plain}\n{fold(article.digest)}", ELDER_TOPICS)
    inputs |= {"topics": words}
    return Part(clamp(ESTIMATED_BASE + ESTIMATED_TOPIC * min(MOST_TOPICS, len(words)) - cost), inputs)
