"""The honest test of a choice (D-083): terms are chosen on one half of the posts and measured on the other."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from statistics import median

import numpy as np
from scipy.stats import binomtest  # type: ignore[import-untyped]

from demand_assets.evidence.weights import WeightScores
from demand_assets.worth.choice import choose_terms, without_overlap
from demand_assets.worth.former_choice import choose_formerly, rank_formerly
from demand_assets.worth.measures import lift_of
from demand_assets.worth.term_space import Integers, TermSpace
from resources.databases.pattern_facts.records import ItemsetOutline, Posts
from resources.databases.pattern_facts.term_links import Node

HELD_SHARE = 1 / 3
CONFIDENCE = 0.95
Named = tuple[ItemsetOutline, tuple[str, ...]]


@dataclass(frozen=True)
class SplitResult:
    """How one way of choosing fared on the posts it had not seen.

    Attributes:
        demands: what it chose on the first half.
        held: those whose lift on the other half is above 1 and whose joint posts there are at least a third.
        seen, unseen: median of the joint posts on either half.
    """

    demands: int
    held: int
    seen: float
    unseen: float

    @property
    def share(self) -> float:
        """Share that held; 0 where nothing was chosen."""
        return self.held / self.demands if self.demands else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson interval of the share at 95 %."""
        if not self.demands:
            return 0.0, 1.0
        bounds = binomtest(self.held, self.demands).proportion_ci(CONFIDENCE, method="wilson")
        return round(float(bounds.low), 4), round(float(bounds.high), 4)


@dataclass(frozen=True)
class SplitTest:
    """Two halves of the posts of an execution, and what is asked of either way of choosing.

    Args:
        seed: splits the posts, by a hash of their ids.
        count: demands that each way may choose.
        floor: joint posts wanted of the whole; half of it is asked of a half.
    """

    space: TermSpace
    outlines: Sequence[ItemsetOutline]
    posts: Mapping[int, Posts]
    seed: int
    count: int
    floor: int
    max_overlap: float

    def halves(self) -> tuple[TermSpace, TermSpace]:
        """The half that is chosen on and the half that is measured on."""
        first = np.array([_is_first(post_id, self.seed) for post_id in self.space.posts], dtype=bool)
        return self.space.of_posts(first), self.space.of_posts(~first)

    def measure(self, is_content: Callable[[str], bool]) -> SplitResult:
        """The choice of D-080 and D-082."""
        seen, unseen = self.halves()
        choice = choose_terms(seen, self.outlines, self.posts, is_content, math.ceil(self.floor / 2))
        kept = without_overlap(choice.chosen, self.max_overlap)
        return self._measured(((entry.outline, entry.terms) for entry in kept), seen, unseen)

    def measure_former(self, weights: WeightScores) -> SplitResult:
        """The choice that was left behind."""
        seen, unseen = self.halves()
        chosen = choose_formerly(seen, rank_formerly(self.outlines, weights), self.posts)
        return self._measured(chosen, seen, unseen)

    def _measured(self, chosen: Iterable[Named], seen: TermSpace, unseen: TermSpace) -> SplitResult:
        demands = list(islice(chosen, self.count))
        before = [self._joint(seen, outline, terms) for outline, terms in demands]
        after = [self._joint(unseen, outline, terms) for outline, terms in demands]
        held = sum(
            _lift(unseen, terms, there) > 1 and there >= here * HELD_SHARE
            for (_, terms), here, there in zip(demands, before, after, strict=True)
        )
        return SplitResult(len(demands), held, _median(before), _median(after))

    def _joint(self, space: TermSpace, outline: ItemsetOutline, terms: Sequence[str]) -> int:
        carried = [
            _carriers(space, Node(item.category_id, item.point_type, item.dimension), term)
            for item, term in zip(outline.items, terms, strict=True)
        ]
        joint = set(carried[0].tolist()).intersection(*(posts.tolist() for posts in carried[1:]))
        return len({space.posts[post] for post in joint}.intersection(self.posts[outline.id].post_ids))


def _carriers(space: TermSpace, node: Node, term: str) -> Integers:
    """Posts that carry a term under a node."""
    width = len(space.posts)
    first = space.nodes[node] * width
    begin, end = np.searchsorted(space.places, [first, first + width])
    inside = space.places[begin:end]
    carried: Integers = inside[space.term_at[begin:end] == space.number_of(term)] - first
    return carried


def _lift(space: TermSpace, terms: Sequence[str], joint: int) -> float:
    return lift_of(joint, [int(space.df[space.number_of(term)]) for term in terms], space.post_total)


def _is_first(post_id: str, seed: int) -> bool:
    return hashlib.sha256(f"{seed}:{post_id}".encode()).digest()[0] % 2 == 0


def _median(numbers: Sequence[int]) -> float:
    return float(median(numbers)) if numbers else 0.0
