"""D-080 … D-082: which words an itemset takes, and which demands say what a better one says."""

from __future__ import annotations

import math

import pytest

from demand_assets.worth.choice import Choice, ChosenTerms, Passed, choose_terms, without_overlap
from tests.demand_assets.worth.small_space import outline, posts_of, space_of

_MANY = [f"q{number}" for number in range(40)]


def _background() -> list[tuple[int, str, str]]:
    """Forty posts about something else, so that meeting is more than chance."""
    return [(9, post_id, "别的") for post_id in _MANY]


def _choose(elements: list[tuple[int, str, str]], *outlines: object, floor: int = 2, **posts: list[str]) -> Choice:
    space = space_of([*elements, *_background()])
    return choose_terms(space, list(outlines), posts_of(**posts), lambda term: term != "没有", floor)  # type: ignore[arg-type]


def _both(first: str, second: str, *posts: str) -> list[tuple[int, str, str]]:
    return [element for post in posts for element in ((1, post, first), (2, post, second))]


def test_d080_the_words_of_most_posts_beyond_chance_are_taken() -> None:
    elements = [*_both("猛龙", "德罗赞", "p1", "p2", "p3"), *_both("卖完", "法拉利", "p4", "p5")]
    choice = _choose(elements, outline(1, 1, 2), i1=["p1", "p2", "p3", "p4", "p5"])
    assert [(chosen.terms, chosen.joint_posts) for chosen in choice.chosen] == [
        (("猛龙", "德罗赞"), ("p1", "p2", "p3"))
    ]
    lift = (3 / 45) / (3 / 45 * 3 / 45)
    assert choice.chosen[0].lift == pytest.approx(lift)
    assert choice.chosen[0].worth == pytest.approx(3 * math.log2(lift), abs=1e-4)


def test_d080_a_word_that_is_no_content_term_is_never_taken() -> None:
    elements = [*_both("手机", "没有", "p1", "p2", "p3"), *_both("手机", "相机", "p4", "p5")]
    choice = _choose(elements, outline(1, 1, 2), i1=["p1", "p2", "p3", "p4", "p5"])
    assert choice.chosen[0].terms == ("手机", "相机")


def test_d080_below_the_floor_an_itemset_yields_nothing_and_is_counted() -> None:
    choice = _choose(_both("猛龙", "德罗赞", "p1"), outline(1, 1, 2), outline(2), i1=["p1"])
    assert (choice.chosen, choice.passed) == ([], {1: Passed.NO_COMBINATION, 2: Passed.NO_COMBINATION})


@pytest.mark.parametrize("pair", [("4s店", "4S店"), ("华为", "华为手机"), ("华为", "华为")])
def test_d081_terms_that_contain_one_another_are_no_pair(pair: tuple[str, str]) -> None:
    choice = _choose(_both(*pair, "p1", "p2"), outline(1, 1, 2), i1=["p1", "p2"])
    assert (choice.chosen, choice.passed) == ([], {1: Passed.SAME_WORD})


def test_d081_terms_that_share_a_character_are_a_pair() -> None:
    choice = _choose(_both("上联", "下联", "p1", "p2"), outline(1, 1, 2), i1=["p1", "p2"])
    assert choice.chosen[0].terms == ("上联", "下联")


def test_d080_what_meets_no_more_than_by_chance_is_no_demand() -> None:
    space = space_of(_both("天气", "早安", "p1", "p2"))
    choice = choose_terms(space, [outline(1, 1, 2)], posts_of(i1=["p1", "p2"]), lambda _: True, 2)
    assert choice.passed == {1: Passed.NOT_LIFTED}


def _chosen(itemset_id: int, terms: tuple[str, ...], posts: str, worth: float) -> ChosenTerms:
    return ChosenTerms(outline(itemset_id, 1, 2), terms, tuple(posts.split()), 2.0, worth)


def test_d082_more_than_half_of_the_posts_shared_is_a_repetition() -> None:
    best, same, half = (
        _chosen(1, ("甲", "乙"), "p1 p2 p3 p4", 9),
        _chosen(2, ("丙", "丁"), "p2 p3 p4", 8),
        _chosen(3, ("戊", "己"), "p3 p4", 7),
    )
    assert without_overlap([best, same, half], 0.5) == [best, half]
    assert without_overlap([best, same, half], 0.4) == [best]
    assert without_overlap([best, same, half], 1.0) == [best, same, half]


def test_d082_a_subset_of_the_terms_is_a_repetition_wherever_its_posts_are() -> None:
    best, subset, superset = (
        _chosen(1, ("甲", "乙"), "p1", 9),
        _chosen(2, ("乙",), "p7", 8),
        _chosen(3, ("甲", "乙", "丙"), "p8", 7),
    )
    assert without_overlap([best, subset, superset], 1.0) == [best]
