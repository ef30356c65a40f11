"""Closure of execution, itemset, scope, config and categories: D-030 … D-035."""

from __future__ import annotations

import pytest

from tests.demand_assets.evidence.deciding import category_candidate, codes, rejected
from tests.small_facts import FactWorld

ITEMSET = "UPDATE pattern_itemset SET {} WHERE id = 1001"


def test_the_good_candidates_close(world: FactWorld) -> None:
    assert codes(world) == []
    assert codes(world, category_candidate()) == []


@pytest.mark.parametrize(("execution_id", "status"), [(580, "failed"), (583, "running")])
def test_d030_an_execution_that_did_not_succeed(world: FactWorld, execution_id: int, status: str) -> None:
    reject = rejected(world, execution_id=execution_id)

    assert reject.reject_code == "execution_not_usable"
    assert reject.reject_reason == f"execution_id {execution_id} has status '{status}', not 'success'"


def test_d030_an_execution_that_is_not_there(world: FactWorld) -> None:
    reject = rejected(world, execution_id=9999)

    assert reject.reject_code == "execution_not_usable"
    assert reject.reject_reason == "execution_id 9999 does not exist"


@pytest.mark.parametrize("status", ["SUCCESS", "success ", "Success", ""])
def test_d030_only_success_is_success(world: FactWorld, status: str) -> None:
    world.alter(f"UPDATE pattern_mining_execution SET status = '{status}' WHERE id = 581")

    assert codes(world) == ["execution_not_usable"]


def test_d031_no_itemset_is_given(world: FactWorld) -> None:
    reject = rejected(world, refs={"itemset_ids": []})

    assert reject.reject_code == "itemset_not_found"
    assert "execution_id 581" in reject.reject_reason


@pytest.mark.parametrize("itemset_ids", [[987654321], [1001, 987654321], [987654321, 1001]])
def test_d031_each_itemset_must_exist(world: FactWorld, itemset_ids: list[int]) -> None:
    reject = rejected(world, refs={"itemset_ids": itemset_ids})

    assert reject.reject_code == "itemset_not_found"
    assert reject.reject_reason == "itemset_id 987654321 not found under execution_id 581"
    assert reject.corrections[0].offending == "987654321"


def test_d032_lm7_an_itemset_of_another_execution(world: FactWorld) -> None:
    refs = {"itemset_ids": [2001], "category_ids": [], "case_ids": {}, "source_post_id": "q1"}

    reject = rejected(world, refs=refs)

    assert reject.reject_code == "itemset_other_execution"
    assert reject.reject_reason == "itemset_id 2001 belongs to execution_id 584, not to execution_id 581"
    assert (reject.corrections[0].offending, reject.corrections[0].nearest) == ("2001", "execution_id 584")


def test_d032_an_itemset_moved_with_its_config_and_nothing_else(world: FactWorld) -> None:
    world.alter(ITEMSET.format("execution_id = 584, mining_config_id = 2111"))

    assert codes(world) == ["itemset_other_execution"]


@pytest.mark.parametrize("scope", ["'topic_element'", "'script'", "'paragraph'", "'group'", "'TOPIC'", "''", "NULL"])
def test_d033_the_scope_of_the_itemset_is_topic(world: FactWorld, scope: str) -> None:
    world.alter(ITEMSET.format(f"scope = {scope}"))

    assert codes(world) == ["scope_not_topic"]


def test_d033_a_script_itemset_with_its_own_config_fails_both(world: FactWorld) -> None:
    refs = {"itemset_ids": [1004], "category_ids": [], "seed_terms": []}

    assert codes(world, refs=refs, element_names=["猫咪"]) == ["scope_not_topic", "config_not_closed"]


@pytest.mark.parametrize(
    ("alteration", "said"),
    [
        (ITEMSET.format("mining_config_id = 777"), "mining_config_id 777 does not exist"),
        (ITEMSET.format("mining_config_id = NULL"), "mining_config_id None does not exist"),
        (ITEMSET.format("mining_config_id = 2111"), "mining_config_id 2111 belongs to execution_id 584"),
        (ITEMSET.format("mining_config_id = 2083"), "mining_config_id 2083 has scope 'script', not 'topic'"),
        ("UPDATE pattern_mining_config SET scope = NULL WHERE id = 2081", "mining_config_id 2081 has scope None"),
        ("DELETE FROM pattern_mining_config WHERE id = 2081", "mining_config_id 2081 does not exist"),
    ],
)
def test_d033_the_config_is_of_the_same_execution_and_scope(world: FactWorld, alteration: str, said: str) -> None:
    world.alter(alteration)

    reject = rejected(world)

    assert reject.reject_codes == ["config_not_closed"]
    assert said in reject.reject_reason


def test_d034_exactly_one_itemset(world: FactWorld) -> None:
    reject = rejected(world, refs={"itemset_ids": [1001, 1002]})

    assert reject.reject_codes == ["itemset_not_single"]
    assert (reject.corrections[0].offending, reject.corrections[0].nearest) == ("1001,1002", "1001")


def test_d034_the_same_itemset_twice_is_one(world: FactWorld) -> None:
    assert codes(world, refs={"itemset_ids": [1001, "1001"]}) == []


def test_d035_an_itemset_without_items(world: FactWorld) -> None:
    world.alter("DELETE FROM pattern_itemset_item WHERE itemset_id = 1001")

    reject = rejected(world)

    assert reject.reject_code == "category_not_closed"
    assert reject.reject_reason == "itemset_id 1001 of execution_id 581 has no items"


@pytest.mark.parametrize(
    ("alteration", "said"),
    [
        ("UPDATE pattern_itemset_item SET category_id = NULL WHERE id = 2", "item 2 has no category_id"),
        ("DELETE FROM pattern_mining_category WHERE id = 12", "item 2 names category_id 12, which does not exist"),
        ("UPDATE pattern_itemset_item SET category_id = 22 WHERE id = 2", "category_id 22 of execution_id 584"),
        ("UPDATE pattern_mining_category SET execution_id = 584 WHERE id = 12", "category_id 12 of execution_id 584"),
        ("UPDATE pattern_mining_category SET path = '' WHERE id = 12", "category_id 12, whose path is blank"),
        ("UPDATE pattern_mining_category SET path = '  ' WHERE id = 12", "category_id 12, whose path is blank"),
        ("UPDATE pattern_mining_category SET path = '\u3000' WHERE id = 12", "category_id 12, whose path is blank"),
        ("UPDATE pattern_mining_category SET path = NULL WHERE id = 12", "category_id 12, whose path is blank"),
    ],
)
def test_d035_every_item_stands_on_a_category_with_a_path(world: FactWorld, alteration: str, said: str) -> None:
    world.alter(alteration)

    reject = rejected(world, refs={"category_ids": []})

    assert reject.reject_code == "category_not_closed"
    assert said in reject.reject_reason


def test_d035_one_broken_item_among_good_ones_is_enough(world: FactWorld) -> None:
    world.alter(
        "INSERT INTO pattern_itemset_item (id, itemset_id, category_id, point_type, dimension)"
        " VALUES (77, 1001, NULL, '关键点', '实质')"
    )

    assert codes(world) == ["category_not_closed", "element_not_bound"]


def test_d035_the_name_of_a_category_may_be_missing(world: FactWorld) -> None:
    world.alter("UPDATE pattern_mining_category SET name = NULL, full_path = NULL WHERE id = 12")

    assert codes(world) == []
