"""Mining a user's own posts: complete, closed, repeatable, and able to live beside other executions."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import combinations
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy.engine import URL

from resources.foundation.clock import FixedClock
from resources.foundation.errors import UsageError
from sandbox.facts.fact_base import FactBase, join_fact_bases
from sandbox.facts.facts_load import first_free_ids, load_facts
from sandbox.facts.first_ids import FirstIds
from sandbox.mining.mining import mine_posts
from tests.sample_posts import sample_posts
from tests.sandbox.closing_itemsets import closing_itemsets

CLOCK = FixedClock(datetime(2026, 6, 1, 0, 0, tzinfo=UTC))
PATHS = ["/实质/健康/养生", "/实质/健康", "/形式/图解", "/意图/求知/科普"]

posts_frames = st.lists(
    st.tuples(st.sampled_from(PATHS), st.lists(st.sampled_from("甲乙丙丁戊己"), min_size=1, max_size=4, unique=True)),
    min_size=1,
    max_size=12,
).map(
    lambda rows: pd.DataFrame(
        [(f"p{place}", "", path, tags) for place, (path, tags) in enumerate(rows)],
        columns=["id", "title", "category_path", "tags"],
    )
)


def mine(posts: pd.DataFrame, **changes: Any) -> FactBase:
    arguments: dict[str, Any] = {
        "execution_id": 7,
        "merge_leve2": "健康",
        "platform_type": "own",
        "min_support": 0.2,
        "clock": CLOCK,
    }
    return mine_posts(posts, **arguments | changes)


def itemsets_as_sets(facts: FactBase) -> dict[frozenset[tuple[Any, ...]], frozenset[str]]:
    """Each itemset as its items (category, point type, name or ``None``) with the posts it lists."""
    items: dict[int, set[tuple[Any, ...]]] = {}
    for row in facts.itemset_item.itertuples():
        name = None if pd.isna(row.element_name) else row.element_name
        items.setdefault(row.itemset_id, set()).add((row.category_id, row.point_type, name))
    posts: dict[int, set[str]] = {}
    for row in facts.itemset_post.itertuples():
        posts.setdefault(row.itemset_id, set()).add(row.post_id)
    found = {frozenset(items[itemset_id]): frozenset(posts[itemset_id]) for itemset_id in facts.itemset["id"]}
    assert len(found) == len(facts.itemset)
    return found


def itemsets_by_trial(facts: FactBase, least: int, max_items: int) -> dict[frozenset[Any], frozenset[str]]:
    """Every frequent itemset by trying all sets of items."""
    holders: dict[tuple[Any, ...], set[str]] = {}
    for row in facts.element.itertuples():
        for name in (row.element_name, None):
            holders.setdefault((row.category_id, row.point_type, name), set()).add(row.post_id)
    found = {}
    for size in range(2, max_items + 1):
        for items in combinations(holders, size):
            posts = frozenset.intersection(*(frozenset(holders[item]) for item in items))
            says_twice = any(item[2] is not None and (*item[:2], None) in items for item in items)
            if len(posts) >= least and not says_twice:
                found[frozenset(items)] = posts
    return found


@settings(max_examples=40, deadline=None)
@given(posts=posts_frames, min_support=st.sampled_from([0.01, 0.2, 1 / 3, 0.5, 1.0]), max_items=st.integers(2, 4))
def test_finds_exactly_the_frequent_itemsets_and_each_closes(
    posts: pd.DataFrame, min_support: float, max_items: int
) -> None:
    facts = mine(posts, min_support=min_support, max_items=max_items)

    least = max(2, min(count for count in range(1, len(posts) + 1) if count / len(posts) >= min_support - 1e-9))
    assert itemsets_as_sets(facts) == itemsets_by_trial(facts, least, max_items)
    assert closing_itemsets(facts) == set(facts.itemset["id"])
    sizes = facts.itemset_item.groupby("itemset_id").size().reindex(facts.itemset["id"])
    assert facts.itemset["item_count"].tolist() == sizes.tolist()
    assert facts.itemset["support"].tolist() == [n / len(posts) for n in facts.itemset["absolute_support"]]


def test_one_in_three_posts_is_a_third_of_them() -> None:
    rows = [(f"p{n}", "", "/实质/健康", ["甲", "乙"] if n < 7 else [f"独{n}"]) for n in range(100)]
    posts = pd.DataFrame(rows, columns=["id", "title", "category_path", "tags"])

    names = mine(posts, min_support=0.07).itemset_item["element_name"].dropna()

    assert set(names) == {"甲", "乙"}


def test_a_tag_has_the_category_point_type_and_dimension_of_most_of_its_posts() -> None:
    posts = pd.DataFrame(
        [
            ("a", "", "/实质/健康/养生", ["泡脚", "科普"]),
            ("b", "", "/实质/健康/养生", ["泡脚", "粥", "艾草"]),
            ("c", "", "/意图/求知/科普", ["科普", "泡脚"]),
            ("d", "", "/意图/求知/科普", ["科普"]),
        ],
        columns=["id", "title", "category_path", "tags"],
    )

    facts = mine(posts)

    paths = facts.category.set_index("id")["full_path"]
    tags = facts.element.assign(path=facts.element["category_id"].map(paths)).drop_duplicates("element_name")
    told = tags.set_index("element_name")[["path", "point_type", "dimension"]].T.to_dict("list")
    assert told == {
        "泡脚": ["/实质/健康/养生", "关键点", "实质"],
        "科普": ["/意图/求知/科普", "关键点", "意图"],
        "粥": ["/实质/健康/养生", "灵感点", "实质"],
        "艾草": ["/实质/健康/养生", "目的点", "实质"],
    }
    assert len(facts.element) == 8


def test_builds_every_ancestor_of_a_category() -> None:
    posts = pd.DataFrame([("a", "", "/实质/健康/养生", ["泡脚"])], columns=["id", "title", "category_path", "tags"])

    tree = mine(posts, first_ids=FirstIds(category=40)).category

    assert tree[["id", "name", "path", "full_path", "level", "dimension"]].values.tolist() == [
        [40, "实质", "/实质", "/实质", 1, "实质"],
        [41, "健康", "/健康", "/实质/健康", 2, "实质"],
        [42, "养生", "/养生", "/实质/健康/养生", 3, "实质"],
    ]
    assert tree["parent_id"].astype(object).where(tree["parent_id"].notna(), None).tolist() == [None, 40, 41]


def test_the_execution_is_successful_and_dated_in_shanghai() -> None:
    facts = mine(sample_posts())

    assert facts.execution.iloc[0].to_dict() == {
        "id": 7,
        "status": "success",
        "merge_leve2": "健康",
        "platform_type": "own",
        "created_at": "2026-06-01 08:00:00",
        "updated_at": "2026-06-01 08:00:00",
    }
    assert facts.config["scope"].tolist() == ["topic"]


def test_same_posts_give_the_same_rows() -> None:
    first, second = mine(sample_posts(), min_support=0.02), mine(sample_posts(), min_support=0.02)

    assert len(first.itemset) > 50
    for table, frame in first.frames().items():
        pd.testing.assert_frame_equal(frame, second.frames()[table])


def test_posts_without_anything_in_common_make_an_execution_without_itemsets() -> None:
    posts = pd.DataFrame(
        [("a", "", "/实质/健康", ["甲"]), ("b", "", "/意图/求知", ["乙"])],
        columns=["id", "title", "category_path", "tags"],
    )

    assert mine(posts).itemset.empty


def test_several_mined_executions_live_in_one_database(tmp_path: Path) -> None:
    url = URL.create("sqlite", database=str(tmp_path / "facts.db"))

    for _ in range(2):
        free = first_free_ids(url)
        load_facts(mine(sample_posts(), execution_id=free.execution, first_ids=free), url)

    assert first_free_ids(url).execution == 3


def test_mined_executions_numbered_apart_share_no_id() -> None:
    first = mine(sample_posts())
    beyond = FirstIds(8, 10, 1000, 100_000, 100_000, 100_000)

    joined = join_fact_bases(first, mine(sample_posts(), execution_id=8, first_ids=beyond))

    assert joined.execution_ids() == (7, 8)


@pytest.mark.parametrize("changes", [{"min_support": 0}, {"min_support": 1.01}, {"max_items": 1}])
def test_refuses_thresholds_out_of_range(changes: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match=next(iter(changes))):
        mine(sample_posts(), **changes)
