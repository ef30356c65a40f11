"""What facts state of one another and must keep to (D-033, D-035): floor and support, level and path, dimension.

Each holds in every fact base that was looked at. A value that is not there states nothing and contradicts nothing.
"""

from __future__ import annotations

from resources.databases.pattern_facts.records import Item, Itemset

ROUNDING = 1e-6
"""Fact bases round a share to six or eight decimals."""


def is_frequent(itemset: Itemset) -> bool:
    """Whether the itemset has the support that its mining config asks for.

    An itemset that counts no posts is no question of the config: D-036 names it.
    """
    least, support = itemset.config_min_support, itemset.support
    if least is None or support is None or not itemset.absolute_support or itemset.absolute_support < 0:
        return True
    return support + ROUNDING >= least


def contradicts_tree(item: Item) -> str | None:
    """How the item's category disagrees with its place in the tree, or with the item; ``None`` where it does not."""
    level, depth = item.category_level, depth_of(item.category_full_path)
    if level is not None and depth and level != depth:
        return f"whose level is {level}, while its full path is {depth} deep"
    dimension = item.category_dimension
    if dimension is not None and item.dimension is not None and dimension != item.dimension:
        return f"whose dimension is {dimension!r}, not {item.dimension!r}"
    return None


def depth_of(full_path: str | None) -> int:
    """How many nodes a path from the root names; 0 where it is blank."""
    return sum(1 for segment in (full_path or "").split("/") if segment.strip())
