"""Weight scores (D-020, D-021), computed by hand for the small facts."""

from __future__ import annotations

import pytest

from demand_assets.evidence.closure import Accepted
from demand_assets.evidence.weights import WeightScores, read_weight_scores
from resources.databases.pattern_facts import tables
from tests.demand_assets.evidence.deciding import category_candidate, decisions
from tests.small_facts import ANIMALS, CAT, FEELING, SHOPPING, FactWorld, good_candidate

ELEMENTS = {"治愈": 1.0, "猫": 0.6, "降价50%": 0.4, "布偶猫": 0.2, "惊喜": 0.2, "🫠神兵𠮷": 0.2}
CATEGORIES = {FEELING: 1.0, ANIMALS: 4 / 6, CAT: 4 / 6, SHOPPING: 2 / 6}


def scores(world: FactWorld, execution_id: int = 581) -> WeightScores:
    with world.open() as facts, facts.snapshot() as snapshot:
        return read_weight_scores(snapshot, execution_id)


def test_d020_scores_are_as_computed_by_hand(world: FactWorld) -> None:
    found = scores(world)

    assert found.elements == ELEMENTS
    assert found.categories == CATEGORIES


def test_d020_scores_stand_in_a_fixed_order(world: FactWorld) -> None:
    found = scores(world)

    assert list(found.elements) == list(ELEMENTS)
    assert list(found.categories) == [FEELING, ANIMALS, CAT, SHOPPING]


def test_d020_a_category_counts_its_descendants_once_a_post(world: FactWorld) -> None:
    world.alter(
        f"UPDATE pattern_mining_category SET parent_id = {ANIMALS} WHERE id = {SHOPPING}",
        "UPDATE pattern_mining_element SET post_id = 'p1' WHERE element_name = '降价50%' AND post_id = 'p5'",
    )

    assert scores(world).categories == {FEELING: 1.0, ANIMALS: 5 / 6, CAT: 4 / 6, SHOPPING: 2 / 6}


@pytest.mark.parametrize("parent", [CAT, ANIMALS])
def test_d020_a_cycle_of_parents_ends(world: FactWorld, parent: int) -> None:
    world.alter(f"UPDATE pattern_mining_category SET parent_id = {parent} WHERE id = {ANIMALS}")

    assert scores(world).categories == CATEGORIES


def test_d020_only_topic_elements_of_the_execution_count(world: FactWorld) -> None:
    row = {"post_id": "p9", "point_type": "关键点", "dimension": "实质", "element_name": "狗", "category_id": CAT}
    world.insert(
        tables.element,
        row | {"id": 901, "execution_id": 581, "source_table": "post_decode_script_element"},
        row | {"id": 902, "execution_id": 584, "source_table": tables.TOPIC_SOURCE_TABLE},
        row | {"id": 903, "execution_id": 581, "source_table": tables.TOPIC_SOURCE_TABLE, "element_name": " "},
        row | {"id": 904, "execution_id": 581, "source_table": tables.TOPIC_SOURCE_TABLE, "post_id": None},
        row | {"id": 905, "execution_id": 581, "source_table": tables.TOPIC_SOURCE_TABLE, "element_name": None},
    )

    assert scores(world).elements == ELEMENTS
    assert scores(world).categories == CATEGORIES


def test_d020_every_score_is_above_0_and_at_most_1(world: FactWorld) -> None:
    for execution_id in (581, 584):
        found = scores(world, execution_id)
        values = [*found.elements.values(), *found.categories.values()]
        assert max(found.elements.values()) == max(found.categories.values()) == 1.0
        assert all(0 < value <= 1 for value in values)


def test_d020_an_execution_without_elements_has_no_scores(world: FactWorld) -> None:
    assert scores(world, 585) == WeightScores(585, {}, {})


@pytest.mark.parametrize(
    ("candidate", "score"),
    [(good_candidate(), 0.8), (category_candidate(), 0.8333)],
    ids=["element and category", "two categories"],
)
def test_d021_the_score_is_the_mean_of_what_the_pack_binds(world: FactWorld, candidate: object, score: float) -> None:
    (decision,) = decisions(world, candidate)

    assert isinstance(decision, Accepted)
    assert scores(world).of_pack(decision.pack) == score


def test_d021_an_item_is_scored_by_its_element_else_by_its_category() -> None:
    weights = WeightScores(581, ELEMENTS, CATEGORIES)

    assert weights.of_item(CAT, "猫") == 0.6
    assert weights.of_item(CAT, None) == weights.of_item(CAT, "") == weights.of_item(CAT, " ") == 4 / 6
    assert weights.of_item(None, None) == weights.of_item(999, None) == weights.of_item(CAT, "狗") == 0.0
