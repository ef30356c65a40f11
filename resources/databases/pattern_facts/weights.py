"""Distinct posts per topic element and per category subtree (D-020), each by one statement.

The distinct pairs are made first, which a server does by hashing; it would sort all rows for ``COUNT(DISTINCT …)``.
"""

from __future__ import annotations

from sqlalchemy import ColumnElement, Connection, and_, func, select

from resources.databases.pattern_facts import tables as t


def count_posts_by_element(connection: Connection, execution_id: int) -> dict[str, int]:
    """Element name to the number of distinct posts that carry it."""
    e = t.element
    carried = select(e.c.element_name, e.c.post_id).where(_topic(execution_id)).distinct().subquery("carried")
    statement = select(carried.c.element_name, func.count()).group_by(carried.c.element_name)
    return {row[0]: row[1] for row in connection.execute(statement)}


def count_posts_by_category(connection: Connection, execution_id: int) -> dict[int, int]:
    """Category id to the number of distinct posts under it or any of its descendants (ids without a post absent).

    The tree is walked by pairs without repetition, so a cycle in ``parent_id`` ends instead of spinning.
    """
    c, e = t.category, t.element
    tree = select(c.c.id.label("ancestor"), c.c.id.label("descendant")).where(c.c.execution_id == execution_id)
    cte = tree.cte("subtree", recursive=True)
    child = c.alias("child")
    cte = cte.union(
        select(cte.c.ancestor, child.c.id).where(
            child.c.parent_id == cte.c.descendant, child.c.execution_id == execution_id
        )
    )
    carried = select(e.c.category_id, e.c.post_id).where(_topic(execution_id)).distinct().subquery("carried")
    below = (
        select(cte.c.ancestor, carried.c.post_id)
        .select_from(cte.join(carried, carried.c.category_id == cte.c.descendant))
        .distinct()
        .subquery("below")
    )
    statement = select(below.c.ancestor, func.count()).group_by(below.c.ancestor)
    return {row[0]: row[1] for row in connection.execute(statement)}


def _topic(execution_id: int) -> ColumnElement[bool]:
    e = t.element
    return and_(
        e.c.execution_id == execution_id,
        e.c.source_table == t.TOPIC_SOURCE_TABLE,
        func.trim(func.coalesce(e.c.element_name, "")) != "",
        func.trim(func.coalesce(e.c.post_id, "")) != "",
    )
