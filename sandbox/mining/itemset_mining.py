"""Frequent itemsets of topic elements, mined with FP-growth over a sparse one-hot table.

Belongs here: which sets of items are frequent and which posts match them. Does not belong here: how posts
become elements (``mining``, ``facts_sample``).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import pandas as pd
from mlxtend.frequent_patterns import fpgrowth
from scipy import sparse  # type: ignore[import-untyped]

from resources.databases.pattern_facts import tables as t
from resources.foundation.errors import UsageError
from sandbox.facts.first_ids import FirstIds

LEAST_POSTS = 2
"""What a single post does is no pattern."""

_KEY = ["category_id", "point_type", "dimension", "element_name"]
_ANY_NAME = ""


class MinedItem(NamedTuple):
    """What an itemset asks of a post: a topic element of this kind, of this name unless ``None``."""

    category_id: int
    point_type: str
    dimension: str
    element_name: str | None

    def kind(self) -> MinedItem:
        """The item without its name."""
        return self._replace(element_name=None)


class MinedItemset(NamedTuple):
    """Items in a fixed order and every post that binds all of them, sorted."""

    items: tuple[MinedItem, ...]
    post_ids: tuple[str, ...]


class ItemsetRows(NamedTuple):
    """Rows of ``pattern_itemset``, ``pattern_itemset_item`` and ``pattern_itemset_post``."""

    itemset: pd.DataFrame
    itemset_item: pd.DataFrame
    itemset_post: pd.DataFrame


def least_posts(min_support: float, post_count: int) -> int:
    """The number of posts that ``min_support`` of ``post_count`` posts means, never below two."""
    return max(LEAST_POSTS, math.ceil(min_support * post_count - 1e-9))


def mine_itemsets(elements: pd.DataFrame, *, post_count: int, min_support: float, max_items: int) -> list[MinedItemset]:
    """Every frequent set of 2 … ``max_items`` items, most supported first.

    A post holds the item of each of its elements twice: with its name and without. A set that holds both
    forms of one kind says nothing more than the named form and is left out. The posts of an itemset are all
    that bind every item, so D-036 and D-038 hold by construction.

    Args:
        elements: columns ``post_id``, ``category_id``, ``point_type``, ``dimension``, ``element_name``,
            without a null.
        post_count: the number of posts that support is a share of.

    Raises:
        UsageError: ``min_support`` is outside (0, 1] or ``max_items`` below 2.
    """
    _check_thresholds(min_support, max_items)
    least = least_posts(min_support, post_count)
    carried = _frequent_items(elements, least)
    if carried.empty:
        return []
    posts, post_names = pd.factorize(carried["post_id"], sort=True)
    codes = carried.groupby(_KEY, sort=True).ngroup().to_numpy()
    firsts = carried.assign(code=codes).drop_duplicates("code").sort_values("code")
    items = [MinedItem(int(c), str(p), str(d), str(n) or None) for c, p, d, n in firsts[_KEY].itertuples(index=False)]
    shape = (len(post_names), len(items))
    one_hot = sparse.csr_matrix((np.ones(len(posts), dtype=bool), (posts, codes)), shape=shape)
    columns = one_hot.tocsc()
    columns.sort_indices()
    holders = np.split(columns.indices, columns.indptr[1:-1])
    mined = [
        _matched(codes, items, holders, post_names)
        for codes in _frequent_codes(one_hot, least, max_items)
        if len(codes) > 1 and not _says_twice([items[code] for code in codes])
    ]
    return sorted(mined, key=_most_supported_first)


def itemset_rows(
    mined: list[MinedItemset], *, execution_id: int, config_id: int, post_count: int, first_ids: FirstIds
) -> ItemsetRows:
    """Table rows of mined itemsets, numbered from ``first_ids`` in the given order, scope ``topic``."""
    heads: list[tuple[object, ...]] = []
    items: list[tuple[object, ...]] = []
    links: list[tuple[object, ...]] = []
    for itemset_id, itemset in enumerate(mined, first_ids.itemset):
        count, size = len(itemset.post_ids), len(itemset.items)
        heads.append((itemset_id, execution_id, config_id, t.TOPIC_SCOPE, size, count / post_count, count))
        first_item = first_ids.itemset_item + len(items)
        items.extend([(item_id, itemset_id, *item) for item_id, item in enumerate(itemset.items, first_item)])
        links.extend([(itemset_id, post_id) for post_id in itemset.post_ids])
    head_columns = [
        "id",
        "execution_id",
        "mining_config_id",
        "scope",
        "item_count",
        "support",
        "absolute_support",
    ]
    return ItemsetRows(
        pd.DataFrame(heads, columns=head_columns),
        pd.DataFrame(items, columns=["id", "itemset_id", *_KEY]),
        pd.DataFrame(links, columns=["itemset_id", "post_id"]),
    )


def _check_thresholds(min_support: float, max_items: int) -> None:
    if not 0 < min_support <= 1:
        raise UsageError(f"min_support {min_support} is not above 0 and at most 1", "give a share of the posts")
    if max_items < 2:
        raise UsageError(f"max_items {max_items} is below 2", "an itemset has at least two items")


def _frequent_items(elements: pd.DataFrame, least: int) -> pd.DataFrame:
    """Distinct pairs of post and item, with and without a name, of the items that enough posts hold."""
    named = elements[["post_id", *_KEY]]
    both = pd.concat([named, named.assign(element_name=_ANY_NAME)], ignore_index=True).drop_duplicates()
    return both[both.groupby(_KEY)["post_id"].transform("size") >= least]


def _frequent_codes(one_hot: sparse.csr_matrix, least: int, max_items: int) -> list[list[int]]:
    """Sets of column numbers, each ascending, that at least ``least`` rows hold together."""
    table = pd.DataFrame.sparse.from_spmatrix(one_hot)  # type: ignore[attr-defined]
    # Half a post less keeps the count from being rounded up inside the miner.
    share = (least - 0.5) / one_hot.shape[0]
    return [sorted(found) for found in fpgrowth(table, min_support=share, max_len=max_items)["itemsets"]]


def _says_twice(items: list[MinedItem]) -> bool:
    unnamed = {item for item in items if item.element_name is None}
    return any(item.element_name is not None and item.kind() in unnamed for item in items)


def _matched(codes: list[int], items: list[MinedItem], holders: list[np.ndarray], post_names: pd.Index) -> MinedItemset:
    matched = holders[codes[0]]
    for code in codes[1:]:
        matched = np.intersect1d(matched, holders[code], assume_unique=True)
    return MinedItemset(tuple(items[code] for code in codes), tuple(str(p) for p in post_names[matched]))


def _most_supported_first(itemset: MinedItemset) -> tuple[object, ...]:
    keys = [(*item.kind()[:3], item.element_name or "") for item in itemset.items]
    return (-len(itemset.post_ids), len(itemset.items), keys)
