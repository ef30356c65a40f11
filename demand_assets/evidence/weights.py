"""Weight scores of one execution (D-020, D-021): how often an element or a category subtree is carried by posts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from operator import itemgetter
from typing import TypeVar

from sqlalchemy import Connection

from demand_assets.evidence.pack import EvidencePack, mean_score
from resources.databases.pattern_facts.weights import count_posts_by_category, count_posts_by_element

Key = TypeVar("Key")


@dataclass(frozen=True)
class WeightScores:
    """Scores in (0, 1]: distinct posts that carry the element, or anything under the category, ÷ the largest."""

    execution_id: int
    elements: dict[str, float]
    categories: dict[int, float]

    def of_item(self, category_id: int | None, element_name: str | None) -> float:
        """Score of what an item names: its element where it names one, else its category; 0 where unknown."""
        if element_name and element_name.strip():
            return self.elements.get(element_name, 0.0)
        return self.categories.get(category_id, 0.0) if category_id is not None else 0.0

    def of_pack(self, pack: EvidencePack) -> float:
        """``demand_content.score``: mean score of what the pack binds, 4 decimals (D-021)."""
        return mean_score([self.of_item(b.category_id, b.element_name) for b in pack.category_bindings])


def read_weight_scores(connection: Connection, execution_id: int) -> WeightScores:
    """Both scores of an execution from its topic elements, by two statements."""
    return WeightScores(
        execution_id=execution_id,
        elements=_shares(count_posts_by_element(connection, execution_id)),
        categories=_shares(count_posts_by_category(connection, execution_id)),
    )


def _shares(counts: Mapping[Key, int]) -> dict[Key, float]:
    largest = max(counts.values(), default=1)
    ranked = sorted(sorted(counts.items(), key=lambda pair: str(pair[0])), key=itemgetter(1), reverse=True)
    return {key: count / largest for key, count in ranked}
