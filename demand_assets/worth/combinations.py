"""How many posts of each itemset carry which terms together: one term an item, all itemsets at once.

Rows are ``(itemset, post)`` pairs, joined item by item to the terms that the post carries for that item. After each
join what stands in fewer than ``floor`` posts goes: no longer combination can stand in more.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from demand_assets.worth.term_space import Integers, TermSpace
from resources.databases.pattern_facts.records import Item, ItemsetOutline, Posts
from resources.databases.pattern_facts.term_links import Node

_NOWHERE = -1


@dataclass(frozen=True)
class Combinations:
    """Combinations of one term an item, for itemsets of the same number of items.

    Attributes:
        itemset: place of each combination's itemset among the outlines, ascending, shape ``(n,)``.
        terms: term numbers in the order of the items, shape ``(n, items)``.
        posts: numbers of the posts that carry all of them, grouped by combination.
        starts: where each combination's posts begin; one more entry than combinations.
    """

    itemset: Integers
    terms: Integers
    posts: Integers
    starts: Integers

    @property
    def joint(self) -> Integers:
        """Posts that carry each combination, shape ``(n,)``."""
        return np.diff(self.starts)


def count_combinations(
    space: TermSpace, outlines: Sequence[ItemsetOutline], posts: Mapping[int, Posts], floor: int
) -> Iterator[Combinations]:
    """Every combination that at least ``floor`` posts of its itemset carry, by number of items.

    Args:
        space: the terms that may be chosen.
        posts: matched posts by itemset id; an itemset without any is passed over.
        floor: at least 1.
    """
    itemset, post = _pairs(space, outlines, posts)
    items = np.array([len(outline.items) for outline in outlines], dtype=np.int64)
    terms = np.zeros((len(outlines), 0), dtype=np.int64)
    owner = np.arange(len(outlines))
    combination = itemset
    for place in range(int(items.max(initial=0))):
        wanting = items[itemset] > place
        itemset, post, combination = itemset[wanting], post[wanting], combination[wanting]
        row, term = _carried(space, outlines, place, itemset, post)
        itemset, post, combination = itemset[row], post[row], combination[row]
        combination, kept, parents, added = _frequent(combination, term, len(space.terms), floor)
        itemset, post = itemset[kept], post[kept]
        terms = np.column_stack([terms[parents], added])
        owner = owner[parents]
        yield from _finished(items[owner] == place + 1, owner, terms, combination, post)


def _pairs(
    space: TermSpace, outlines: Sequence[ItemsetOutline], posts: Mapping[int, Posts]
) -> tuple[Integers, Integers]:
    number = {post_id: place for place, post_id in enumerate(space.posts)}
    matched = [posts[outline.id].post_ids if outline.id in posts else [] for outline in outlines]
    post = np.fromiter(
        (number.get(post_id, _NOWHERE) for of_itemset in matched for post_id in of_itemset),
        np.int64,
        sum(map(len, matched)),
    )
    itemset = np.repeat(np.arange(len(outlines)), [len(of_itemset) for of_itemset in matched])
    known = post != _NOWHERE
    return itemset[known], post[known]


def _carried(
    space: TermSpace, outlines: Sequence[ItemsetOutline], place: int, itemset: Integers, post: Integers
) -> tuple[Integers, Integers]:
    """For the item at ``place``: numbers of the rows, repeated, and the terms that their post carries for it."""
    items = [outline.items[place] if len(outline.items) > place else None for outline in outlines]
    node = np.array([_node(space, item) for item in items], dtype=np.int64)[itemset]
    asked = node * len(space.posts) + post
    first = np.searchsorted(space.places, asked, "left")
    counts = np.where(node == _NOWHERE, 0, np.searchsorted(space.places, asked, "right") - first)
    row = np.repeat(np.arange(len(asked)), counts)
    within = np.arange(len(row)) - np.repeat(np.cumsum(counts) - counts, counts)
    term = space.term_at[first[row] + within]
    named = np.array([_named(space, item) for item in items], dtype=np.int64)[itemset[row]]
    right = (named == _NOWHERE) | (named == term)
    return row[right], term[right]


def _node(space: TermSpace, item: Item | None) -> int:
    if item is None:
        return _NOWHERE
    return space.nodes.get(Node(item.category_id, item.point_type, item.dimension), _NOWHERE)


def _named(space: TermSpace, item: Item | None) -> int:
    """The only term an item that names its element takes; one that no post carries is a number beyond all terms."""
    if item is None or not (item.element_name or "").strip():
        return _NOWHERE
    return space.number_of(str(item.element_name))


def _frequent(
    combination: Integers, term: Integers, width: int, floor: int
) -> tuple[Integers, np.ndarray, Integers, Integers]:
    """Extend combinations by a term and keep those with ``floor`` rows.

    Returns:
        The new number of each kept row, which rows are kept, and parent and added term of each new combination.
    """
    longer, of_row, counts = np.unique(combination * max(width, 1) + term, return_inverse=True, return_counts=True)
    frequent = counts >= floor
    number = np.cumsum(frequent) - 1
    kept = frequent[of_row]
    return number[of_row[kept]], kept, longer[frequent] // max(width, 1), longer[frequent] % max(width, 1)


def _finished(
    done: np.ndarray, owner: Integers, terms: Integers, combination: Integers, post: Integers
) -> Iterator[Combinations]:
    if not done.any():
        return
    rows = np.flatnonzero(done[combination])
    order = rows[np.lexsort((post[rows], combination[rows]))]
    counts = np.bincount(combination[order], minlength=len(done))[done]
    starts = np.concatenate([[0], np.cumsum(counts)])
    yield Combinations(owner[done], terms[done], post[order], starts)
