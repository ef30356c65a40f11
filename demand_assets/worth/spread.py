"""Spreading demands over the branches of the category tree (D-016, D-082)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import TypeVar

from resources.databases.pattern_facts.records import ItemsetOutline

T = TypeVar("T")


def spread_over_branches(ranked: Sequence[T], outline_of: Callable[[T], ItemsetOutline]) -> list[T]:
    """Best first as given, but each branch's n-th entry comes before any branch's (n+1)-th."""
    place_in_branch: dict[str, int] = defaultdict(int)
    placed = []
    for place, entry in enumerate(ranked):
        branch = _branch(outline_of(entry))
        placed.append((place_in_branch[branch], place, entry))
        place_in_branch[branch] += 1
    return [entry for _, _, entry in sorted(placed, key=lambda placed_entry: placed_entry[:2])]


def _branch(outline: ItemsetOutline) -> str:
    """The first two levels of the first item's full path."""
    path = (outline.items[0].category_full_path or "") if outline.items else ""
    return "/".join(path.split("/")[:3])
