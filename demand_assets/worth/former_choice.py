"""How terms are chosen by the rules proposer today: the words of one single post (D-016), measured by D-083."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence

from demand_assets.evidence.weights import WeightScores
from demand_assets.worth.spread import spread_over_branches
from demand_assets.worth.term_space import TermSpace
from resources.databases.pattern_facts.records import Item, ItemsetOutline, Posts
from resources.databases.pattern_facts.term_links import Node

NAMED_ITEM_SPECIFICITY = 1.0
CATEGORY_ITEM_SPECIFICITY = 0.5


def rank_formerly(outlines: Sequence[ItemsetOutline], weights: WeightScores) -> list[ItemsetOutline]:
    """By mean weight score × support × specificity, spread over branches."""
    ranked = sorted(outlines, key=lambda outline: (-rank_score(outline, weights), outline.id))
    return spread_over_branches(ranked, lambda outline: outline)


def rank_score(outline: ItemsetOutline, weights: WeightScores) -> float:
    """Mean weight score × support × specificity (D-016); 0 for an itemset without items."""
    if not outline.items:
        return 0.0
    scores = [weights.of_item(item.category_id, item.element_name) for item in outline.items]
    named = [bool(item.element_name and item.element_name.strip()) for item in outline.items]
    specificity = [NAMED_ITEM_SPECIFICITY if is_named else CATEGORY_ITEM_SPECIFICITY for is_named in named]
    return (outline.support or 0.0) * sum(scores) * sum(specificity) / len(outline.items) ** 2


def choose_formerly(
    space: TermSpace, ranked: Sequence[ItemsetOutline], posts: Mapping[int, Posts]
) -> Iterator[tuple[ItemsetOutline, tuple[str, ...]]]:
    """One term an item from the first post in which every item binds one; the most carried word first.

    Itemsets without such a post, and names that were given already, are passed over.
    """
    number = {post_id: place for place, post_id in enumerate(space.posts)}
    df = dict(zip(space.terms, space.df.tolist(), strict=True))
    places = space.places.tolist()
    given: set[frozenset[str]] = set()
    for outline in ranked:
        matched = posts[outline.id].post_ids if outline.id in posts and outline.items else []
        for post_id in matched:
            if post_id not in number:
                continue
            bound = [_bound(space, places, item, number[post_id]) for item in outline.items]
            if not all(bound):
                continue
            names = _names(bound, df)
            if frozenset(names) not in given:
                given.add(frozenset(names))
                yield outline, names
            break


def _bound(space: TermSpace, places: list[int], item: Item, post: int) -> list[str]:
    node = space.nodes.get(Node(item.category_id, item.point_type, item.dimension))
    if node is None:
        return []
    place = node * len(space.posts) + post
    numbers = space.term_at[bisect_left(places, place) : bisect_right(places, place)]
    return [space.terms[number] for number in numbers]


def _names(bound: Sequence[Sequence[str]], df: Mapping[str, int]) -> tuple[str, ...]:
    names: list[str] = []
    for choices in bound:
        by_posts = sorted(choices, key=lambda name: (-df[name], name))
        fresh = [name for name in by_posts if name not in names]
        names.append((fresh or by_posts)[0])
    return tuple(names)
