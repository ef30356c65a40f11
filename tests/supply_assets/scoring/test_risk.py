"""Risk of a text: weights, warnings, bounds (S-021, S-026)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from supply_assets.scoring.features.risk import Risk, risk
from supply_assets.scoring.ranking.title_penalty import STRONG_PENALTY, judge_title
from supply_assets.scoring.terms.lexicon import CLICKBAIT, RISK_CLASSES, WARNING

BANNED, PSEUDO_SCIENCE = RISK_CLASSES["banned"], RISK_CLASSES["pseudo_science"]

PIECES = st.one_of(
    st.sampled_from((*CLICKBAIT, *WARNING, *(w for words in RISK_CLASSES.values() for w in words))),
    st.text(max_size=5),
)
TEXTS = st.lists(PIECES, max_size=8).map("".join)


@pytest.mark.parametrize(
    ("text", "score", "reasons"),
    [
        ("", 0, ()),
        ("老人防骗指南", 0, ()),
        ("加微信", 15, ("marketing: 加微信",)),
        ("加微信，扫码领取", 22.5, ("marketing: 加微信, 扫码领取",)),
        ("祖传秘方，转发到群，神效", 70, ("pseudo_science: 祖传秘方", "inducement: 转发到群", "exaggeration: 神效")),
        ("澳门赌场", 50, ("banned: 澳门赌场",)),
        ("加\u200b微信，０元领", 22.5, ("marketing: 加微信, 0元领",)),
    ],
)
def test_s021_words_of_a_class_weigh_half_of_the_one_before(text: str, score: float, reasons: tuple[str, ...]) -> None:
    assert risk(text) == Risk(score, reasons)


def test_s021_all_classes_together_end_at_100() -> None:
    assert risk("，".join((*BANNED, *PSEUDO_SCIENCE))).score == 100


@pytest.mark.parametrize(
    "text", ["警惕“祖传秘方”骗局", "所谓排毒是伪科学", "裸聊诈骗，别上当！", "辟谣：酸性体质并不存在"]
)
def test_s021_a_text_that_warns_is_not_a_text_that_sells(text: str) -> None:
    assert risk(text) == Risk(0, ())


@pytest.mark.parametrize(
    "text",
    ["谨防骗子。祖传秘方一剂见效", "骗局\n祖传秘方", "骗局" + "，" * 40 + "祖传秘方", "警惕祖传秘方。正宗祖传秘方在此"],
)
def test_s021_a_warning_elsewhere_excuses_nothing(text: str) -> None:
    assert risk(text).reasons == ("pseudo_science: 祖传秘方",)


def test_s021_title_and_body_are_judged_together() -> None:
    assert risk("祖传秘方", "加微信").score == 45


def test_s023_a_title_costs_at_most_what_strong_clickbait_costs() -> None:
    assert judge_title("老人防骗指南").penalty == 0
    assert judge_title("老人竟然防骗").penalty == 8
    assert judge_title("加微信").penalty == 7.5
    assert judge_title("竟然加微信").penalty == 15.5
    assert judge_title("澳门赌场，祖传秘方，转发到群").penalty == STRONG_PENALTY
    assert judge_title("震惊").penalty == STRONG_PENALTY


@given(TEXTS)
def test_s026_risk_is_in_range_for_any_text(text: str) -> None:
    judged = risk(text)
    assert 0 <= judged.score <= 100
    assert bool(judged.reasons) == (judged.score > 0)


@given(TEXTS, st.sampled_from(CLICKBAIT), st.data())
def test_s026_a_clickbait_word_never_lowers_the_penalty(title: str, word: str, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(title)))
    assert judge_title(title[:at] + word + title[at:]).penalty >= judge_title(title).penalty
