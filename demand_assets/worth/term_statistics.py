"""Which words of an execution are worth asking for, read before anything is proposed (D-080 … D-082, D-084)."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import NamedTuple

from sqlalchemy import Connection

from demand_assets.worth.choice import ChosenTerms, Passed, choose_terms, without_overlap
from demand_assets.worth.content_terms import is_content_term
from demand_assets.worth.spread import spread_over_branches
from demand_assets.worth.term_space import TermSpace, read_term_space
from resources.databases.pattern_facts.closure_facts import read_posts
from resources.databases.pattern_facts.listing import list_topic_itemsets
from resources.databases.pattern_facts.records import ItemsetOutline, Posts


@dataclass(frozen=True)
class WorthLimits:
    """What is asked of words.

    Args:
        min_posts: posts that must carry the terms of a demand together.
        max_overlap: share of joint posts (Jaccard) that two demands may have in common.
        seed: decides between itemsets of equal worth.
    """

    min_posts: int
    max_overlap: float
    seed: int = 0


@dataclass(frozen=True)
class TermStatistics:
    """What became of each topic itemset of an execution.

    Attributes:
        demands: the best terms of itemsets that say nothing twice, spread over the branches of the tree: the order of
            proposing.
        overlapping: the best terms of itemsets that repeat a better one.
        passed: why each of the other itemsets yields nothing.
    """

    execution_id: int
    demands: list[ChosenTerms]
    overlapping: list[ChosenTerms]
    passed: dict[int, Passed]

    @property
    def itemsets(self) -> int:
        """Topic itemsets of the execution."""
        return len(self.demands) + len(self.overlapping) + len(self.passed)

    def passed_over(self) -> dict[str, int]:
        """Itemsets that yield no demand, by reason, most frequent first."""
        reasons = Counter(map(str, self.passed.values()))
        reasons[str(Passed.OVERLAPS)] = len(self.overlapping)
        return dict((+reasons).most_common())


class Material(NamedTuple):
    """All that a choice is made of: the words of an execution, its topic itemsets, and their posts by itemset id."""

    execution_id: int
    space: TermSpace
    outlines: list[ItemsetOutline]
    posts: dict[int, Posts]


def read_material(connection: Connection, execution_id: int) -> Material:
    """The material of an execution, by four statements however many itemsets there are."""
    outlines = list_topic_itemsets(connection, execution_id)
    posts = read_posts(connection, [outline.id for outline in outlines])
    return Material(execution_id, read_term_space(connection, execution_id), outlines, posts)


def statistics_of(material: Material, limits: WorthLimits) -> TermStatistics:
    """What became of each itemset."""
    execution_id, space, outlines, posts = material
    choice = choose_terms(space, outlines, posts, is_content_term, limits.min_posts, limits.seed)
    kept = without_overlap(choice.chosen, limits.max_overlap)
    own = {chosen.outline.id for chosen in kept}
    overlapping = [chosen for chosen in choice.chosen if chosen.outline.id not in own]
    demands = spread_over_branches(kept, lambda chosen: chosen.outline)
    return TermStatistics(execution_id, demands, overlapping, choice.passed)
