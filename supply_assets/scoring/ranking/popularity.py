"""How much an article is read, and what is assumed where nobody knows (S-022, S-023).

Belongs here: the formula and the imputation. Views and likes are put on a logarithmic scale, 0 … 100:
``100 × ln(1 + count) ÷ ln(1 + top)``, where the platform stops counting (views, ``VIEWS_TOP``) or where a score has
nothing more to gain (likes, ``LIKES_TOP``) being 100. A capped count (``10万+``) is its lower bound, which is the top.

``score = 0.9 × views + 0.1 × likes``. Unknown likes count as ``NEUTRAL``. Unknown views are imputed from, in this
order: the median of the account's history; the median of the account's other articles in the pool; the median of the
pool; ``NEUTRAL``. Medians are taken on the scale, over representatives only: one article reposted ten times is one.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from statistics import median
from typing import NamedTuple

from supply_assets.normalisation.counts import Count
from supply_assets.scoring.parts import Part, clamp
from supply_assets.scoring.records import PoolArticle

VIEWS_TOP, LIKES_TOP = 100_000, 10_000
VIEWS_SHARE, LIKES_SHARE = 0.9, 0.1
NEUTRAL = 50.0


class Medians(NamedTuple):
    """Median view score of the accounts and of the whole pool; ``pool`` is ``None`` where no views are known."""

    accounts: Mapping[str, float]
    pool: float | None


def medians_of(representatives: Sequence[PoolArticle]) -> Medians:
    """The medians of what is known in a pool without duplicates."""
    known: list[float] = []
    by_account: defaultdict[str, list[float]] = defaultdict(list)
    for article in representatives:
        if article.views is not None:
            score = _scaled(article.views.value, VIEWS_TOP)
            known.append(score)
            if article.account_key:
                by_account[article.account_key].append(score)
    accounts = {account: median(scores) for account, scores in by_account.items()}
    return Medians(accounts, median(known) if known else None)


def popularity_of(article: PoolArticle, medians: Medians) -> Part:
    """Score of 0 … 100 of one article, which need not be among those the medians were taken of (S-023, S-026).

    More views never lower a score. ``imputed`` in the inputs is ``None``, ``account``, ``pool`` or ``neutral``.
    """
    views, imputed = _views(article, medians)
    likes = NEUTRAL if article.likes is None else _scaled(article.likes.value, LIKES_TOP)
    inputs = {
        "views": _shown(article.views),
        "likes": _shown(article.likes),
        "views_score": round(views, 2),
        "likes_score": round(likes, 2),
        "imputed": imputed,
    }
    return Part(clamp(VIEWS_SHARE * views + LIKES_SHARE * likes), inputs)


def _views(article: PoolArticle, medians: Medians) -> tuple[float, str | None]:
    if article.views is not None:
        return _scaled(article.views.value, VIEWS_TOP), None
    if article.account is not None and article.account.median_view_count is not None:
        return _scaled(article.account.median_view_count, VIEWS_TOP), "account"
    if article.account_key and article.account_key in medians.accounts:
        return medians.accounts[article.account_key], "account"
    if medians.pool is not None:
        return medians.pool, "pool"
    return NEUTRAL, "neutral"


def _scaled(count: int, top: int) -> float:
    return 100 * math.log1p(min(max(0, count), top)) / math.log1p(top)


def _shown(count: Count | None) -> dict[str, int | bool] | None:
    return None if count is None else {"value": count.value, "capped": count.capped}
