"""D-080: which words may name a demand."""

from __future__ import annotations

import pytest

from demand_assets.worth.content_terms import empty_words, is_content_term


@pytest.mark.parametrize(
    "term", ["没有", "还有", "出现", "知道", "视频", "网友", "盘点", "ＶＬＯＧ", "没有\u200b", " 还有 "]
)
def test_d080_function_words_bare_verbs_and_platform_words_are_no_content(term: str) -> None:
    assert not is_content_term(term)


@pytest.mark.parametrize("term", ["好", "a", "2018", "三百", "3天", "！！", "🎉🎉", "", "\u200b", "12.5%"])
def test_d080_single_characters_numbers_and_signs_are_no_content(term: str) -> None:
    assert not is_content_term(term)


@pytest.mark.parametrize("term", ["退出", "猛龙", "比特币", "4S店", "NBA", "没有梦想", "地震", "5G手机"])
def test_d080_what_can_be_searched_for_is_content(term: str) -> None:
    assert is_content_term(term)


def test_d080_the_list_is_in_normal_form() -> None:
    assert len(empty_words()) > 400
    assert all(word == word.strip() and word for word in empty_words())
