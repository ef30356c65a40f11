"""A handful of posts with their words, as the term space reads them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from demand_assets.worth.term_space import TermSpace, term_space
from resources.databases.pattern_facts.records import Item, ItemsetOutline, Posts
from resources.databases.pattern_facts.term_links import Carried, Node

Element = tuple[int, str, str]


def node(category_id: int) -> Node:
    """The node of a category; type and dimension are the same for all here."""
    return Node(category_id, "关键点", "实质")


def space_of(elements: Iterable[Element]) -> TermSpace:
    """A space of ``(category id, post id, term)``."""
    by_node: dict[Node, tuple[list[str], list[str]]] = {}
    for category_id, post_id, term in elements:
        posts, names = by_node.setdefault(node(category_id), ([], []))
        posts.append(post_id)
        names.append(term)
    return term_space([Carried(of, posts, names) for of, (posts, names) in by_node.items()])


def outline(
    itemset_id: int, *categories: int, named: Mapping[int, str] | None = None, support: int = 9
) -> ItemsetOutline:
    """A topic itemset with one item a category; ``named`` gives the element name that an item asks for."""
    items = [
        Item(
            itemset_id,
            itemset_id * 10 + place,
            category_id,
            "关键点",
            "实质",
            (named or {}).get(category_id),
            1,
            f"类{category_id}",
            f"/枝{category_id}/类{category_id}",
            f"/根/枝{category_id}/类{category_id}",
        )
        for place, category_id in enumerate(categories)
    ]
    return ItemsetOutline(itemset_id, support / 100, support, tuple(items))


def posts_of(**matched: Iterable[str]) -> dict[int, Posts]:
    """``i7=["p1"]``: the posts of itemset 7."""
    return {int(name[1:]): Posts(sorted(set(posts)), 0) for name, posts in matched.items()}
