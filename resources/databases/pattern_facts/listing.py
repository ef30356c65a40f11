"""What is offered to choose from: executions for sensors and people, topic itemsets for proposers."""

from __future__ import annotations

from collections.abc import Iterable

from sqlalchemy import Connection, and_, case, func, select

from resources.databases.pattern_facts import tables as t
from resources.databases.pattern_facts.closure_facts import binds, group_items, item_columns
from resources.databases.pattern_facts.keyset import keyset
from resources.databases.pattern_facts.records import ItemsetOutline


def list_successful_executions(connection: Connection) -> list[tuple[int, str | None]]:
    """Id and ``updated_at`` of every execution with status success, by id, then time."""
    e = t.execution.c
    statement = select(e.id, e.updated_at).where(e.status == t.SUCCESS).order_by(e.id, e.updated_at)
    return [(row[0], None if row[1] is None else str(row[1])) for row in connection.execute(statement)]


def list_topic_itemsets(connection: Connection, execution_id: int) -> list[ItemsetOutline]:
    """Every topic itemset of the execution with its items, in the order of ids; two statements."""
    s, i = t.itemset, t.itemset_item
    of_execution = and_(s.c.execution_id == execution_id, s.c.scope == t.TOPIC_SCOPE)
    heads = connection.execute(
        select(s.c.id, s.c.support, s.c.absolute_support).where(of_execution).order_by(s.c.id)
    ).all()
    items = group_items(
        connection,
        item_columns(s.join(i, i.c.itemset_id == s.c.id)).where(of_execution).order_by(i.c.id),
    )
    return [ItemsetOutline(row[0], row[1], row[2], tuple(items.get(row[0], ()))) for row in heads]


def count_topic_itemsets(connection: Connection, execution_id: int) -> int:
    """How many topic itemsets the execution has."""
    s = t.itemset
    of_execution = and_(s.c.execution_id == execution_id, s.c.scope == t.TOPIC_SCOPE)
    return int(connection.execute(select(func.count()).select_from(s).where(of_execution)).scalar_one())


def choose_source_posts(connection: Connection, execution_id: int, itemset_ids: Iterable[int]) -> dict[int, str]:
    """For each itemset the first matched post in which most of its items bind a topic element.

    "First" is by the database's order of ids among the posts with the most bound items; an itemset without any
    usable post is absent.
    """
    keys = keyset(connection, {"itemset_id": "id"}, [(i,) for i in sorted(set(itemset_ids))])
    p, i, e = t.itemset_post, t.itemset_item, t.element
    bound = func.count(func.distinct(case((e.c.id.is_not(None), i.c.id))))
    per_post = (
        select(p.c.itemset_id, p.c.post_id, bound.label("bound"))
        .select_from(
            keys.join(p, p.c.itemset_id == keys.c.itemset_id)
            .join(i, i.c.itemset_id == p.c.itemset_id)
            .outerjoin(e, and_(e.c.post_id == p.c.post_id, binds(execution_id)))
        )
        .where(func.trim(p.c.post_id) != "")
        .group_by(p.c.itemset_id, p.c.post_id)
        .subquery()
    )
    order = func.row_number().over(
        partition_by=per_post.c.itemset_id, order_by=(per_post.c.bound.desc(), per_post.c.post_id)
    )
    ranked = select(per_post.c.itemset_id, per_post.c.post_id, order.label("place")).subquery()
    statement = select(ranked.c.itemset_id, ranked.c.post_id).where(ranked.c.place == 1)
    return {row[0]: row[1] for row in connection.execute(statement)}


def find_stray_itemsets(connection: Connection, execution_id: int) -> tuple[int | None, int | None]:
    """Two itemsets that no demand of the execution may cite, to test with: of another execution, of another scope."""
    s = t.itemset.c
    foreign = select(func.min(s.id)).where(s.execution_id != execution_id, s.scope == t.TOPIC_SCOPE)
    other_scope = select(func.min(s.id)).where(s.execution_id == execution_id, s.scope != t.TOPIC_SCOPE)
    return connection.execute(foreign).scalar(), connection.execute(other_scope).scalar()
