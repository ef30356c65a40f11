"""Ranking a pool (S-023, S-024, S-025): totals, duplicates, quota, shortfall, by small pools."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from resources.foundation.errors import UsageError
from resources.foundation.strict_json import dumps
from supply_assets.normalisation.counts import Count
from supply_assets.scoring.ranking.rank import SCORE_VERSION, rank_pool
from supply_assets.scoring.ranking.weights import WeightsRefused
from supply_assets.scoring.records import AccountFeatures, PoolArticle, RankedArticle, Ranking, Review, Wanted, Weights

WANTED = Wanted(("高血压",), ("血压",), expected_count=10)
DAY = datetime(2024, 1, 1, tzinfo=UTC)
TITLES = [
    "高血压病人一日三餐怎么安排",
    "家里有高血压老人要备哪些东西",
    "血压高不高？高血压自测五步",
    "冬天里高血压患者出门当留神",
    "吃盐太多与高血压的关系",
    "年轻人高血压越来越常见",
    "社区医生谈高血压用药",
    "运动能不能降高血压",
]


def article(candidate_id: int, title: str | None = None, **change: Any) -> PoolArticle:
    made = PoolArticle(
        candidate_id,
        TITLES[candidate_id % len(TITLES)] if title is None else title,
        f"hash-{candidate_id:03}",
        "讲讲日常怎么做",
        account_key=f"gh_{candidate_id}",
        publish_time=DAY + timedelta(days=candidate_id),
        views=Count(1_000),
    )
    return replace(made, **change)


def rank(*pool: PoolArticle, wanted: Wanted = WANTED) -> Ranking:
    return rank_pool(wanted, pool)


def by_id(ranking: Ranking) -> dict[int, RankedArticle]:
    return {one.candidate_id: one for one in ranking.articles}


def selected(ranking: Ranking) -> list[int]:
    return [one.candidate_id for one in ranking.articles if one.selected]


def test_s023_the_total_is_the_weighted_sum_of_the_five_parts() -> None:
    (one,) = rank(article(1)).articles
    parts = (one.relevance, one.popularity, one.quality, one.account, one.elder)

    assert one.total == pytest.approx(sum(map(float.__mul__, (0.30, 0.25, 0.25, 0.15, 0.05), parts)), abs=0.005)
    assert one.diversity_penalty == 0
    assert (one.passed, one.selected, one.rank_no, one.filter_reason) == (True, True, 1, None)


def test_s023_weights_change_the_total_and_are_kept_in_the_detail() -> None:
    ranking = rank_pool(WANTED, [article(1)], Weights(1.0, 0.0, 0.0, 0.0, 0.0), "v2-trial")
    (one,) = ranking.articles

    assert one.total == one.relevance
    assert one.detail["weights"]["relevance"] == 1.0
    assert ranking.score_version == "v2-trial"
    assert rank(article(1)).score_version == SCORE_VERSION == "v1"


def test_s023_the_detail_holds_the_inputs_of_every_part_as_strict_json() -> None:
    ranking = rank(article(1), article(2, views=None), article(3, title="今天天气"), article(4, title=TITLES[1]))

    for one in ranking.articles:
        assert list(one.detail["parts"]) == ["relevance", "popularity", "quality", "account", "elder"]
        dumps(one.detail)
    assert by_id(ranking)[2].detail["parts"]["popularity"]["imputed"] == "pool"
    assert by_id(ranking)[3].detail["filters"] == {"irrelevant": ["relevance 0.00 < 33"]}
    assert by_id(ranking)[4].detail["duplicate"] == {"of": 1, "by": "title", "similarity": 1.0}


@pytest.mark.parametrize("weights", [Weights(relevance=0.5), Weights(1.3, -0.3, 0, 0, 0)])
def test_s023_weights_that_are_none_are_refused(weights: Weights) -> None:
    with pytest.raises(WeightsRefused):
        rank_pool(WANTED, [article(1)], weights)


@pytest.mark.parametrize("version", ["", " ", "v" * 33])
def test_s041_a_version_that_does_not_fit_its_column_is_refused(version: str) -> None:
    with pytest.raises(UsageError, match="score_version"):
        rank_pool(WANTED, [article(1)], score_version=version)


def test_s023_those_that_passed_come_first_by_falling_total() -> None:
    ranking = rank(article(0, title="今天天气", views=Count(100_000)), article(1, views=Count(5)), article(2))

    assert [one.candidate_id for one in ranking.articles] == [2, 1, 0]
    assert [one.rank_no for one in ranking.articles] == [1, 2, None]


def test_s024_ties_break_by_publish_time_then_hash() -> None:
    pool = [article(1, "谈高血压的甲乙"), article(2, "谈高血压的丙丁")]
    level = [replace(one, publish_time=DAY) for one in pool]
    half_known = [pool[0], replace(pool[1], publish_time=None)]

    assert selected(rank(*pool)) == [2, 1]
    assert selected(rank(*level)) == selected(rank(*half_known)) == [1, 2]
    assert selected(rank(level[0], replace(level[1], url_hash="a"))) == [2, 1]


def test_s024_reposts_are_one_article_and_the_earliest_stands_for_them() -> None:
    first, repost = article(1), article(9, title="【转】" + TITLES[1] + "！", views=Count(90_000))
    same_link = article(10, title="高血压另一个标题完全不同", url_hash=first.url_hash)
    found = by_id(rank(repost, same_link, first))

    assert found[1].selected
    assert [found[n].filter_reason for n in (9, 10)] == ["duplicate", "duplicate"]
    assert [found[n].duplicate_of for n in (9, 10)] == [1, 1]
    assert found[10].detail["duplicate"]["by"] == "url"


def test_s024_a_repost_dressed_up_as_clickbait_is_the_same_article() -> None:
    dressed = article(9, title="震惊！速看！不看后悔一辈子！赶紧转发！出大事了！" + TITLES[1])

    assert by_id(rank(article(1), dressed))[9].duplicate_of == 1


def test_s024_near_same_texts_are_one_article_whatever_their_titles() -> None:
    body = "。".join(f"第{n}点说的是血压要天天量，量的时候坐稳{n * 7}分钟，记在本子上" for n in range(40))
    ranking = rank(article(1, text=body), article(2, text=body + "。转载请注明"), article(3))

    assert by_id(ranking)[2].duplicate_of == 1
    assert by_id(ranking)[2].detail["duplicate"]["by"] == "text"
    assert ranking.duplicates == 1


def test_s024_episodes_stay_apart_even_where_their_texts_are_near_the_same() -> None:
    body = "。".join(f"第{n}点说的是血压要天天量，量的时候坐稳{n * 7}分钟，记在本子上" for n in range(40))
    pool = [article(n, f"高血压讲堂第{n}集", text=body) for n in (1, 2)]

    assert rank(*pool).duplicates == 0
    assert rank(*pool).selected == 2


def test_s024_titles_without_letters_are_no_duplicates() -> None:
    assert rank(article(1, ""), article(2, ""), article(3, "🎉"), article(4, "🎉")).duplicates == 0


def test_s024_a_good_copy_stands_in_for_one_that_does_not_pass() -> None:
    clickbait = article(1, title="惊呆了" + TITLES[1])
    gone = article(2, unavailable="deleted_by_publisher")
    found = by_id(rank(clickbait, gone, article(11, title="了" + TITLES[1]), article(12, title=TITLES[2])))

    assert found[11].selected
    assert found[1].duplicate_of == 11
    assert found[12].selected
    assert found[2].duplicate_of == 12


def test_s030_a_repost_of_a_rejected_article_does_not_come_back() -> None:
    ranking = rank(article(9, title=TITLES[1], review=Review.REJECTED), article(1))

    assert by_id(ranking)[9].filter_reason == "manual_reject"
    assert by_id(ranking)[1].filter_reason == "duplicate"
    assert ranking.selected == 0


def test_s030_the_accepted_copy_is_the_one_that_is_kept() -> None:
    assert selected(rank(article(1), article(9, title=TITLES[1], review=Review.ACCEPTED))) == [9]


def test_s024_at_most_three_of_an_account_are_selected() -> None:
    pool = [article(n, account_key="gh_same") for n in range(6)]
    ranking = rank(*pool, wanted=replace(WANTED, expected_count=5))

    assert ranking.selected == 3
    assert ranking.over_account_quota == 3
    assert ranking.shortfall == 2
    assert [one.filter_reason for one in ranking.articles] == [None] * 3 + ["account_quota"] * 3
    assert all(one.passed for one in ranking.articles)


def test_s024_articles_of_unknown_accounts_are_under_no_quota() -> None:
    assert rank(*(article(n, account_key=None) for n in range(6))).selected == 6


def test_s024_each_further_article_of_an_account_loses_more() -> None:
    ranking = rank(*(article(n, account_key="gh_same") for n in range(5)), article(6))
    of_account = [one for one in ranking.articles if one.candidate_id != 6]

    assert sorted(one.diversity_penalty for one in of_account) == [0, 1, 2, 3, 4]
    assert by_id(ranking)[6].diversity_penalty == 0


def test_s024_neither_a_duplicate_nor_a_bad_article_costs_a_good_one_anything() -> None:
    better = {"views": Count(100_000), "account_key": "gh_same"}
    good = article(1, account_key="gh_same")
    bad = article(2, title="高血压高血压 加微信", **better)
    ranking = rank(good, article(9, title=TITLES[1], **better), bad)

    assert by_id(ranking)[1].diversity_penalty == 0


def test_s024_a_penalty_never_takes_a_total_below_zero() -> None:
    untrusted = AccountFeatures(credibility_score=0, vertical_score=0, stability_score=0)
    pool = [article(n, account_key="gh_same", account=untrusted) for n in range(3)]
    ranking = rank_pool(WANTED, pool, Weights(0, 0, 0, 1, 0))

    assert [one.total for one in ranking.articles] == [0, 0, 0]
    assert max(one.diversity_penalty for one in ranking.articles) == 2


def test_s024_sub_topics_of_the_selected_are_counted() -> None:
    topics = rank(article(1), article(2, title="高血压病人的医保政策"), article(3, title="诈骗")).topics

    assert topics["health"] == 2
    assert topics["policy"] == 1
    assert topics["anti_fraud"] == 0


def test_s025_a_shortfall_is_explained_by_counts_and_not_filled_up() -> None:
    ranking = rank(
        article(1),
        article(2),
        article(9, title=TITLES[1]),
        article(3, title="今天天气"),
        article(4, title="明天降温"),
        article(5, unavailable="deleted_by_publisher"),
        wanted=replace(WANTED, expected_count=4),
    )

    assert (ranking.wanted, ranking.selected, ranking.shortfall) == (4, 2, 2)
    assert ranking.by_filter == {"irrelevant": 2, "unavailable:deleted_by_publisher": 1}
    assert ranking.duplicates == 1


def test_s025_no_more_than_wanted_are_selected_and_the_rest_has_no_reason() -> None:
    ranking = rank(*(article(n) for n in range(5)), wanted=replace(WANTED, expected_count=2))

    assert ranking.selected == 2
    assert [one.filter_reason for one in ranking.articles] == [None] * 5


def test_s025_an_empty_pool_is_a_whole_shortfall() -> None:
    ranking = rank()

    assert (ranking.articles, ranking.selected, ranking.shortfall) == ((), 0, 10)


@pytest.mark.real_data
def test_s023_ndcg_of_the_total_on_graded_queries(real_data: Path) -> None:
    from tests.bench.ranking import graded, summary, total_way

    corpus = graded(real_data)
    ours = summary(corpus, total_way(corpus))

    assert min(ours.values()) >= 0.80
