"""Closure of posts and of the elements in the source post: D-036 … D-038."""

from __future__ import annotations

import pytest

from resources.databases.pattern_facts import tables
from tests.demand_assets.evidence.deciding import accepted_pack, category_candidate, codes, rejected
from tests.small_facts import FactWorld, good_candidate

LINK = "INSERT INTO pattern_itemset_post (itemset_id, post_id) VALUES (1001, {})"
CAT_ROWS = "UPDATE pattern_mining_element SET {} WHERE element_name = '猫' AND execution_id = 581 AND post_id = 'p1'"


@pytest.mark.parametrize(
    "alteration",
    [
        LINK.format("NULL"),
        LINK.format("''"),
        LINK.format("'   '"),
        LINK.format("'p9'"),
        "DELETE FROM pattern_itemset_post WHERE itemset_id = 1001 AND post_id = 'p3'",
        "UPDATE pattern_itemset SET absolute_support = 4 WHERE id = 1001",
        "UPDATE pattern_itemset SET absolute_support = 2 WHERE id = 1001",
        "UPDATE pattern_itemset SET absolute_support = 0 WHERE id = 1001",
        "UPDATE pattern_itemset SET absolute_support = -3 WHERE id = 1001",
        "UPDATE pattern_itemset SET absolute_support = NULL WHERE id = 1001",
    ],
)
def test_d036_the_posts_are_as_many_as_the_support_says(world: FactWorld, alteration: str) -> None:
    world.alter(alteration)

    reject = rejected(world)

    assert reject.reject_codes == ["post_count_mismatch"]
    assert "itemset_id 1001 of execution_id 581" in reject.reject_reason


def test_d036_zero_posts_and_zero_support_do_not_agree(world: FactWorld) -> None:
    world.alter(
        "DELETE FROM pattern_itemset_post WHERE itemset_id = 1001",
        "UPDATE pattern_itemset SET absolute_support = 0 WHERE id = 1001",
    )

    assert codes(world, refs={"case_ids": {}}) == ["post_count_mismatch", "source_post_not_matched"]


def test_d036_a_post_listed_twice_counts_once(world: FactWorld) -> None:
    world.alter(LINK.format("'p1'"), LINK.format("'p1'"))

    assert accepted_pack(world).matched_post_ids == ["p1", "p2", "p3"]


def test_d036_posts_that_differ_in_case_are_two(world: FactWorld) -> None:
    world.alter(LINK.format("'P1'"), "UPDATE pattern_itemset SET absolute_support = 4 WHERE id = 1001")

    assert accepted_pack(world).matched_post_ids == ["P1", "p1", "p2", "p3"]


@pytest.mark.parametrize("odd", ["p3\x1fp4", "\x1fp3", "p3\x1f", "p3,p4", "{p3}", 'p"3', "p\\3"])
def test_d036_odd_post_ids_are_read_as_they_are_or_not_at_all(world: FactWorld, odd: str) -> None:
    change = "UPDATE pattern_itemset_post SET post_id = :odd WHERE itemset_id = 1001 AND post_id = 'p3'"
    world.alter(change, odd=odd)
    assert codes(world) in ([], ["post_count_mismatch"])
    if codes(world) == []:
        assert accepted_pack(world).matched_post_ids == sorted(["p1", "p2", odd])

    world.alter("UPDATE pattern_itemset SET absolute_support = 4 WHERE id = 1001")
    assert codes(world) == ["post_count_mismatch"]


@pytest.mark.parametrize("post", [None, "", "  "])
def test_d037_a_source_post_is_needed(world: FactWorld, post: str | None) -> None:
    reject = rejected(world, refs={"source_post_id": post})

    assert reject.reject_code == "source_post_not_matched"
    assert reject.corrections[0].nearest == "p1"


@pytest.mark.parametrize("post", ["p4", "q1", "p99", "P1", "p1 ", " p1", "ｐ1", "p1\u200b"])
def test_d037_the_source_post_is_a_matched_one(world: FactWorld, post: str) -> None:
    reject = rejected(world, refs={"source_post_id": post})

    assert reject.reject_code == "source_post_not_matched"
    assert repr(post) in reject.reject_reason
    assert "itemset_id 1001 of execution_id 581" in reject.reject_reason
    assert reject.corrections[0].offending == post
    assert reject.corrections[0].nearest in {"p1", "p2", "p3"}


@pytest.mark.parametrize(
    "change",
    [
        "execution_id = 584",
        "source_table = 'post_decode_script_element'",
        "source_table = 'POST_decode_topic_point_element'",
        "source_table = NULL",
        "category_id = 12",
        "category_id = NULL",
        "point_type = '灵感点'",
        "point_type = NULL",
        "dimension = '形式'",
        "dimension = NULL",
        "element_name = '布偶猫'",
        "element_name = ''",
        "element_name = NULL",
        "post_id = 'p2'",
        "post_id = 'P1'",
    ],
)
def test_d038_an_element_must_agree_in_every_way(world: FactWorld, change: str) -> None:
    world.alter(CAT_ROWS.format(change))

    reject = rejected(world, element_names=["猫咪", "治愈"], refs={"seed_terms": []})

    assert reject.reject_codes == ["element_not_bound"]
    assert "item 1 of itemset_id 1001 binds no topic element in post 'p1'" in reject.reject_reason
    assert reject.corrections[0].offending == "1"


@pytest.mark.parametrize("column", ["point_type", "dimension"])
def test_d038_an_item_that_says_nothing_binds_nothing(world: FactWorld, column: str) -> None:
    world.alter(f"UPDATE pattern_itemset_item SET {column} = NULL WHERE id = 1")

    assert "element_not_bound" in codes(world)


@pytest.mark.parametrize("name", [None, "", " "])
def test_d038_an_item_without_a_name_binds_any_element_of_its_category(world: FactWorld, name: str | None) -> None:
    world.alter("UPDATE pattern_itemset_item SET element_name = :name WHERE id = 1", name=name)

    assert [b.element_name for b in accepted_pack(world).element_bindings if b.itemset_item_id == 1] == ["猫"]


@pytest.mark.parametrize("name", [None, "", "  "])
def test_d038_an_element_without_a_name_is_not_evidence(world: FactWorld, name: str | None) -> None:
    world.alter("UPDATE pattern_mining_element SET element_name = :name WHERE post_id = 'p4'", name=name)

    assert codes(world, category_candidate()) == ["element_not_bound"]


def test_d038_only_the_source_post_counts(world: FactWorld) -> None:
    world.alter(CAT_ROWS.format("element_name = '狗'"))

    assert "element_not_bound" in codes(world)
    assert codes(world, refs={"source_post_id": "p2"}) == []


def test_d038_each_item_needs_its_own_element(world: FactWorld) -> None:
    world.alter("DELETE FROM pattern_mining_element WHERE post_id = 'p1' AND category_id = 12")

    reject = rejected(world, element_names=["猫"], refs={"seed_terms": []})

    assert reject.reject_codes == ["element_not_bound"]
    assert "item 2 " in reject.reject_reason


def test_d038_every_element_that_an_item_binds_is_listed(world: FactWorld) -> None:
    bound = [
        (b.itemset_item_id, b.element_name, b.matched_element_count) for b in accepted_pack(world).element_bindings
    ]

    assert sorted(bound) == [(1, "猫", 1), (2, "治愈", 2), (2, "🫠神兵𠮷", 1)]


def test_pg3_percent_signs_are_data(world: FactWorld) -> None:
    world.alter("UPDATE pattern_itemset_post SET post_id = '%(p5)s -- %s' WHERE post_id = 'p5'")
    world.alter("UPDATE pattern_mining_element SET post_id = '%(p5)s -- %s' WHERE post_id = 'p5'")
    refs = {
        "itemset_ids": [1003],
        "category_ids": [],
        "source_post_id": "%(p5)s -- %s",
        "case_ids": {},
        "seed_terms": ["降价50%"],
    }

    pack = accepted_pack(world, good_candidate(element_names=["降价50%"], refs=refs))

    assert pack.matched_post_ids == ["%(p5)s -- %s", "p6"]
    assert pack.category_bindings[0].element_name == "降价50%"


@pytest.mark.parametrize("big", [2**53 + 1, 2**63 - 1])
def test_pg5_big_ids_are_exact(world: FactWorld, big: int) -> None:
    world.alter(
        f"UPDATE pattern_itemset SET id = {big} WHERE id = 1001",
        f"UPDATE pattern_itemset_item SET itemset_id = {big}, id = {big} - id WHERE itemset_id = 1001",
        f"UPDATE pattern_itemset_post SET itemset_id = {big} WHERE itemset_id = 1001",
        f"UPDATE pattern_mining_category SET id = {big} WHERE id = 11",
        f"UPDATE pattern_itemset_item SET category_id = {big} WHERE category_id = 11",
        f"UPDATE pattern_mining_element SET category_id = {big} WHERE category_id = 11",
    )

    pack = accepted_pack(world, refs={"itemset_ids": [str(big)], "category_ids": [big]})

    assert pack.itemset_ids == [big]
    assert {b.category_id for b in pack.category_bindings} == {big, 12}
    assert {b.itemset_item_id for b in pack.element_bindings} == {big - 1, big - 2}
    assert codes(world, refs={"itemset_ids": [big - 1]})[0] == "itemset_not_found"


def test_my1_four_byte_characters_and_quotes_are_data(world: FactWorld) -> None:
    post = """𠮷'"\\🫠"""
    for table in (tables.itemset_post, tables.element):
        world.alter(f"UPDATE {table.name} SET post_id = :post WHERE post_id = 'p1'", post=post)

    pack = accepted_pack(world, element_names=["🫠神兵𠮷"], refs={"source_post_id": post, "case_ids": {}})

    assert pack.source_post_id == post
