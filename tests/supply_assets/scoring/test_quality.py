"""The quality part (S-023): formula, neutrality, monotony (S-026)."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from supply_assets.scoring.ranking.quality import quality_score
from supply_assets.scoring.records import ContentFeatures, PoolArticle
from supply_assets.scoring.terms.lexicon import CLICKBAIT, RISK_CLASSES, WARNING

GOOD = ContentFeatures(
    content_length=1500,
    image_count=3,
    video_count=0,
    has_source_reference=True,
    readability_score=80,
    information_density_score=60,
    elder_friendly_score=50,
    risk_score=0,
    risk_reasons=(),
    keyword_coverage={},
    summary="",
)
SHARE = st.floats(0, 100)
CONTENTS = st.builds(
    ContentFeatures,
    content_length=st.integers(0, 10**7),
    image_count=st.integers(0, 10**4),
    video_count=st.integers(0, 100),
    has_source_reference=st.booleans(),
    readability_score=SHARE,
    information_density_score=SHARE,
    elder_friendly_score=SHARE,
    risk_score=SHARE,
    risk_reasons=st.just(()),
    keyword_coverage=st.just({}),
    summary=st.just(""),
)
WORDS = (*CLICKBAIT, *WARNING, *(word for words in RISK_CLASSES.values() for word in words))
TEXTS = st.lists(st.one_of(st.sampled_from(WORDS), st.text(max_size=6)), max_size=6).map("".join)


def article(
    title: str = "老人防骗的要点有哪些", digest: str = "", content: ContentFeatures | None = None
) -> PoolArticle:
    return PoolArticle(candidate_id=1, title=title, url_hash="h", digest=digest, content=content)


def test_s023_quality_is_made_of_what_the_page_says() -> None:
    part = quality_score(article(content=GOOD))
    assert part.score == 0.35 * 80 + 0.35 * 60 + 20 + 10
    assert part.inputs["estimated"] is False


@pytest.mark.parametrize(
    ("change", "lost"),
    [
        ({"readability_score": 60}, 7),
        ({"information_density_score": 40}, 7),
        ({"has_source_reference": False}, 10),
        ({"content_length": 5000}, 0),
        ({"risk_score": 40}, 20),
        ({"content_length": 0, "image_count": 0}, 20),
    ],
)
def test_s023_each_feature_has_its_share(change: dict[str, object], lost: float) -> None:
    assert quality_score(article(content=replace(GOOD, **change))).score == pytest.approx(79 - lost)  # type: ignore[arg-type]


@pytest.mark.parametrize(("title", "cost"), [("震惊！老人防骗", 40), ("竟然老人防骗", 8), ("老人健康加微信", 7.5)])
def test_s023_a_bad_title_costs(title: str, cost: float) -> None:
    part = quality_score(article(title, content=GOOD))
    assert part.score == 79 - cost
    assert part.inputs["title_penalty"] == cost


def test_s023_a_picture_post_is_not_judged_by_its_few_words() -> None:
    pictures = replace(GOOD, content_length=10, readability_score=0, information_density_score=0)
    part = quality_score(article(content=pictures))
    assert (part.score, part.inputs["media"]) == (45, True)
    assert quality_score(article(content=replace(pictures, image_count=0))).score < 20
    assert quality_score(article(content=replace(pictures, image_count=0, video_count=1))).score == 45


@pytest.mark.parametrize(
    ("title", "digest", "score"),
    [
        ("老人防骗", "", 45),
        ("老人防骗的要点有哪些", "", 50),
        ("老人防骗的3个要点", "", 55),
        ("老人防骗的3个要点", "公安机关梳理了近期高发的案例", 55),
        ("老人防骗的3个要点", "公安机关梳理了近期高发的诈骗案例", 60),
        ("老人防骗的要点有哪些", "点击加微信", 42.5),
        ("震惊！老人防骗的3个要点", "", 5),
        ("老人竟然防骗的3个要点", "", 47),
        ("", "", 45),
    ],
)
def test_s023_without_a_page_quality_is_estimated_near_the_middle(title: str, digest: str, score: float) -> None:
    part = quality_score(article(title, digest))
    assert part.score == score
    assert part.inputs["estimated"] is True


@given(TEXTS, TEXTS, st.none() | CONTENTS, st.sampled_from(CLICKBAIT), st.data())
def test_s026_a_clickbait_word_never_raises_quality(
    title: str, digest: str, content: ContentFeatures | None, word: str, data: st.DataObject
) -> None:
    at = data.draw(st.integers(0, len(title)))
    plain = quality_score(article(title, digest, content)).score
    assert quality_score(article(title[:at] + word + title[at:], digest, content)).score <= plain
    assert 0 <= plain <= 100


@given(CONTENTS, SHARE)
def test_s026_risk_never_raises_quality(content: ContentFeatures, risk: float) -> None:
    low, high = sorted((content.risk_score, risk))
    riskier = quality_score(article(content=replace(content, risk_score=high))).score
    assert riskier <= quality_score(article(content=replace(content, risk_score=low))).score
