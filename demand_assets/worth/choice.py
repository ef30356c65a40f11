"""The terms of each itemset that say most together (D-080, D-081).

Of the combinations that enough posts carry, one term an item, an itemset takes the one with the largest
``joint × log2(lift)``; the terms may neither equal nor contain one another, and the lift must be above 1.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations, pairwise

import numpy as np

from demand_assets.evidence.terms import normal_form
from demand_assets.worth.combinations import Combinations, count_combinations
from demand_assets.worth.measures import lift_of, worth_of
from demand_assets.worth.term_space import TermSpace
from resources.databases.pattern_facts.records import ItemsetOutline, Posts


class Passed(StrEnum):
    """Why an itemset yields nothing."""

    NO_COMBINATION = "no_combination_reaches_the_floor"
    SAME_WORD = "terms_contain_one_another"
    NOT_LIFTED = "terms_meet_no_more_often_than_by_chance"
    OVERLAPS = "overlaps_a_better_demand"


@dataclass(frozen=True)
class ChosenTerms:
    """The words of one itemset, one an item in the order of its items, and the posts that carry them together.

    ``joint_posts`` is sorted; ``lift`` and ``worth`` as in D-080.
    """

    outline: ItemsetOutline
    terms: tuple[str, ...]
    joint_posts: tuple[str, ...]
    lift: float
    worth: float


@dataclass(frozen=True)
class Choice:
    """What the itemsets of an execution came to: the chosen, best first, and why each of the others yields nothing."""

    chosen: list[ChosenTerms]
    passed: dict[int, Passed]


def choose_terms(
    space: TermSpace,
    outlines: Sequence[ItemsetOutline],
    posts: Mapping[int, Posts],
    is_content: Callable[[str], bool],
    floor: int,
    seed: int = 0,
) -> Choice:
    """The best combination of every itemset that has one.

    Args:
        space: all terms of the execution.
        is_content: whether a term may be chosen at all.
        floor: posts that must carry the terms together, at least 1.
        seed: decides between itemsets of equal worth.
    """
    usable = space.keeping(is_content, floor)
    chosen: list[ChosenTerms] = []
    passed = {outline.id: Passed.NO_COMBINATION for outline in outlines}
    for found in count_combinations(usable, outlines, posts, floor):
        for first, last in _by_itemset(found):
            outline = outlines[found.itemset[first]]
            best = _best(space, outline, found, range(first, last))
            if isinstance(best, Passed):
                passed[outline.id] = best
            else:
                del passed[outline.id]
                chosen.append(best)
    chosen.sort(key=lambda choice: (-choice.worth, _tie_break(choice.outline.id, seed)))
    return Choice(chosen, passed)


def _tie_break(itemset_id: int, seed: int) -> str:
    return hashlib.sha256(f"{seed}:{itemset_id}".encode()).hexdigest()


def without_overlap(chosen: Sequence[ChosenTerms], max_overlap: float) -> list[ChosenTerms]:
    """What no better demand says already (D-082), in the same order.

    Of two, the later falls where they share more than ``max_overlap`` of their joint posts (Jaccard) or one's terms
    are among the other's.
    """
    kept: list[ChosenTerms] = []
    by_post: dict[str, list[int]] = {}
    by_term: dict[str, set[int]] = {}
    for choice in chosen:
        terms = {normal_form(term) for term in choice.terms}
        shared = Counter(place for post in choice.joint_posts for place in by_post.get(post, ()))
        near = {place for term in terms for place in by_term.get(term, ())}
        if any(_overlap(choice, kept[place], joint) > max_overlap for place, joint in shared.items()) or any(
            terms <= (other := {normal_form(term) for term in kept[place].terms}) or other <= terms for place in near
        ):
            continue
        for post in choice.joint_posts:
            by_post.setdefault(post, []).append(len(kept))
        for term in terms:
            by_term.setdefault(term, set()).add(len(kept))
        kept.append(choice)
    return kept


def _overlap(one: ChosenTerms, other: ChosenTerms, shared: int) -> float:
    return shared / (len(one.joint_posts) + len(other.joint_posts) - shared)


def _by_itemset(found: Combinations) -> list[tuple[int, int]]:
    """First and one past the last combination of each itemset."""
    edges = np.flatnonzero(np.diff(found.itemset)) + 1
    bounds = [0, *edges.tolist(), len(found.itemset)]
    return list(pairwise(bounds))


def _best(space: TermSpace, outline: ItemsetOutline, found: Combinations, places: range) -> ChosenTerms | Passed:
    ranked = sorted(
        (_measured(space, found, place) for place in places), key=lambda measured: (-measured[1], measured[2])
    )
    for lift, worth, terms, place in ranked:
        if lift <= 1:
            return Passed.NOT_LIFTED
        if not say_the_same(terms):
            joint = found.posts[found.starts[place] : found.starts[place + 1]]
            return ChosenTerms(outline, terms, tuple(space.posts[post] for post in joint), lift, worth)
    return Passed.SAME_WORD


def _measured(space: TermSpace, found: Combinations, place: int) -> tuple[float, float, tuple[str, ...], int]:
    numbers = found.terms[place].tolist()
    joint = int(found.starts[place + 1] - found.starts[place])
    lift = lift_of(joint, [int(space.df[number]) for number in numbers], space.post_total)
    return lift, worth_of(joint, lift), tuple(space.terms[number] for number in numbers), place


def say_the_same(terms: Sequence[str]) -> bool:
    """Whether one of the terms equals or contains another in normal form (D-081)."""
    return any(one in other or other in one for one, other in combinations(map(normal_form, terms), 2))
