"""Which posts carry which words: what choosing terms reads (D-080).

A post carries a word where it has a topic element of that name; the node says for which category, point type and
dimension.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from sqlalchemy import ColumnElement, Connection, and_, func, select

from resources.databases.pattern_facts import tables as t


class Node(NamedTuple):
    """What an item of an itemset asks of an element, its name apart."""

    category_id: int | None
    point_type: str | None
    dimension: str | None


class Carried(NamedTuple):
    """Elements under one node: ``post_ids[i]`` carries ``names[i]``; a pair may repeat."""

    node: Node
    post_ids: Sequence[str]
    names: Sequence[str]


def read_carried(connection: Connection, execution_id: int) -> list[Carried]:
    """Every topic element of the execution, by node; one statement."""
    e = t.element.c
    node = (e.category_id, e.point_type, e.dimension)
    if connection.dialect.name == "postgresql":
        # A node's elements as two arrays cost the wire a tenth of as many rows.
        grouped = select(*node, func.array_agg(e.post_id), func.array_agg(e.element_name))
        rows = connection.execute(grouped.where(is_topic_element(execution_id)).group_by(*node)).all()
        return [Carried(Node(*row[:3]), row[3], row[4]) for row in rows]
    pairs: dict[Node, tuple[list[str], list[str]]] = {}
    single = select(*node, e.post_id, e.element_name).where(is_topic_element(execution_id))
    for *of, post_id, name in connection.execute(single).all():
        posts, names = pairs.setdefault(Node(*of), ([], []))
        posts.append(post_id)
        names.append(name)
    return [Carried(of, posts, names) for of, (posts, names) in pairs.items()]


def is_topic_element(execution_id: int) -> ColumnElement[bool]:
    """An element of the execution's topic table with a name and a post."""
    e = t.element.c
    return and_(
        e.execution_id == execution_id,
        e.source_table == t.TOPIC_SOURCE_TABLE,
        func.trim(func.coalesce(e.element_name, "")) != "",
        func.trim(func.coalesce(e.post_id, "")) != "",
    )
