"""The facts a closure decision needs, each read by one statement for any number of candidates (section 4)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from itertools import islice
from operator import eq
from typing import Any

from sqlalchemy import ColumnElement, Connection, FromClause, Select, and_, func, or_, select, true

from resources.databases.pattern_facts import tables as t
from resources.databases.pattern_facts.keyset import keyset
from resources.databases.pattern_facts.records import Binding, Execution, Item, Itemset, Posts

_SEPARATOR = "\x1f"


def read_execution(connection: Connection, execution_id: int) -> Execution | None:
    """The execution row, or ``None`` where there is none (D-004, D-030)."""
    columns = [t.execution.c[name] for name in Execution._fields]
    row = connection.execute(select(*columns).where(t.execution.c.id == execution_id)).first()
    if row is None:
        return None
    texts = [None if value is None else str(value) for value in row[1:]]
    return Execution(row[0], texts[0] or "", *texts[1:])


def read_itemsets(connection: Connection, itemset_ids: Iterable[int]) -> dict[int, Itemset]:
    """Itemsets of any execution and scope by id, with their config (D-031 … D-033)."""
    keys = keyset(connection, {"itemset_id": "id"}, [(i,) for i in sorted(set(itemset_ids))])
    s, c = t.itemset, t.config
    statement = select(
        s.c.id,
        s.c.execution_id,
        s.c.mining_config_id,
        s.c.scope,
        s.c.support,
        s.c.absolute_support,
        c.c.execution_id,
        c.c.scope,
        s.c.item_count,
        c.c.min_support,
    ).select_from(keys.join(s, s.c.id == keys.c.itemset_id).outerjoin(c, c.c.id == s.c.mining_config_id))
    return {row[0]: _itemset(*row) for row in connection.execute(statement).all()}


def _itemset(*columns: Any) -> Itemset:
    """A fact base may count in NUMERIC, which arrives as ``Decimal``."""
    itemset = Itemset(*columns)
    return itemset._replace(
        support=_share(itemset.support),
        absolute_support=_whole(itemset.absolute_support),
        item_count=_whole(itemset.item_count),
        config_min_support=_share(itemset.config_min_support),
    )


def _share(value: Any) -> float | None:
    return None if value is None else float(value)


def _whole(value: Any) -> int | None:
    if value is None or isinstance(value, int):
        return value
    return int(value) if math.isfinite(value) and value == int(value) else None


def read_items(connection: Connection, itemset_ids: Iterable[int]) -> dict[int, list[Item]]:
    """Items with their categories by itemset, in the order of item ids (D-035)."""
    keys = keyset(connection, {"itemset_id": "id"}, [(i,) for i in sorted(set(itemset_ids))])
    i = t.itemset_item
    statement = item_columns(keys.join(i, i.c.itemset_id == keys.c.itemset_id)).order_by(i.c.id)
    return group_items(connection, statement)


def item_columns(source: FromClause) -> Select[Any]:
    """``SELECT`` of :class:`Item` from anything that holds ``pattern_itemset_item``."""
    i, c = t.itemset_item, t.category
    return select(
        i.c.itemset_id,
        i.c.id,
        i.c.category_id,
        i.c.point_type,
        i.c.dimension,
        i.c.element_name,
        c.c.execution_id,
        c.c.name,
        c.c.path,
        c.c.full_path,
        c.c.level,
        c.c.dimension,
    ).select_from(source.outerjoin(c, c.c.id == i.c.category_id))


def group_items(connection: Connection, statement: Select[Any]) -> dict[int, list[Item]]:
    """Run an :func:`item_columns` statement and group its rows by itemset."""
    grouped: dict[int, list[Item]] = {}
    for row in connection.execute(statement).all():
        item = Item(*row)
        grouped.setdefault(item.itemset_id, []).append(item)
    return grouped


def read_posts(connection: Connection, itemset_ids: Iterable[int]) -> dict[int, Posts]:
    """Distinct non-blank posts by itemset and the number of null, blank or unreadable links (D-036)."""
    keys = keyset(connection, {"itemset_id": "id"}, [(i,) for i in sorted(set(itemset_ids))])
    if connection.dialect.name == "postgresql":
        return _read_joined_posts(connection, keys)
    p = t.itemset_post
    joined = keys.join(p, p.c.itemset_id == keys.c.itemset_id)
    links: dict[int, list[str]] = {}
    nulls: Counter[int] = Counter()
    for itemset_id, post_id in connection.execute(select(p.c.itemset_id, p.c.post_id).select_from(joined)).all():
        if post_id is None:
            nulls[itemset_id] += 1
        else:
            links.setdefault(itemset_id, []).append(post_id)
    return {itemset_id: _distinct(links.get(itemset_id, []), nulls[itemset_id]) for itemset_id in {*links, *nulls}}


def _read_joined_posts(connection: Connection, keys: FromClause) -> dict[int, Posts]:
    """A hundred posts as one text cost the server and the wire a third of a hundred rows."""
    p = t.itemset_post.c
    joined = (
        select(
            func.count().label("links"),
            func.count(p.post_id).label("present"),
            func.coalesce(func.string_agg(p.post_id, _SEPARATOR), "").label("post_ids"),
        )
        .where(p.itemset_id == keys.c.itemset_id)
        .lateral("links")
    )
    statement = select(keys.c.itemset_id, joined).select_from(keys.join(joined, true()))
    posts = {}
    for itemset_id, links, present, post_ids in connection.execute(statement).all():
        pieces = post_ids.split(_SEPARATOR) if present else []
        # More pieces than links: an id holds the separator, so that none of them can be trusted.
        unreadable = links if len(pieces) != present else links - present
        posts[itemset_id] = _distinct(pieces, unreadable)
    return posts


def _distinct(post_ids: list[str], unreadable: int) -> Posts:
    if "" in post_ids or any(map(str.isspace, post_ids)):
        present = [post_id for post_id in post_ids if post_id.strip()]
        unreadable += len(post_ids) - len(present)
        post_ids = present
    post_ids.sort()
    repeated = any(map(eq, post_ids, islice(post_ids, 1, None)))
    return Posts(list(dict.fromkeys(post_ids)) if repeated else post_ids, unreadable)


def read_bindings(
    connection: Connection, execution_id: int, itemset_posts: Iterable[tuple[int, str]]
) -> dict[tuple[int, str], list[Binding]]:
    """Topic elements of the execution that an itemset's items bind in a given post (D-038).

    Args:
        itemset_posts: pairs ``(itemset id, post id)``; the answer is keyed by them.
    """
    pairs = sorted(set(itemset_posts))
    keys = keyset(connection, {"itemset_id": "id", "post_id": "text"}, pairs)
    i, e = t.itemset_item, t.element
    statement = (
        select(i.c.itemset_id, i.c.id, e.c.post_id, e.c.element_name, func.count())
        .select_from(
            keys.join(i, i.c.itemset_id == keys.c.itemset_id).join(
                e, and_(e.c.post_id == keys.c.post_id, binds(execution_id))
            )
        )
        .group_by(i.c.itemset_id, i.c.id, e.c.post_id, e.c.element_name)
        .order_by(i.c.id, e.c.element_name)
    )
    grouped: dict[tuple[int, str], list[Binding]] = {}
    for row in connection.execute(statement).all():
        binding = Binding(*row)
        grouped.setdefault((binding.itemset_id, binding.post_id), []).append(binding)
    return grouped


def binds(execution_id: int) -> ColumnElement[bool]:
    """Join condition of item and element: same execution, topic table, category, type, dimension and name."""
    i, e = t.itemset_item, t.element
    # MySQL pads what it compares: without the lengths "猫 " would bind "猫".
    same_length = func.length(e.c.element_name) == func.length(i.c.element_name)
    unnamed = or_(i.c.element_name.is_(None), func.trim(i.c.element_name) == "")
    return and_(
        e.c.execution_id == execution_id,
        e.c.source_table == t.TOPIC_SOURCE_TABLE,
        e.c.category_id == i.c.category_id,
        e.c.point_type == i.c.point_type,
        e.c.dimension == i.c.dimension,
        func.trim(func.coalesce(e.c.element_name, "")) != "",
        or_(unnamed, and_(e.c.element_name == i.c.element_name, same_length)),
    )
