"""The account part (S-023): known scores, neutral gaps, risk tags."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from supply_assets.scoring.parts import Part
from supply_assets.scoring.ranking.account_score import account_score
from supply_assets.scoring.records import AccountFeatures, PoolArticle

SCORES = st.none() | st.floats(0, 100)


def scored(account: AccountFeatures | None, title: str = "题") -> Part:
    return account_score(PoolArticle(candidate_id=1, title=title, url_hash="h", account=account))


def test_s023_an_unknown_account_is_neutral_and_says_so() -> None:
    part = scored(None)
    assert part.score == 50
    assert part.inputs["neutral"] == ["credibility", "vertical", "stability"]


@pytest.mark.parametrize(
    ("account", "score", "neutral"),
    [
        (AccountFeatures(credibility_score=90, vertical_score=80, stability_score=70), 83, []),
        (AccountFeatures(credibility_score=90), 70, ["vertical", "stability"]),
        (AccountFeatures(credibility_score=0, vertical_score=0, stability_score=0), 0, []),
        (AccountFeatures(risk_tags=("标题党",)), 35, ["credibility", "vertical", "stability"]),
        (AccountFeatures(credibility_score=90, vertical_score=80, stability_score=70, risk_tags=("a", "b")), 53, []),
    ],
)
def test_s023_account_is_a_weighted_mean_less_its_tags(
    account: AccountFeatures, score: float, neutral: list[str]
) -> None:
    part = scored(account)
    assert part.score == score
    assert part.inputs["neutral"] == neutral
    assert part.inputs["risk_tags"] == list(account.risk_tags)


@given(st.builds(AccountFeatures, credibility_score=SCORES, vertical_score=SCORES, stability_score=SCORES), st.text())
def test_s026_account_is_in_range_never_raised_by_a_tag_nor_touched_by_the_title(
    account: AccountFeatures, title: str
) -> None:
    part = scored(account)
    assert 0 <= part.score <= 100
    assert scored(account, title) == part
    tagged = AccountFeatures(
        credibility_score=account.credibility_score,
        vertical_score=account.vertical_score,
        stability_score=account.stability_score,
        risk_tags=("高风险",),
    )
    assert scored(tagged).score <= part.score
