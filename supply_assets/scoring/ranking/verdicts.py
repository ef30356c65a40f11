"""One article's scores and verdict, before anything is selected (S-023).

Belongs here: the five parts of an article, its base total, its place among the others, and what ``score_detail``
says of it. Does not belong here: formulas of the parts, the selection (``rank``).
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, NamedTuple

from supply_assets.scoring.parts import ROUND, Part, clamp
from supply_assets.scoring.ranking.account_score import account_score
from supply_assets.scoring.ranking.duplicates import Duplicate, published
from supply_assets.scoring.ranking.elder import elder_score
from supply_assets.scoring.ranking.filters import DUPLICATE, Hit, hits
from supply_assets.scoring.ranking.popularity import Medians, popularity_of
from supply_assets.scoring.ranking.quality import quality_score
from supply_assets.scoring.ranking.relevance import relevance
from supply_assets.scoring.records import PoolArticle, RankedArticle, Wanted

_EARLIEST = datetime.min.replace(tzinfo=UTC)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

Key = tuple[float, float, float, str, int]


class Scored(NamedTuple):
    """An article with its parts, its base total ``Σ weight × part``, and the filters that it does not pass."""

    article: PoolArticle
    parts: dict[str, Part]
    base: float
    hits: list[Hit]

    def key(self, total: float) -> Key:
        """Sorts the better article first: total, relevance, the later publish time, URL hash, id (S-024)."""
        age = (_EPOCH - published(self.article, _EARLIEST)).total_seconds()
        return -total, -self.parts["relevance"].score, age, self.article.url_hash, self.article.candidate_id


def score(wanted: Wanted, article: PoolArticle, medians: Medians, shares: Mapping[str, float]) -> Scored:
    """The five parts of ``article`` and what follows from them alone."""
    parts = {
        "relevance": relevance(wanted, article),
        "popularity": popularity_of(article, medians),
        "quality": quality_score(article),
        "account": account_score(article),
        "elder": elder_score(article),
    }
    base = sum(shares[name] * part.score for name, part in parts.items())
    return Scored(article, parts, base, hits(wanted, article, parts))


def verdict(one: Scored, shares: Mapping[str, float], taken: float, duplicate: Duplicate | None) -> RankedArticle:
    """What is said of an article that loses ``taken`` points to diversity; nothing is selected yet."""
    reason = DUPLICATE if duplicate else one.hits[0].reason if one.hits else None
    return RankedArticle(
        candidate_id=one.article.candidate_id,
        **{name: part.score for name, part in one.parts.items()},
        diversity_penalty=clamp(taken),
        total=round(max(0.0, one.base - taken), ROUND),
        passed=reason is None,
        filter_reason=reason,
        selected=False,
        rank_no=None,
        duplicate_of=duplicate.of if duplicate else None,
        detail=_detail(one, shares, taken, duplicate),
    )


def _detail(one: Scored, shares: Mapping[str, float], taken: float, duplicate: Duplicate | None) -> dict[str, Any]:
    detail: dict[str, Any] = {
        "weights": shares,
        "parts": {name: part.inputs for name, part in one.parts.items()},
        "base": round(one.base, ROUND),
        "diversity_penalty": taken,
        "filters": {hit.reason: hit.evidence for hit in one.hits},
    }
    if duplicate:
        detail["duplicate"] = duplicate._asdict()
    return detail
