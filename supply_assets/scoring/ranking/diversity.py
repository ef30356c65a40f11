"""Keeping one account from filling a result, and which sub-topics a result covers (S-024)."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Sequence

from supply_assets.scoring.ranking.verdicts import Key
from supply_assets.scoring.terms.lexicon import TOPICS, topics

PER_ACCOUNT = 3
PENALTY_STEP, MOST_PENALTY = 1.0, 20.0


def penalty(key: Key, passing: Sequence[Key]) -> float:
    """Points that an article loses to those of its account that stand before it.

    ``passing`` holds, in rising order, the keys of the account's articles that pass the filters and stand for their
    cluster: neither a duplicate nor a bad article costs a good one anything. With n of them before ``key`` the article
    loses ``PENALTY_STEP × n``, at most ``MOST_PENALTY``; an article of an unknown account loses nothing.
    """
    return min(MOST_PENALTY, PENALTY_STEP * bisect_left(passing, key))


def count_topics(texts: Iterable[str]) -> dict[str, int]:
    """Articles per sub-topic, 0 for those not covered, ``other`` for articles of none; one may count for several."""
    counts = Counter(topic for text in texts for topic in topics(text) or ["other"])
    return {topic: counts[topic] for topic in (*TOPICS, "other")}
