"""The rules proposer (D-016): the same candidates each time, best first, spread over branches, no name twice."""

from __future__ import annotations

from typing import Any

import pytest

from demand_assets.decisions.decision_loop import Loop
from demand_assets.evidence.closure import Provenance
from demand_assets.evidence.weights import WeightScores, read_weight_scores
from demand_assets.proposers.proposer import StopReason
from demand_assets.proposers.rules import RulesProposer, interleave
from resources.databases.pattern_facts import tables
from resources.databases.pattern_facts.records import Item, ItemsetOutline
from resources.foundation import strict_json
from resources.model.usage import Usage
from tests.small_facts import CAT, FEELING, SHOPPING, FactWorld


def proposed(
    world: FactWorld, *, seed: int = 0, wanted: int = 99, execution_id: int = 581
) -> tuple[list[Any], StopReason]:
    """All candidates, asked for ``wanted`` at a time, and why there are no more."""
    with world.open() as facts:
        with facts.snapshot() as snapshot:
            weights = read_weight_scores(snapshot, execution_id)
        proposer = RulesProposer(facts, execution_id, weights, seed=seed)
        found: list[Any] = []
        while True:
            batch = proposer.propose(wanted, [])
            assert len(batch.candidates) <= wanted
            found.extend(batch.candidates)
            if batch.stop is not None:
                return found, batch.stop


def itemsets(candidates: list[Any]) -> list[int]:
    return [candidate["evidence_refs"]["itemset_ids"][0] for candidate in candidates]


def add_itemset(world: FactWorld, number: int, category: int, name: str, *, support: float = 0.5) -> None:
    """An itemset of one named item that its one post ``n{number}`` carries."""
    dimension = "形式" if category == FEELING else "实质"
    item = {"category_id": category, "point_type": "关键点", "dimension": dimension, "element_name": name}
    head = {"id": number, "execution_id": 581, "mining_config_id": 2081, "scope": "topic", "item_count": 1}
    world.insert(tables.itemset, head | {"support": support, "absolute_support": 1})
    world.insert(tables.itemset_item, {"id": number, "itemset_id": number} | item)
    world.insert(tables.itemset_post, {"itemset_id": number, "post_id": f"n{number}"})
    element = {"id": number, "execution_id": 581, "post_id": f"n{number}", "source_table": tables.TOPIC_SOURCE_TABLE}
    world.insert(tables.element, element | item)


def test_d016_the_candidates_of_the_small_facts(world: FactWorld) -> None:
    """Itemset 1002 would repeat the name of 1001, which ranks above it."""
    (first, second), stop = proposed(world)

    assert stop == StopReason.FACTS_USED_UP
    assert first["element_names"] == ["猫", "治愈"]
    assert first["evidence_refs"] == {
        "source_kind": "pattern_itemset",
        "source_tool": "get_itemset_detail",
        "itemset_ids": [1001],
        "category_ids": [CAT, FEELING],
        "source_post_id": "p1",
        "case_ids": {"pattern_itemset": ["p1"]},
        "seed_terms": ["猫", "治愈"],
        "notes": "",
    }
    assert second["element_names"] == ["降价50%", "治愈"]
    assert second["evidence_refs"]["category_ids"] == [SHOPPING, FEELING]
    assert second["evidence_refs"]["source_post_id"] == "p5"


def test_d016_the_same_facts_and_seed_give_the_same_bytes(world: FactWorld) -> None:
    for number in range(20):
        add_itemset(world, 5000 + number, (CAT, FEELING, SHOPPING)[number % 3], f"词{number}")

    texts = {strict_json.dumps(proposed(world, seed=3)[0]) for _ in range(3)}

    assert len(texts) == 1


@pytest.mark.parametrize("wanted", [1, 2, 7])
def test_d016_how_many_are_asked_for_changes_nothing(sqlite_world: FactWorld, wanted: int) -> None:
    for number in range(20):
        add_itemset(sqlite_world, 5000 + number, (CAT, FEELING)[number % 2], f"词{number % 13}")

    assert proposed(sqlite_world, wanted=wanted) == proposed(sqlite_world)


def test_d016_facts_of_another_execution_change_nothing(world: FactWorld) -> None:
    before = proposed(world)
    world.alter(
        "DELETE FROM pattern_itemset WHERE id = 2001", "DELETE FROM pattern_mining_element WHERE execution_id = 584"
    )

    assert proposed(world) == before


@pytest.mark.parametrize("name", ["狗", "ＤＯＧ", "dog", "d\u200bog"])
def test_d016_no_name_twice_however_it_is_written(sqlite_world: FactWorld, name: str) -> None:
    for number, spelling in enumerate(["狗", "DOG", name]):
        add_itemset(sqlite_world, 5000 + number, SHOPPING, spelling)

    names = [candidate["element_names"] for candidate in proposed(sqlite_world, wanted=1)[0]]

    assert len([one for one in names if one[0] in {"狗", "DOG", name}]) == 2


def test_d016_the_same_names_in_another_order_are_the_same_name(world: FactWorld) -> None:
    world.alter(
        "INSERT INTO pattern_itemset (id, execution_id, mining_config_id, scope, support, absolute_support)"
        " VALUES (5001, 581, 2081, 'topic', 0.3, 3)",
        "INSERT INTO pattern_itemset_item (id, itemset_id, category_id, point_type, dimension, element_name)"
        " VALUES (5001, 5001, 12, '目的点', '形式', '治愈'), (5002, 5001, 11, '关键点', '实质', '猫')",
        "INSERT INTO pattern_itemset_post (itemset_id, post_id) VALUES (5001, 'p1'), (5001, 'p2'), (5001, 'p3')",
    )

    assert itemsets(proposed(world)[0]) == [1001, 1003]


def test_d016_branches_take_turns(world: FactWorld) -> None:
    for number in range(6):
        add_itemset(world, 5000 + number, CAT, f"动物词{number}", support=0.9)
    add_itemset(world, 6001, SHOPPING, "购物词", support=0.01)
    add_itemset(world, 6002, FEELING, "情感词", support=0.02)

    branch_of = dict.fromkeys((1001, 1002, *range(5000, 5006)), "动物") | {1003: "购物", 6001: "购物", 6002: "情感"}
    branches = [branch_of[itemset_id] for itemset_id in itemsets(proposed(world)[0])]

    assert sorted(branches[:3]) == ["动物", "情感", "购物"]
    assert sorted(branches[3:5]) == ["动物", "购物"]
    assert set(branches[5:]) == {"动物"}


def outline(
    number: int, *, category: int = CAT, name: str | None = None, support: float | None = 0.5
) -> ItemsetOutline:
    path = f"/实质/{category}"
    item = Item(number, number, category, "关键点", "实质", name, 581, "类", path, path)
    return ItemsetOutline(number, support, 1, (item,))


WEIGHTS = WeightScores(581, {"高": 1.0, "低": 0.1}, {CAT: 0.5, SHOPPING: 0.5})


def order(*outlines: ItemsetOutline, seed: int = 0) -> list[int]:
    return [one.id for one in interleave(list(outlines), WEIGHTS, seed)]


def test_d016_weight_support_and_specificity_decide() -> None:
    assert order(outline(1, name="低"), outline(2, name="高")) == [2, 1]
    assert order(outline(1, name="高", support=0.1), outline(2, name="高", support=0.2)) == [2, 1]
    assert order(outline(1), outline(2, name="高", support=0.2)) == [2, 1]
    assert order(outline(1, support=None), outline(2, support=0.01)) == [2, 1]
    assert order(outline(1), outline(2, category=SHOPPING, support=0.1), outline(3)) in ([1, 2, 3], [3, 2, 1])
    assert order(ItemsetOutline(1, 0.9, 1, ()), outline(2, support=0.9)) == [2, 1]


def test_d016_the_seed_decides_among_ties_only() -> None:
    ties = [outline(number) for number in range(10, 20)]
    best, worst = outline(1, name="高", support=0.9), outline(2, name="低", support=0.01)

    orders = [order(worst, *ties, best, seed=seed) for seed in range(5)]

    assert len({tuple(one) for one in orders}) == 5
    assert {(one[0], one[-1]) for one in orders} == {(1, 2)}
    assert all(order(*reversed(ties), worst, best, seed=seed) == orders[seed] for seed in range(5))


def test_d016_an_execution_without_itemsets(world: FactWorld) -> None:
    assert proposed(world, execution_id=585) == ([], StopReason.NO_FACTS)


def test_d016_only_topic_itemsets_are_proposed(world: FactWorld) -> None:
    assert set(itemsets(proposed(world)[0])) <= {1001, 1002, 1003}


def test_d016_an_itemset_without_a_usable_post_is_no_obstacle(world: FactWorld) -> None:
    world.alter("DELETE FROM pattern_itemset_post WHERE itemset_id = 1001")

    candidates, _ = proposed(world)

    assert {1001, 1003} <= set(itemsets(candidates))


def test_d013_d016_every_proposal_of_sound_facts_is_accepted(world: FactWorld) -> None:
    for number in range(8):
        add_itemset(world, 5000 + number, (CAT, FEELING, SHOPPING)[number % 3], f"降价{number}% '\"𠮷")
    with world.open() as facts:
        with facts.snapshot() as snapshot:
            weights = read_weight_scores(snapshot, 581)
        outcome = Loop(facts, 581, weights, Provenance("t"), 99, 99).run(RulesProposer(facts, 581, weights))

    assert outcome.rejects_by_code() == {}
    assert len(outcome.accepted) == len({demand.candidate.name for demand in outcome.accepted}) == 10
    assert outcome.stop_reason == StopReason.FACTS_USED_UP
    assert outcome.usage == Usage()


def test_d016_the_identity_names_the_seed(sqlite_world: FactWorld) -> None:
    with sqlite_world.open() as facts:
        identity = RulesProposer(facts, 581, WEIGHTS, seed=42).identity

    assert (identity.proposer, identity.model, identity.settings) == ("rules", None, {"seed": 42})
