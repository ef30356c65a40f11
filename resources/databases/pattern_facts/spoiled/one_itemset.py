"""The plain way to read what one candidate claims: a few SELECTs for one itemset and one post.

Slow by design and independent of ``closure_facts``: the scorecard's oracle and the benchmark's baseline use it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from sqlalchemy import Connection, and_, select

from resources.databases.pattern_facts import tables as t


class OneItemset(NamedTuple):
    """Rows as they stand; categories by id, elements of the source post."""

    execution_status: str | None
    itemset: dict[str, Any] | None
    config: dict[str, Any] | None
    items: list[dict[str, Any]]
    categories: dict[int, dict[str, Any]]
    post_links: list[str | None]
    elements: list[dict[str, Any]]


def read_one_itemset(connection: Connection, execution_id: int, itemset_id: int, post_id: str | None) -> OneItemset:
    """Seven SELECTs by key."""
    itemset = _first(connection, select(t.itemset).where(t.itemset.c.id == itemset_id))
    config_id = itemset["mining_config_id"] if itemset else None
    items = _all(connection, select(t.itemset_item).where(t.itemset_item.c.itemset_id == itemset_id))
    category_ids = [item["category_id"] for item in items if item["category_id"] is not None]
    categories = _all(connection, select(t.category).where(t.category.c.id.in_(category_ids)))
    of_post = and_(t.element.c.execution_id == execution_id, t.element.c.post_id == post_id)
    links = connection.execute(select(t.itemset_post.c.post_id).where(t.itemset_post.c.itemset_id == itemset_id))
    return OneItemset(
        connection.execute(select(t.execution.c.status).where(t.execution.c.id == execution_id)).scalar(),
        itemset,
        _first(connection, select(t.config).where(t.config.c.id == config_id)),
        items,
        {category["id"]: category for category in categories},
        list(links.scalars()),
        _all(connection, select(t.element).where(of_post)),
    )


def _first(connection: Connection, statement: Any) -> dict[str, Any] | None:
    row = connection.execute(statement).mappings().first()
    return dict(row) if row is not None else None


def _all(connection: Connection, statement: Any) -> list[dict[str, Any]]:
    return [dict(row) for row in connection.execute(statement).mappings()]
