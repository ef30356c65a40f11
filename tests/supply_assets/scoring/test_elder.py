"""The elder part (S-023): features, estimate, monotony (S-026)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from supply_assets.scoring.parts import clamp
from supply_assets.scoring.ranking.elder import elder_score
from supply_assets.scoring.records import ContentFeatures, PoolArticle
from supply_assets.scoring.terms.lexicon import CLICKBAIT, ELDER_TOPICS

TEXTS = st.lists(st.one_of(st.sampled_from((*CLICKBAIT, *ELDER_TOPICS)), st.text(max_size=6)), max_size=6).map("".join)


def content(friendly: float, risk: float = 0) -> ContentFeatures:
    return ContentFeatures(
        content_length=100,
        image_count=0,
        video_count=0,
        has_source_reference=False,
        readability_score=0,
        information_density_score=0,
        elder_friendly_score=friendly,
        risk_score=risk,
        risk_reasons=(),
        keyword_coverage={},
        summary="",
    )


def score(title: str, digest: str = "", features: ContentFeatures | None = None) -> float:
    part = elder_score(PoolArticle(candidate_id=1, title=title, url_hash="h", digest=digest, content=features))
    assert part.inputs["estimated"] is (features is None)
    return part.score


@pytest.mark.parametrize(
    ("title", "friendly", "risk", "expected"),
    [("题", 80, 0, 80), ("题", 80, 50, 65), ("震惊", 80, 0, 70), ("竟然", 80, 0, 78), ("题", 10, 100, 0)],
)
def test_s023_elder_is_friendliness_less_risk_and_title(
    title: str, friendly: float, risk: float, expected: float
) -> None:
    assert score(title, features=content(friendly, risk)) == expected


@pytest.mark.parametrize(
    ("title", "digest", "expected"),
    [
        ("题", "", 40),
        ("老人", "", 50),
        ("题", "老人", 50),
        ("老人老人", "老人", 50),
        ("老人血压体检退休", "医保", 70),
        ("震惊，老人血压", "", 30),
        ("竟然老人血压", "", 58),
        ("", "", 40),
    ],
)
def test_s023_without_a_page_elder_is_estimated_from_topics(title: str, digest: str, expected: float) -> None:
    assert score(title, digest) == expected


@given(TEXTS, TEXTS, st.none() | st.builds(content, st.floats(0, 100), st.floats(0, 100)), st.data())
def test_s026_a_clickbait_word_never_raises_elder(
    title: str, digest: str, features: ContentFeatures | None, data: st.DataObject
) -> None:
    word = data.draw(st.sampled_from(CLICKBAIT))
    at = data.draw(st.integers(0, len(title)))
    plain = score(title, digest, features)
    assert 0 <= plain <= 100
    assert score(title[:at] + word + title[at:], digest, features) <= plain


@given(st.floats(0, 100), st.floats(0, 100), st.floats(0, 100))
def test_s026_risk_never_raises_elder(friendly: float, one: float, other: float) -> None:
    low, high = sorted((one, other))
    assert score("题", features=content(friendly, high)) <= score("题", features=content(friendly, low))


def test_s026_a_score_is_never_nan() -> None:
    assert (clamp(-1), clamp(1e308), clamp(float("inf")), clamp(99.999)) == (0, 100, 100, 100)
    with pytest.raises(ValueError, match="not a number"):
        clamp(float("nan"))
