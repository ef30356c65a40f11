"""The sample fact base: posts mined as honestly as a user's own, plus itemsets broken on purpose.

Belongs here: executions, their elements and categories, the assembly. Does not belong here: the posts
(``posts``), the broken itemsets (``defects``), how itemsets are found (``itemset_mining``).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import pandas as pd

from resources.databases.pattern_facts import tables as t
from sandbox.facts.execution_rows import execution_row, topic_config_row
from sandbox.facts.fact_base import FactBase, empty_frames, join_fact_bases
from sandbox.facts.first_ids import FirstIds
from sandbox.mining.category_tree import category_rows, dimension_of
from sandbox.mining.itemset_mining import itemset_rows, mine_itemsets
from sandbox.sample.defects import Defect, break_itemsets
from sandbox.sample.posts import SamplePost, draw_posts

WHOLE_TREE, HEALTH, FAILED, RUNNING, EMPTY = 101, 102, 103, 104, 105
PLATFORM = "piaoquan"


@dataclass(frozen=True)
class Sample:
    """The sample fact base and the itemsets in it that a candidate may not, or may after all, cite."""

    facts: FactBase
    defects: tuple[Defect, ...]


def sample_fact_base(seed: int = 1) -> Sample:
    """Five executions over about 300 made-up posts; the same seed gives the same rows.

    101 covers all posts (全局树) and 102 those on health (健康), both successful and with broken itemsets;
    103 failed, 104 is running, 105 succeeded without finding an itemset. Itemsets that are not among the
    defects close (D-033, D-035, D-036, D-038).
    """
    posts = draw_posts(seed)
    healthy = [post for post in posts if post.path.startswith("/实质/健康/")]
    failed = _without_itemsets(FAILED, "failed", "健康")
    running = _without_itemsets(RUNNING, "running", "健康")
    empty = _without_itemsets(EMPTY, t.SUCCESS, "民生")
    whole, whole_defects = break_itemsets(_mined(WHOLE_TREE, "全局树", posts, least=0.02), foreign=failed, each=2)
    health, health_defects = break_itemsets(_mined(HEALTH, "健康", healthy, least=0.06), foreign=failed, each=1)
    facts = join_fact_bases(whole, health, failed, running, empty)
    return Sample(facts, (*whole_defects, *health_defects))


def _first_ids(execution_id: int) -> FirstIds:
    """Each execution numbers its rows in a range of its own."""
    return FirstIds(
        execution=execution_id,
        config=execution_id * 10 + 1,
        category=execution_id * 1_000 + 1,
        element=execution_id * 100_000 + 1,
        itemset=execution_id * 10_000 + 1,
        itemset_item=execution_id * 100_000 + 1,
    )


def _mined(execution_id: int, merge_leve2: str, posts: list[SamplePost], *, least: float) -> FactBase:
    ids = _first_ids(execution_id)
    paths = {word.path for post in posts for word in post.words}
    categories = category_rows(paths, execution_id=execution_id, first_id=ids.category)
    elements = _elements(posts, categories, execution_id, ids.element)
    mined = mine_itemsets(elements, post_count=len(posts), min_support=least, max_items=3)
    rows = itemset_rows(mined, execution_id=execution_id, config_id=ids.config, post_count=len(posts), first_ids=ids)
    return FactBase(
        execution=_execution(execution_id, t.SUCCESS, merge_leve2),
        config=topic_config_row(ids.config, execution_id=execution_id, min_support=least),
        category=categories,
        element=elements,
        **rows._asdict(),
    )


def _elements(posts: Iterable[SamplePost], categories: pd.DataFrame, execution_id: int, first_id: int) -> pd.DataFrame:
    category_ids = dict(zip(categories["full_path"], categories["id"], strict=True))
    carried = [(post.id, word) for post in posts for word in post.words]
    rows = [
        {
            "id": element_id,
            "execution_id": execution_id,
            "post_id": post_id,
            "source_table": t.TOPIC_SOURCE_TABLE,
            "point_type": word.point_type,
            "dimension": dimension_of(word.path),
            "element_name": word.name,
            "category_id": category_ids[word.path],
        }
        for element_id, (post_id, word) in enumerate(carried, first_id)
    ]
    return pd.DataFrame(rows)


def _without_itemsets(execution_id: int, status: str, merge_leve2: str) -> FactBase:
    """An execution of which no itemset is there: not done, failed, or none found."""
    ids = _first_ids(execution_id)
    head = {
        "execution": _execution(execution_id, status, merge_leve2),
        "config": topic_config_row(ids.config, execution_id=execution_id, min_support=0.02),
        "category": category_rows(["/实质/健康/养生"], execution_id=execution_id, first_id=ids.category),
    }
    return FactBase(**empty_frames() | head)


def _execution(execution_id: int, status: str, merge_leve2: str) -> pd.DataFrame:
    at = f"2026-05-{execution_id - 100:02d} 08:00:00"
    return execution_row(execution_id, status=status, merge_leve2=merge_leve2, platform_type=PLATFORM, at=at)
