"""Ranking by pairs of characters."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sandbox.platform.corpus.index import SearchIndex

TEXTS = st.lists(st.text("泡脚艾草养生ab1，！𠮷 \n", max_size=12), max_size=12)


def search(
    titles: list[str], query: str, *, digests: list[str] | None = None, published: list[int] | None = None
) -> list[int]:
    size = len(titles)
    index = SearchIndex(titles, digests or [""] * size, published or [0] * size)
    return [int(position) for position in index.search(query)]


def test_s014_a_title_counts_more_than_a_digest() -> None:
    assert search(["别的", "泡脚"], "泡脚", digests=["泡脚", ""]) == [1, 0]


def test_s014_rare_words_count_more_than_common_ones() -> None:
    titles = ["养生之道", "养生之法", "养生之术", "艾草之用", "养生之理"]

    assert search(titles, "养生 艾草")[0] == 3


def test_s014_what_holds_a_whole_word_comes_before_what_holds_parts() -> None:
    assert search(["低盐好饮食", "低盐饮食", "盐饮料"], "低盐饮食") == [1, 0]


def test_s014_of_equals_the_newer_comes_first_then_the_order_of_the_corpus() -> None:
    assert search(["泡脚", "泡脚", "泡脚"], "泡脚", published=[1, 5, 1]) == [1, 0, 2]


def test_s014_a_single_character_is_found_too() -> None:
    assert search(["喝茶", "早睡", "茶叶"], "茶") == [0, 2]


def test_s014_width_and_case_do_not_matter() -> None:
    assert search(["ＡＩ时代", "318国道"], "ai") == [0]
    assert search(["ＡＩ时代", "318国道"], "３１８国道") == [1]


def test_s014_characters_beyond_the_basic_plane_are_found() -> None:
    assert search(["神兵𠮷传", "神兵传"], "兵𠮷") == [0]


def test_s014_nothing_is_found_for_nothing() -> None:
    assert search(["泡脚"], "  ") == []
    assert search([], "泡脚") == []
    assert search(["泡脚"], "，！") == []


def test_s014_texts_do_not_run_into_each_other() -> None:
    assert search(["泡", "脚"], "泡脚") == []
    assert search(["泡"], "泡脚", digests=["脚"]) == []


@given(titles=TEXTS, at=st.integers(0, 11))
def test_s014_a_title_of_two_letters_or_more_is_found_by_itself(titles: list[str], at: int) -> None:
    words = [word for word in "".join(titles[at : at + 1]).split() if word.isalnum() and len(word) > 1]

    for word in words:
        assert at in search(titles, word)


@given(titles=TEXTS, query=st.text("泡脚艾草养生ab1 ", max_size=8))
def test_s014_no_article_is_listed_twice(titles: list[str], query: str) -> None:
    found = search(titles, query)

    assert len(found) == len(set(found))
