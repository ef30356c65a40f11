"""What holds for every pool (S-026), by generated cases."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from resources.foundation.strict_json import dumps
from supply_assets.normalisation.counts import Count
from supply_assets.scoring.ranking.rank import rank_pool
from supply_assets.scoring.records import (
    AccountFeatures,
    ContentFeatures,
    PoolArticle,
    RankedArticle,
    Ranking,
    Review,
    Wanted,
)
from supply_assets.scoring.terms.lexicon import CLICKBAIT

DAY = datetime(2024, 1, 1, tzinfo=UTC)
WANTED = Wanted(("高血压", "饮食"), ("血压", "盐"), expected_count=3)
PIECES = [
    "高血压",
    "饮食",
    "盐吃多了",
    "老人",
    "怎么办",
    "第1集",
    "第2集",
    "惊呆",
    "竟然",
    "加微信",
    "六合彩",
    "😀",
    "！",
    "2024",
    "医保",
]
SCORES = st.none() | st.floats(0, 100)
COUNTS = st.none() | st.builds(Count, st.integers(0, 10**30), st.booleans())
TITLES = st.lists(st.sampled_from(PIECES), max_size=6).map("".join) | st.text(max_size=12)
CONTENTS = st.none() | st.builds(
    ContentFeatures,
    st.integers(0, 10**6),
    st.integers(0, 99),
    st.integers(0, 9),
    st.booleans(),
    *([st.floats(0, 100)] * 4),
    st.just(("marketing: 包邮",)),
    st.just({}),
    st.just(""),
)
ACCOUNTS = st.none() | st.builds(
    AccountFeatures,
    median_view_count=st.none() | st.integers(0, 10**7),
    vertical_score=SCORES,
    stability_score=SCORES,
    credibility_score=SCORES,
    risk_tags=st.sampled_from([(), ("标题党",)]),
)


@st.composite
def pools(draw: st.DrawFn) -> list[PoolArticle]:
    return [
        PoolArticle(
            place,
            draw(TITLES),
            draw(st.sampled_from("abcdefgh")) if draw(st.integers(0, 4)) == 0 else f"own-{place}",
            draw(st.sampled_from(["", "血压要天天量", "扫码领取"])),
            account_key=draw(st.sampled_from([None, "", "x", "x", "y"])),
            publish_time=draw(st.none() | st.integers(0, 3).map(lambda days: DAY + timedelta(days=days))),
            views=draw(COUNTS),
            likes=draw(COUNTS),
            account=draw(ACCOUNTS),
            content=draw(CONTENTS),
            link_resolved=draw(st.integers(0, 9)) > 0,
            unavailable=draw(st.sampled_from([None] * 9 + ["violation"])),
            review=draw(st.sampled_from([Review.NONE] * 7 + [Review.HELD, Review.ACCEPTED, Review.REJECTED])),
        )
        for place in range(draw(st.integers(1, 7)))
    ]


def verdict(pool: list[PoolArticle], candidate_id: int) -> RankedArticle:
    return next(one for one in rank_pool(WANTED, pool).articles if one.candidate_id == candidate_id)


def changed(pool: list[PoolArticle], place: int, **change: Any) -> list[PoolArticle]:
    return [replace(one, **change) if at == place else one for at, one in enumerate(pool)]


@settings(max_examples=200, deadline=None)
@given(pools(), st.data())
def test_s026_more_views_never_lower_popularity_or_total(pool: list[PoolArticle], data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(pool) - 1))
    known = pool[place].views or Count(data.draw(st.integers(0, 1_000)))
    fewer = changed(pool, place, views=known)
    more = changed(pool, place, views=replace(known, value=known.value + data.draw(st.integers(1, 10**6))))
    before, after = verdict(fewer, place), verdict(more, place)

    assert after.popularity >= before.popularity
    assert after.total >= before.total


@settings(max_examples=200, deadline=None)
@given(pools(), st.sampled_from(CLICKBAIT), st.data())
def test_s026_a_clickbait_word_never_raises_the_total(pool: list[PoolArticle], word: str, data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(pool) - 1))
    title = pool[place].title
    at = data.draw(st.integers(0, len(title)))
    baited = changed(pool, place, title=title[:at] + word + title[at:])

    assert verdict(baited, place).total <= verdict(pool, place).total


@settings(max_examples=100, deadline=None)
@given(pools(), st.randoms(use_true_random=False))
def test_s026_the_order_of_the_input_never_changes_the_result(pool: list[PoolArticle], dice: Any) -> None:
    shuffled = list(pool)
    dice.shuffle(shuffled)

    assert rank_pool(WANTED, shuffled) == rank_pool(WANTED, pool)


def without(ranking: Ranking, candidate_id: int) -> list[RankedArticle]:
    return [one for one in ranking.articles if one.candidate_id != candidate_id]


@settings(max_examples=200, deadline=None)
@given(pools(), st.data())
def test_s026_a_duplicate_changes_nothing_but_the_duplicate_count(pool: list[PoolArticle], data: st.DataObject) -> None:
    copied = pool[data.draw(st.integers(0, len(pool) - 1))]
    before = rank_pool(WANTED, pool)
    after = rank_pool(WANTED, [*pool, replace(copied, candidate_id=99, views=data.draw(COUNTS))])

    assert without(after, 99) == list(before.articles)
    assert after.duplicates == before.duplicates + 1
    assert replace(after, articles=(), duplicates=0) == replace(before, articles=(), duplicates=0)


@settings(max_examples=200, deadline=None)
@given(pools())
def test_s026_scores_stay_in_range_for_any_input(pool: list[PoolArticle]) -> None:
    ranking = rank_pool(WANTED, pool)

    for one in ranking.articles:
        parts = (one.relevance, one.popularity, one.quality, one.account, one.elder, one.diversity_penalty, one.total)
        assert all(0 <= part <= 100 and round(part, 2) == part for part in parts)
        dumps(one.detail)
    assert sorted(one.candidate_id for one in ranking.articles) == list(range(len(pool)))
    assert ranking.selected + ranking.shortfall == ranking.wanted


@settings(max_examples=100, deadline=None)
@given(pools())
def test_s024_no_account_has_more_than_three_and_what_is_selected_passed(pool: list[PoolArticle]) -> None:
    chosen = [one for one in rank_pool(replace(WANTED, expected_count=9), pool).articles if one.selected]
    accounts = [pool[one.candidate_id].account_key for one in chosen]

    assert all(accounts.count(account) <= 3 for account in accounts if account)
    assert all(one.passed and one.filter_reason is None for one in chosen)
    assert [one.rank_no for one in chosen] == list(range(1, len(chosen) + 1))
