"""Digests of facts: the same on each database, another one for every other set of rows, none where they could lie."""

from __future__ import annotations

import hashlib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from resources.databases.pattern_facts import tables as t
from resources.databases.pattern_facts.digests import FIELD, ROW, digest_of, read_digests, row_text
from tests.small_facts import CAT, TOPIC, FactWorld

ITEMSET = 7001
POST = "源帖 🫠"
POSTS = ["A", "a", "a b", "b|c", "it's", '"quoted"', "back\\slash", "%s", "é", "中文", POST, "ﬀ", "𠮷", "🫠"]
NAMES = ["猫", "猫 猫", "'猫'", '"猫"', "🫠神兵𠮷", "a,b:c=d"]
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=4) | st.sampled_from(["", "=", FIELD, ROW, "a", "b"])
rows = st.lists(st.tuples(st.integers(1, 99), texts | st.none()), max_size=5)


@pytest.fixture
def hostile(world: FactWorld) -> FactWorld:
    """An itemset whose posts, item and elements hold all that an encoding, a collation or a separator may spoil."""
    itemset = {"id": ITEMSET, "execution_id": 581, "mining_config_id": 2081, "scope": "topic", "item_count": 1}
    world.insert(t.itemset, itemset | {"support": 0.5, "absolute_support": len(POSTS)})
    place = {"category_id": CAT, "point_type": "关键点", "dimension": "实质"}
    world.insert(t.itemset_item, {"id": 70, "itemset_id": ITEMSET, "element_name": None} | place)
    world.insert(t.itemset_post, *({"itemset_id": ITEMSET, "post_id": post} for post in reversed(POSTS)))
    element = place | {"execution_id": 581, "post_id": POST, "source_table": TOPIC}
    world.insert(
        t.element, *(element | {"id": 700 + n, "element_name": name} for n, name in enumerate([*NAMES, NAMES[0]]))
    )
    return world


def read(world: FactWorld) -> tuple[Any, Any, Any]:
    with world.open() as facts, facts.snapshot() as snapshot:
        found = read_digests(snapshot, 581, [(ITEMSET, POST)])
    return found.posts.get(ITEMSET), found.items.get(ITEMSET), found.bindings.get((ITEMSET, POST))


def expected(posts: list[str]) -> tuple[Any, Any, Any]:
    item = row_text(70, CAT, "关键点", "实质", None, 581, "猫咪", "/动物/猫咪", "/实质/动物/猫咪", 3, "实质")
    names = sorted([*NAMES, NAMES[0]])
    return digest_of(sorted(posts)), digest_of([item]), digest_of([row_text(70, POST, name) for name in names])


def test_each_database_gives_the_digest_that_python_gives(hostile: FactWorld):
    assert None not in expected(POSTS)
    assert read(hostile) == expected(POSTS)


@pytest.mark.parametrize(
    ("place", "statement"),
    [
        (0, f"DELETE FROM pattern_itemset_post WHERE itemset_id = {ITEMSET} AND post_id = 'it''s'"),
        (0, f"INSERT INTO pattern_itemset_post VALUES ({ITEMSET}, 'a')"),
        (0, f"INSERT INTO pattern_itemset_post VALUES ({ITEMSET}, NULL)"),
        (0, f"INSERT INTO pattern_itemset_post VALUES ({ITEMSET}, ' ')"),
        (0, f"UPDATE pattern_itemset_post SET post_id = 'a ' WHERE itemset_id = {ITEMSET} AND post_id = 'é'"),
        (1, f"UPDATE pattern_itemset_item SET element_name = '' WHERE itemset_id = {ITEMSET}"),
        (1, f"UPDATE pattern_itemset_item SET dimension = NULL WHERE itemset_id = {ITEMSET}"),
        (1, f"INSERT INTO pattern_itemset_item VALUES (71, {ITEMSET}, 12, '目的点', '形式', NULL)"),
        (1, f"DELETE FROM pattern_itemset_item WHERE itemset_id = {ITEMSET}"),
        (1, "UPDATE pattern_mining_category SET path = '/动物/猫咪 ' WHERE id = 11"),
        (1, "UPDATE pattern_mining_category SET full_path = NULL WHERE id = 11"),
        (1, "UPDATE pattern_mining_category SET name = 'x' WHERE id = 11"),
        (1, "UPDATE pattern_mining_category SET execution_id = 584 WHERE id = 11"),
        (2, "DELETE FROM pattern_mining_element WHERE id = 700"),
        (2, "UPDATE pattern_mining_element SET element_name = '猫 ' WHERE id = 700"),
        (2, "UPDATE pattern_mining_element SET category_id = 12 WHERE id = 701"),
        (2, "UPDATE pattern_mining_element SET source_table = 'other' WHERE id = 702"),
        (2, "UPDATE pattern_mining_element SET execution_id = 584 WHERE id = 703"),
    ],
)
def test_facts_that_changed_have_another_digest(hostile: FactWorld, place: int, statement: str):
    hostile.alter(statement)
    assert read(hostile)[place] != expected(POSTS)[place]


@pytest.mark.parametrize("separator", [ROW, FIELD])
def test_a_separator_inside_a_value_is_never_equal(hostile: FactWorld, separator: str):
    hostile.alter(f"DELETE FROM pattern_itemset_post WHERE itemset_id = {ITEMSET}")
    hostile.insert(t.itemset_post, {"itemset_id": ITEMSET, "post_id": f"x{separator}y"})
    assert read(hostile)[0] not in (digest_of(["x", "y"]), digest_of(["x"]), None)
    hostile.alter("UPDATE pattern_mining_element SET element_name = :name WHERE id = 700", name=f"猫{separator}猫")
    assert read(hostile)[2] != expected(POSTS)[2]


def test_a_post_that_the_server_pads_is_another_post(hostile: FactWorld):
    hostile.alter("UPDATE pattern_mining_element SET post_id = :post WHERE id = 700", post=POST + " ")
    assert read(hostile)[2] != expected(POSTS)[2]


def test_a_text_beyond_what_mysql_joins_by_itself_is_whole(world: FactWorld):
    posts = [f"{number:05d}" + "帖" * 40 for number in range(12_000)]
    world.insert(t.itemset_post, *({"itemset_id": ITEMSET, "post_id": post} for post in posts))
    assert read(world)[0] == digest_of(posts)


@given(rows, rows)
def test_equal_digests_mean_equal_rows(one: list[tuple[int, str | None]], other: list[tuple[int, str | None]]):
    digests = [digest_of([row_text(*row) for row in given]) for given in (one, other)]
    assert None in digests or (digests[0] == digests[1]) == (one == other)


@given(rows, texts)
def test_a_value_with_a_separator_has_no_digest(some: list[tuple[int, str | None]], text: str):
    found = digest_of([row_text(*row) for row in [*some, (1, text)]])
    held = any(separator in (value or "") for _, value in [*some, (1, text)] for separator in (FIELD, ROW))
    assert (found is None) == held


def test_the_text_is_what_the_module_says():
    text = f"=1{FIELD}=猫{ROW}=2{FIELD}".encode()
    assert digest_of([row_text(1, "猫"), row_text(2, None)]) == f"2:{hashlib.md5(text).hexdigest()}"
