"""Rows of the facts as plain records; what the queries of this package return."""

from __future__ import annotations

from bisect import bisect_left
from typing import NamedTuple


class Execution(NamedTuple):
    """One row of ``pattern_mining_execution``."""

    id: int
    status: str
    merge_leve2: str | None
    platform_type: str | None
    created_at: str | None
    updated_at: str | None


class Itemset(NamedTuple):
    """An itemset with what its mining config says of itself (``None``: no such config, or it does not say).

    ``item_count`` and ``config_min_support`` are what the fact base states beside the rows that they are about.
    """

    id: int
    execution_id: int
    mining_config_id: int | None
    scope: str | None
    support: float | None
    absolute_support: int | None
    config_execution_id: int | None
    config_scope: str | None
    item_count: int | None = None
    config_min_support: float | None = None


class Item(NamedTuple):
    """An item of an itemset joined to its category (category fields ``None``: the join found nothing)."""

    itemset_id: int
    id: int
    category_id: int | None
    point_type: str | None
    dimension: str | None
    element_name: str | None
    category_execution_id: int | None
    category_name: str | None
    category_path: str | None
    category_full_path: str | None
    category_level: int | None = None
    category_dimension: str | None = None


class Posts(NamedTuple):
    """The distinct posts of an itemset, sorted by code point, and how many rows had a null or blank id."""

    post_ids: list[str]
    blank: int

    def holds(self, post_id: str) -> bool:
        """Whether the id is among the posts; a claim may name hundreds of them."""
        place = bisect_left(self.post_ids, post_id)
        return place < len(self.post_ids) and self.post_ids[place] == post_id


class Binding(NamedTuple):
    """An item bound to one element name in one post: ``element_count`` rows of ``pattern_mining_element``."""

    itemset_id: int
    itemset_item_id: int
    post_id: str
    element_name: str
    element_count: int


class ItemsetOutline(NamedTuple):
    """What a proposer may see of a topic itemset before it asks for details."""

    id: int
    support: float | None
    absolute_support: int | None
    items: tuple[Item, ...]
