"""The words of scoring: how they are found, erased and graded (S-021, S-026)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from supply_assets.normalisation.texts import fold
from supply_assets.scoring.terms.lexicon import (
    CLICKBAIT,
    ELDER_TOPICS,
    RISK_CLASSES,
    SCENES,
    STRONG_CLICKBAIT,
    TOPICS,
    WARNING,
    WEAK_CLICKBAIT,
    Clickbait,
    clickbait,
    erased,
    found,
    topics,
)

GRAVE = (*STRONG_CLICKBAIT, *(word for words in RISK_CLASSES.values() for word in words), *WARNING)
ORDER = [Clickbait.NONE, Clickbait.WEAK, Clickbait.STRONG]
TITLES = st.lists(st.one_of(st.sampled_from((*CLICKBAIT, "老人", "震", "惊", "竟")), st.text(max_size=4))).map("".join)


def overlaps(left: str, right: str) -> list[tuple[str, str]]:
    """What is left of the two words' overlaps when one or the other is erased."""
    return [(right[n:], left[:-n]) for n in range(1, min(len(left), len(right))) if left[-n:] == right[:n]]


@pytest.mark.parametrize("words", [CLICKBAIT, GRAVE, ELDER_TOPICS, SCENES, *TOPICS.values()])
def test_s021_words_are_folded_and_distinct(words: tuple[str, ...]) -> None:
    assert [fold(word) for word in words] == list(words)
    assert len(set(words)) == len(words)


def test_s026_weak_words_can_be_erased_in_any_order() -> None:
    for weak in WEAK_CLICKBAIT:
        for other in WEAK_CLICKBAIT:
            assert all(rest == start for rest, start in overlaps(weak, other)), (weak, other)
            assert weak == other or weak not in other
        for grave in GRAVE:
            assert not overlaps(weak, grave), (weak, grave)
            assert not overlaps(grave, weak), (weak, grave)
            assert weak not in grave
            assert grave not in weak


@pytest.mark.parametrize(
    ("text", "words", "expected"),
    [
        ("ＡＩ与老人", ("ai", "老人", "老人", ""), ["ai", "老人"]),
        ("email 发送", ("ai",), []),
        ("5g9 时代", ("5g",), []),
        ("100元领取", ("0元领",), []),
        ("今天0元领", ("0元领",), ["0元领"]),
        ("诈\u200b骗", ("诈骗",), ["诈骗"]),
        ("大ＶＩＰ", (" VIP ",), [" VIP "]),
        ("", ("老人",), []),
        ("老人", (), []),
        ("老人", ("", " ", "\u200b"), []),
    ],
)
def test_s021_found_names_each_word_once_in_the_order_of_the_list(
    text: str, words: tuple[str, ...], expected: list[str]
) -> None:
    assert found(text, words) == expected


@pytest.mark.parametrize(
    ("title", "grade", "words"),
    [
        ("老人防骗指南", Clickbait.NONE, []),
        ("新政竟然来了", Clickbait.WEAK, ["竟然"]),
        ("震惊！新政竟然来了", Clickbait.STRONG, ["震惊", "竟然"]),
        ("震竟然惊", Clickbait.STRONG, ["震惊", "竟然"]),
        ("震竟居然然惊", Clickbait.STRONG, ["震惊", "居然"]),
        ("刚刚刚，宣布", Clickbait.WEAK, ["刚刚"]),
    ],
)
def test_s023_titles_are_graded(title: str, grade: Clickbait, words: list[str]) -> None:
    assert clickbait(title) == (grade, words)


def test_s026_erasing_goes_on_until_no_word_is_left() -> None:
    assert erased("老竟居然然人", WEAK_CLICKBAIT) == "老人"
    assert erased("老人 A", WEAK_CLICKBAIT) == "老人 a"


@given(TITLES, st.sampled_from(CLICKBAIT), st.data())
def test_s026_a_further_clickbait_word_never_lowers_the_grade(title: str, word: str, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(title)))
    baited = title[:at] + word + title[at:]
    assert ORDER.index(clickbait(baited)[0]) >= ORDER.index(clickbait(title)[0])
    if word in WEAK_CLICKBAIT:
        assert erased(baited, WEAK_CLICKBAIT) == erased(title, WEAK_CLICKBAIT)


def test_s024_a_text_touches_several_topics_or_none() -> None:
    assert topics("社保诈骗：老人如何防骗") == ["policy", "anti_fraud"]
    assert topics("嗯") == []
