"""Closure of what a candidate claims beside itemset and post: categories, cases, words (D-039 … D-041)."""

from __future__ import annotations

from typing import Any

import pytest

from tests.demand_assets.evidence.deciding import accepted_pack, category_candidate, codes, rejected
from tests.small_facts import FactWorld


@pytest.mark.parametrize(
    ("category_id", "nearest"),
    [(13, "12"), (10, "11"), (22, "12"), (999999, "12")],
    ids=["of another itemset", "the parent", "of another execution", "invented"],
)
def test_d039_a_claimed_category_is_one_of_the_itemset(world: FactWorld, category_id: int, nearest: str) -> None:
    reject = rejected(world, refs={"category_ids": [11, category_id]})

    assert reject.reject_codes == ["category_not_in_itemset"]
    assert f"category_id {category_id} is not a category of itemset_id 1001" in reject.reject_reason
    assert (reject.corrections[0].offending, reject.corrections[0].nearest) == (str(category_id), nearest)


@pytest.mark.parametrize("category_ids", [[], [12], [12, 11, 12]])
def test_d039_fewer_categories_may_be_claimed(world: FactWorld, category_ids: list[int]) -> None:
    assert codes(world, refs={"category_ids": category_ids}) == []


@pytest.mark.parametrize("case_id", ["p4", "q1", "f" * 32, "P1", ""])
def test_d040_a_pattern_case_is_a_matched_post(world: FactWorld, case_id: str) -> None:
    reject = rejected(world, refs={"case_ids": {"pattern_itemset": ["p1", case_id]}})

    assert reject.reject_codes == ["case_not_matched"]
    assert f"case id {case_id!r} under 'pattern_itemset'" in reject.reject_reason


@pytest.mark.parametrize("kind", ["direct_case", "video", "", "pattern_itemset "])
def test_d040_no_other_group_may_carry_a_matched_post(world: FactWorld, kind: str) -> None:
    reject = rejected(world, refs={"case_ids": {kind: ["x1", "p2"]}})

    assert reject.reject_codes == ["case_not_matched"]
    assert (reject.corrections[0].offending, reject.corrections[0].nearest) == ("p2", "pattern_itemset")


@pytest.mark.parametrize(
    "cases", [None, {}, {"pattern_itemset": []}, {"pattern_itemset": None}, {"direct_case": ["x1"]}]
)
def test_d040_cases_that_are_in_their_place(world: FactWorld, cases: Any) -> None:
    pack = accepted_pack(world, refs={"case_ids": cases})

    assert pack.case_ids == ["p1", "p2", "p3"]


OWN_WORDS = {
    "猫": "bound element",
    "治愈": "bound element",
    "🫠神兵𠮷": "bound element, 4 bytes",
    "猫咪": "category name",
}
OWN_WORDS |= {"动物": "path segment", "实质": "full path segment", "情感": "category name", "形式": "full path segment"}


@pytest.mark.parametrize("word", OWN_WORDS, ids=OWN_WORDS.values())
@pytest.mark.parametrize("place", ["element_names", "seed_terms"])
def test_d041_the_evidences_own_words_are_covered(still_world: FactWorld, place: str, word: str) -> None:
    changes: dict[str, Any] = (
        {"element_names": [word]} if place == "element_names" else {"refs": {"seed_terms": [word]}}
    )

    assert codes(still_world, **changes) == []


FOREIGN_WORDS = ["布偶猫", "购物", "猫咪情感", "/动物/猫咪", "猫,治愈", "人", " ", "", "\u200b", "1001", "p1"]


@pytest.mark.parametrize("word", FOREIGN_WORDS)
def test_d041_any_other_element_name_is_not_covered(still_world: FactWorld, word: str) -> None:
    reject = rejected(still_world, element_names=["猫", word])

    assert reject.reject_codes == ["element_names_not_covered"]
    assert repr(word) in reject.reject_reason
    assert "itemset_id 1001 in post 'p1' of execution_id 581" in reject.reject_reason


@pytest.mark.parametrize("word", FOREIGN_WORDS)
def test_d041_any_other_seed_term_is_not_covered(still_world: FactWorld, word: str) -> None:
    reject = rejected(still_world, refs={"seed_terms": ["猫", word]})

    assert reject.reject_codes == ["seed_terms_not_covered"]
    assert repr(word) in reject.reject_reason


def test_d041_words_are_judged_on_each_database(world: FactWorld) -> None:
    assert codes(world, element_names=["布偶猫"]) == ["element_names_not_covered"]
    assert codes(world, refs={"seed_terms": ["布偶猫"]}) == ["seed_terms_not_covered"]
    assert codes(world, element_names=["🫠神兵𠮷", "动物"]) == []


def test_d041_an_element_of_another_post_is_no_word_of_this_one(world: FactWorld) -> None:
    in_p4 = category_candidate() | {"element_names": ["布偶猫"]}
    in_p1 = category_candidate(source_post_id="p1") | {"element_names": ["布偶猫"]}

    assert codes(world, in_p4) == []
    assert codes(world, in_p1) == ["element_names_not_covered"]


SAME = [
    ("AI", "ＡＩ"),
    ("ＡＩ", "AI"),
    ("AI", "ai"),
    ("Straße", "STRASSE"),
    ("Ａ\u200bI 周报", "AI 周报"),
    ("AI", " AI\u3000"),
]
SAME += [
    ("AI", "A\u200dI\ufeff"),
    ("ﬁt", "FIT"),
    ("é", "e\u0301"),
    ("㍿", "株式会社"),
    ("AI", "\u2060AI\u00ad"),
    ("①", "1"),
]


@pytest.mark.parametrize(("fact", "said"), SAME)
def test_d041_wx14_the_same_word_in_another_dress_is_covered(sqlite_world: FactWorld, fact: str, said: str) -> None:
    sqlite_world.alter("UPDATE pattern_mining_element SET element_name = :fact WHERE element_name = '治愈'", fact=fact)

    assert codes(sqlite_world, element_names=[said], refs={"seed_terms": [said]}) == []


LOOK_ALIKE = [("AI", "АI"), ("AI", "Al"), ("AI", "A1"), ("AI", "A I"), ("治愈", "治癒"), ("己", "已"), ("AI", "AI.")]


@pytest.mark.parametrize(("fact", "said"), LOOK_ALIKE)
def test_d041_a_look_alike_is_not_the_word(sqlite_world: FactWorld, fact: str, said: str) -> None:
    sqlite_world.alter("UPDATE pattern_mining_element SET element_name = :fact WHERE element_name = '治愈'", fact=fact)

    both = ["element_names_not_covered", "seed_terms_not_covered"]
    assert codes(sqlite_world, element_names=[said], refs={"seed_terms": [said]}) == both


def test_d041_the_full_width_form_is_covered_on_each_database(world: FactWorld) -> None:
    world.alter("UPDATE pattern_mining_element SET element_name = 'ＡＩ' WHERE element_name = '治愈'")

    assert codes(world, element_names=["ai"], refs={"seed_terms": ["A\u200bI"]}) == []
    assert codes(world, element_names=["АI"], refs={"seed_terms": []}) == ["element_names_not_covered"]
