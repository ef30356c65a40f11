"""Popularity (S-022, S-023, S-026): the scale, and what is assumed where nobody knows."""

from __future__ import annotations

import math
from collections.abc import Sequence

from hypothesis import given, settings
from hypothesis import strategies as st

from supply_assets.normalisation.counts import Count
from supply_assets.scoring.parts import Part
from supply_assets.scoring.ranking.popularity import medians_of, popularity_of
from supply_assets.scoring.records import AccountFeatures, PoolArticle

COUNTS = st.none() | st.builds(Count, st.integers(-(10**6), 10**400), st.booleans())


def article(
    candidate_id: int,
    views: int | Count | None = None,
    account: str | None = None,
    history: int | None = None,
    likes: Count | None = None,
) -> PoolArticle:
    return PoolArticle(
        candidate_id,
        "t",
        str(candidate_id),
        account_key=account,
        views=Count(views) if isinstance(views, int) else views,
        likes=likes,
        account=None if history is None else AccountFeatures(median_view_count=history),
    )


def on_scale(views: float, likes_score: float = 50.0) -> float:
    return round(0.9 * 100 * math.log1p(views) / math.log1p(100_000) + 0.1 * likes_score, 2)


def popularity(pool: Sequence[PoolArticle]) -> list[Part]:
    medians = medians_of(pool)
    return [popularity_of(one, medians) for one in pool]


def imputed(*pool: PoolArticle) -> list[str | None]:
    return [part.inputs["imputed"] for part in popularity(pool)]


def test_s023_views_are_on_a_logarithmic_scale() -> None:
    scores = [part.score for part in popularity([article(n, views) for n, views in enumerate((0, 99, 9_999, 100_000))])]

    assert scores == [5.0, on_scale(99), on_scale(9_999), 95.0]


def test_s022_a_capped_count_is_at_the_top_and_nothing_is_above_it() -> None:
    capped, most = popularity([article(1, Count(100_000, capped=True)), article(2, 10**9)])

    assert capped.score == most.score == 95.0
    assert capped.inputs["views"] == {"value": 100_000, "capped": True}


def test_s023_likes_count_where_known() -> None:
    many, few, unknown = popularity(
        [article(1, 500, likes=Count(10_000)), article(2, 500, likes=Count(0)), article(3, 500)]
    )

    assert (many.score, few.score, unknown.score) == (on_scale(500, 100), on_scale(500, 0), on_scale(500, 50))


def test_s023_unknown_views_come_from_the_accounts_history_first() -> None:
    unknown, *_ = popularity([article(1, account="a", history=999), article(2, 5, account="a"), article(3, 7)])

    assert unknown.score == on_scale(999)
    assert unknown.inputs["imputed"] == "account"
    assert unknown.inputs["views"] is None


def test_s023_then_from_the_accounts_other_articles_then_from_the_pool() -> None:
    pool = [article(1, account="a"), article(2, 10, "a"), article(3, 1_000, "a"), article(4, 50_000, "b"), article(5)]
    scores = popularity(pool)

    middle = round((on_scale(10) + on_scale(1_000)) / 2, 2)
    assert abs(scores[0].score - middle) < 0.02
    assert scores[4].score == on_scale(1_000)
    assert imputed(*pool) == ["account", None, None, None, "pool"]


def test_s023_where_nothing_is_known_it_is_neutral_and_never_zero() -> None:
    (part,) = popularity([article(1, account="a")])

    assert part.score == 50.0
    assert part.inputs["imputed"] == "neutral"


def test_s022_zero_views_are_known_and_differ_from_missing_ones() -> None:
    zero, missing = popularity([article(1, 0), article(2)])

    assert zero.inputs["imputed"] is None
    assert missing.inputs["imputed"] == "pool"


def test_s023_medians_are_of_the_representatives_only() -> None:
    representatives = [article(1, 10), article(2, 1_000), article(3, 10_000)]

    assert popularity_of(article(9), medians_of(representatives)).score == on_scale(1_000)


@settings(deadline=None)
@given(st.integers(0, 10**7), st.integers(0, 10**7), COUNTS)
def test_s026_more_views_never_lower_popularity(one: int, more: int, likes: Count | None) -> None:
    fewer, greater = popularity([article(1, one, likes=likes), article(2, one + more, likes=likes)])

    assert fewer.score <= greater.score


@settings(deadline=None)
@given(st.lists(st.tuples(COUNTS, COUNTS, st.sampled_from([None, "", "a", "b"])), max_size=6))
def test_s026_popularity_is_in_range_for_any_counts(rows: list[tuple[Count | None, Count | None, str | None]]) -> None:
    pool = [article(place, views, account, likes=likes) for place, (views, likes, account) in enumerate(rows)]

    assert all(0 <= part.score <= 100 for part in popularity(pool))
