"""As many small executions as a test or a bench wants: real mining over made-up posts, ids of their own each."""

from __future__ import annotations

from collections.abc import Iterable

from sandbox.facts.fact_base import FactBase, join_fact_bases
from sandbox.facts.first_ids import FirstIds
from sandbox.mining.mining import mine_posts
from tests.sample_posts import sample_posts

POSTS = 60
LEAST_SUPPORT = 0.08


def small_execution(execution_id: int) -> FactBase:
    """One successful execution over sixty posts of its own; every itemset of it closes."""
    first = execution_id * 10_000
    return mine_posts(
        sample_posts(seed=execution_id)[:POSTS],
        execution_id=execution_id,
        merge_leve2="全局树",
        platform_type="piaoquan",
        min_support=LEAST_SUPPORT,
        first_ids=FirstIds(
            execution=execution_id,
            config=execution_id,
            category=first + 1,
            element=first + 1,
            itemset=first + 1,
            itemset_item=first + 1,
        ),
    )


def small_executions(execution_ids: Iterable[int]) -> FactBase:
    """Several of them as one fact base."""
    return join_fact_bases(*(small_execution(execution_id) for execution_id in execution_ids))
