"""D-080, D-084: what is counted over all itemsets at once is what counting one by one gives."""

from __future__ import annotations

from collections import Counter
from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from demand_assets.worth.combinations import count_combinations
from demand_assets.worth.term_space import TermSpace
from resources.databases.pattern_facts.records import ItemsetOutline, Posts
from tests.demand_assets.worth.small_space import node, outline, posts_of, space_of

Found = dict[tuple[int, tuple[str, ...]], tuple[str, ...]]


def _found(space: TermSpace, outlines: list[ItemsetOutline], posts: dict[int, Posts], floor: int) -> Found:
    found: Found = {}
    for group in count_combinations(space, outlines, posts, floor):
        for place, (itemset, terms) in enumerate(zip(group.itemset, group.terms, strict=True)):
            joint = group.posts[group.starts[place] : group.starts[place + 1]]
            key = (outlines[itemset].id, tuple(space.terms[term] for term in terms))
            assert key not in found
            found[key] = tuple(space.posts[post] for post in joint)
    return found


def _one_by_one(elements: list, outlines: list[ItemsetOutline], posts: dict[int, Posts], floor: int) -> Found:
    carried: dict[tuple[object, str], set[str]] = {}
    for category_id, post_id, term in elements:
        carried.setdefault((node(category_id), post_id), set()).add(term)
    found: dict[tuple[int, tuple[str, ...]], list[str]] = {}
    for of in outlines:
        for post_id in posts[of.id].post_ids if of.id in posts else ():
            choices = []
            for item in of.items:
                words = carried.get((node(item.category_id or 0), post_id), set())
                choices.append([word for word in sorted(words) if item.element_name in (None, word)])
            for terms in product(*choices):
                found.setdefault((of.id, terms), []).append(post_id)
    return {key: tuple(joint) for key, joint in found.items() if len(joint) >= floor and key[1]}


_POSTS = st.sampled_from(["p1", "p2", "p3", "p4", "p5"])
_ELEMENTS = st.lists(st.tuples(st.integers(1, 3), _POSTS, st.sampled_from("甲乙丙丁")), max_size=40)
_ITEMSETS = st.lists(
    st.tuples(st.lists(st.integers(1, 4), max_size=3), st.sampled_from([None, "甲", "无"]), st.sets(_POSTS)), max_size=5
)


@given(elements=_ELEMENTS, itemsets=_ITEMSETS, floor=st.integers(1, 3))
def test_d080_all_itemsets_at_once_count_as_one_by_one(elements: list, itemsets: list, floor: int) -> None:
    outlines, posts = [], {}
    for place, (categories, name, matched) in enumerate(itemsets, start=1):
        named = {categories[0]: name} if name and categories else None
        outlines.append(outline(place, *categories, named=named))
        posts |= posts_of(**{f"i{place}": matched})
    assert _found(space_of(elements), outlines, posts, floor) == _one_by_one(elements, outlines, posts, floor)


def test_d080_posts_without_an_element_and_itemsets_without_a_post_count_nothing() -> None:
    space = space_of([(1, "p1", "甲")])
    assert _found(space, [outline(1, 1), outline(2, 1)], posts_of(i1=["p1", "elsewhere"]), 1) == {(1, ("甲",)): ("p1",)}


@given(elements=_ELEMENTS)
def test_d075_df_counts_distinct_posts_of_the_execution(elements: list) -> None:
    space = space_of(elements)
    expected = Counter(term for _, term in {(post_id, term) for _, post_id, term in elements})
    assert dict(zip(space.terms, space.df.tolist(), strict=True)) == expected
    assert space.post_total == len({post_id for _, post_id, _ in elements})
