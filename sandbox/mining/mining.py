"""Mines a user's own tagged posts into the seven fact tables, so that the product runs on them.

Belongs here: how a tag becomes a topic element, and the assembly of one execution. Does not belong here:
reading files (``posts``), finding itemsets (``itemset_mining``), writing databases (``facts_load``).
"""

from __future__ import annotations

import pandas as pd

from resources.databases.pattern_facts import tables as t
from resources.foundation.clock import SHANGHAI, Clock, SystemClock
from sandbox.facts.execution_rows import execution_row, topic_config_row
from sandbox.facts.fact_base import FactBase
from sandbox.facts.first_ids import FirstIds
from sandbox.mining.category_tree import category_rows, dimension_of
from sandbox.mining.itemset_mining import itemset_rows, mine_itemsets
from sandbox.mining.posts import check_posts

POINT_TYPES = ("关键点", "灵感点", "目的点")
"""By a tag's place in a post: the first, the second, any later one."""

_SYSTEM_CLOCK = SystemClock()
_FROM_ONE = FirstIds()


def mine_posts(
    posts: pd.DataFrame,
    *,
    execution_id: int,
    merge_leve2: str,
    platform_type: str,
    min_support: float,
    max_items: int = 3,
    first_ids: FirstIds = _FROM_ONE,
    clock: Clock = _SYSTEM_CLOCK,
) -> FactBase:
    """One successful execution over ``posts``, every itemset of which closes (D-033, D-035, D-036, D-038).

    Each tag of a post is one topic element. Within the execution a tag has one category (the category path
    that most of its posts have), one point type (that of the place it mostly takes, see ``POINT_TYPES``) and
    one dimension (the root of its category); of equally frequent ones the first by code point counts.
    An itemset is 2 … ``max_items`` items that at least ``min_support`` of all posts, and at least two, share.

    Args:
        posts: as :func:`sandbox.mining.posts.read_posts` returns them.
        min_support: share of the posts in (0, 1].
        first_ids: ids from which the rows are numbered; ``first_ids.execution`` is not used.
        clock: tells ``created_at`` and ``updated_at``, written in Asia/Shanghai.

    Raises:
        PostsInvalid: the posts cannot be mined.
        UsageError: ``min_support`` or ``max_items`` is out of range.
    """
    posts = check_posts(posts)
    categories = category_rows(posts["category_path"], execution_id=execution_id, first_id=first_ids.category)
    elements = _elements(posts, categories, execution_id, first_ids.element)
    mined = mine_itemsets(elements, post_count=len(posts), min_support=min_support, max_items=max_items)
    rows = itemset_rows(
        mined,
        execution_id=execution_id,
        config_id=first_ids.config,
        post_count=len(posts),
        first_ids=first_ids,
    )
    now = clock.now().astimezone(SHANGHAI).strftime("%Y-%m-%d %H:%M:%S")
    return FactBase(
        execution=execution_row(
            execution_id, status=t.SUCCESS, merge_leve2=merge_leve2, platform_type=platform_type, at=now
        ),
        config=topic_config_row(first_ids.config, execution_id=execution_id, min_support=min_support),
        category=categories,
        element=elements,
        **rows._asdict(),
    )


def _elements(posts: pd.DataFrame, categories: pd.DataFrame, execution_id: int, first_id: int) -> pd.DataFrame:
    """Rows of ``pattern_mining_element`` in the order of posts and their tags."""
    tags = posts.explode("tags", ignore_index=True).rename(columns={"id": "post_id", "tags": "element_name"})
    place = tags.groupby("post_id", sort=False).cumcount().clip(upper=len(POINT_TYPES) - 1)
    tags["point_type"] = place.map(dict(enumerate(POINT_TYPES)))
    path = tags["element_name"].map(_most_frequent(tags, "category_path"))
    return pd.DataFrame(
        {
            "id": range(first_id, first_id + len(tags)),
            "execution_id": execution_id,
            "post_id": tags["post_id"],
            "source_table": t.TOPIC_SOURCE_TABLE,
            "point_type": tags["element_name"].map(_most_frequent(tags, "point_type")),
            "dimension": path.map(dimension_of),
            "element_name": tags["element_name"],
            "category_id": path.map(dict(zip(categories["full_path"], categories["id"], strict=True))),
        }
    )


def _most_frequent(tags: pd.DataFrame, column: str) -> dict[str, str]:
    """For each tag the value of ``column`` it has in most posts; of equals the first by code point."""
    counted = tags.groupby(["element_name", column]).size().rename("posts").reset_index()
    ranked = counted.sort_values(["element_name", "posts", column], ascending=[True, False, True])
    first = ranked.drop_duplicates("element_name")
    return dict(zip(first["element_name"], first[column], strict=True))
