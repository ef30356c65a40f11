"""What is searched for, in which order, and that a checkpoint means the same place in every attempt (S-020)."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from supply_assets.normalisation import texts
from supply_assets.scoring.records import Wanted
from supply_assets.stages.policy import SupplyPolicy
from supply_assets.stages.recall.keywords import CORE, EXPANSION, LONGEST, SCENE, Keyword, keywords_of

POLICY = SupplyPolicy(expansion_keywords=2, scene_keywords=1)
WORDS = st.lists(st.text(alphabet="猫狗鱼abAB１ ，🫠", min_size=1, max_size=12), max_size=8).map(tuple)


def texts_of(keywords: list[Keyword], round_no: int) -> list[str]:
    return [keyword.text for keyword in keywords if keyword.round_no == round_no]


def test_s020_the_whole_query_first_then_its_terms_then_wider() -> None:
    keywords = keywords_of(Wanted(terms=("猫", "治愈"), expansion=("猫咪", "情感", "动物")), POLICY)
    assert [keyword.round_no for keyword in keywords] == [CORE, CORE, CORE, EXPANSION, EXPANSION, SCENE]
    assert texts_of(keywords, CORE) == ["猫 治愈", "猫", "治愈"]
    assert texts_of(keywords, EXPANSION) == ["猫 治愈 猫咪", "猫 治愈 情感"]
    assert texts_of(keywords, SCENE)[0].startswith("猫 治愈 ")


def test_s020_a_single_term_is_searched_for_once() -> None:
    assert texts_of(keywords_of(Wanted(terms=("猫",)), POLICY), CORE) == ["猫"]


def test_s020_what_says_the_same_is_searched_for_once() -> None:
    keywords = keywords_of(Wanted(terms=("Cat", "ＣＡＴ"), expansion=("dog", "Ｄｏｇ")), POLICY)
    assert texts_of(keywords, CORE) == ["Cat ＣＡＴ", "Cat"]
    assert len(texts_of(keywords, EXPANSION)) == 1


def test_s020_a_search_longer_than_its_column_is_left_out_and_the_others_stay() -> None:
    keywords = keywords_of(Wanted(terms=("猫",), expansion=("长" * LONGEST, "情感")), POLICY)
    assert texts_of(keywords, EXPANSION) == ["猫 情感"]


@given(st.tuples(WORDS.filter(bool), WORDS))
def test_s020_searches_are_distinct_bounded_and_the_same_every_time(words: tuple[tuple[str, ...], ...]) -> None:
    wanted = Wanted(terms=words[0], expansion=words[1])
    keywords = keywords_of(wanted, POLICY)
    assert keywords == keywords_of(wanted, POLICY)
    keys = [texts.key(keyword.text) for keyword in keywords]
    assert len(set(keys)) == len(keys)
    assert len(keywords) <= 1 + len(words[0]) + POLICY.expansion_keywords + POLICY.scene_keywords
    assert [keyword.round_no for keyword in keywords] == sorted(keyword.round_no for keyword in keywords)
