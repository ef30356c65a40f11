"""Filters (S-023, S-030): one example for each reason, and what an accepting person overrules."""

from __future__ import annotations

from dataclasses import replace

import pytest

from supply_assets.normalisation.counts import Count
from supply_assets.scoring.parts import Part
from supply_assets.scoring.ranking.filters import hits
from supply_assets.scoring.records import Constraints, ContentFeatures, PoolArticle, Review, Wanted

GOOD = PoolArticle(1, "高血压的人怎么吃", "h", "三餐怎么安排", account_key="gh_1", views=Count(500))


def parts(relevance: float, quality: float) -> dict[str, Part]:
    return {"relevance": Part(relevance, {}), "quality": Part(quality, {})}


FINE = parts(70, 60)
WANTED = Wanted(
    ("高血压",),
    constraints=Constraints(min_view_count=100, banned_words=("偏方", "震惊"), blocked_accounts=("GH_bad",)),
)
RISKY = ContentFeatures(900, 1, 0, False, 70, 70, 70, 80, ("pseudo_science: 根治",), {}, "")


def reasons(article: PoolArticle, scores: dict[str, Part] = FINE, wanted: Wanted = WANTED) -> list[str]:
    return [hit.reason for hit in hits(wanted, article, scores)]


def test_s023_a_good_article_passes() -> None:
    assert reasons(GOOD) == []


CASES = [
    ("unavailable:deleted_by_publisher", {"unavailable": "deleted_by_publisher"}, FINE),
    ("unresolved_link", {"link_resolved": False}, FINE),
    ("manual_reject", {"review": Review.REJECTED}, FINE),
    ("manual_hold", {"review": Review.HELD}, FINE),
    ("blocked_account", {"account_key": "gh_BAD"}, FINE),
    ("banned_word", {"title": "高血压的偏方"}, FINE),
    ("banned_word", {"digest": "这个偏方"}, FINE),
    ("banned_word", {"text": "一个偏方"}, FINE),
    ("banned_word", {"title": "高血压与六合彩"}, FINE),
    ("irrelevant", {}, parts(32.99, 60)),
    ("risk", {"content": RISKY}, FINE),
    ("marketing", {"digest": "加微信领取"}, FINE),
    ("clickbait", {"title": "惊呆了，高血压这样吃"}, FINE),
    ("low_quality", {}, parts(70, 29.99)),
    ("below_min_views", {"views": Count(99)}, FINE),
]


@pytest.mark.parametrize(("reason", "change", "scores"), CASES)
def test_s023_each_filter_names_its_reason(reason: str, change: dict[str, object], scores: dict[str, Part]) -> None:
    assert reasons(replace(GOOD, **change), scores) == [reason]


@pytest.mark.parametrize(("reason", "change", "scores"), CASES)
def test_s030_an_accepted_article_is_only_held_back_where_it_cannot_be_fetched(
    reason: str, change: dict[str, object], scores: dict[str, Part]
) -> None:
    accepted = replace(GOOD, **{**change, "review": Review.ACCEPTED})

    assert reasons(accepted, scores) == ([reason] if reason.startswith("un") else [])


def test_s023_a_banned_word_is_found_though_it_is_clickbait_as_well() -> None:
    assert reasons(replace(GOOD, title="震惊，高血压这样吃")) == ["banned_word", "clickbait"]


def test_s023_a_clickbait_word_does_not_hide_another() -> None:
    assert reasons(replace(GOOD, title="高血压偏竟然方")) == ["banned_word"]
    assert reasons(replace(GOOD, title="高血压加竟然微信")) == ["marketing"]


@pytest.mark.parametrize("views", [None, Count(100), Count(50, capped=True)])
def test_s023_views_that_are_not_known_to_be_too_few_pass(views: Count | None) -> None:
    assert reasons(replace(GOOD, views=views)) == []


def test_s023_the_gravest_reason_comes_first_and_all_are_kept_with_their_evidence() -> None:
    found = hits(WANTED, replace(GOOD, title="惊呆", unavailable="violation"), parts(3, 3))

    assert [hit.reason for hit in found] == ["unavailable:violation", "irrelevant", "clickbait", "low_quality"]
    assert found[1].evidence == ["relevance 3.00 < 33"]
    assert found[2].evidence == ["惊呆"]


def test_s023_blank_constraints_match_nothing() -> None:
    blank = Wanted(("高血压",), constraints=Constraints(banned_words=("", " "), blocked_accounts=("", " ")))

    assert reasons(replace(GOOD, account_key=" "), wanted=blank) == []
