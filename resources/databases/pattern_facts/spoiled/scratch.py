"""A private, writable copy of a few itemsets' facts, to be altered without touching the real ones.

The copy is SQLite in memory and dies with the block that made it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

from sqlalchemy import (
    ColumnElement,
    Connection,
    Engine,
    Executable,
    Table,
    and_,
    create_engine,
    event,
    insert,
    select,
)
from sqlalchemy.pool import StaticPool

from resources.databases.pattern_facts import tables as t
from resources.databases.pattern_facts.keyset import keyset


class ScratchFacts:
    """Facts of some itemsets and posts; made by :func:`copy_facts`."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    @contextmanager
    def altered(self, *changes: Executable) -> Iterator[Connection]:
        """A connection that sees the copy after ``changes``; they are undone with the block."""
        with self._engine.connect() as connection:
            transaction = connection.begin()
            for change in changes:
                connection.execute(change)
            yield connection
            transaction.rollback()


@contextmanager
def copy_facts(
    source: Connection, execution_id: int, itemset_ids: Iterable[int], post_ids: Iterable[str]
) -> Iterator[ScratchFacts]:
    """Copy all executions, configs and categories, the itemsets with items and posts, the posts' elements.

    Args:
        execution_id: whose elements are copied.
        itemset_ids: of any execution.
        post_ids: whose elements are needed.
    """
    engine = create_engine("sqlite://", poolclass=StaticPool, connect_args={"isolation_level": None})
    event.listen(engine, "begin", lambda connection: connection.exec_driver_sql("BEGIN"))
    t.metadata.create_all(engine)
    itemsets = keyset(source, {"wanted": "id"}, [(i,) for i in sorted(set(itemset_ids))])
    posts = keyset(source, {"wanted": "text"}, [(p,) for p in sorted(set(post_ids))])
    with engine.begin() as target:
        for table in (t.execution, t.config, t.category):
            _copy(target, table, source.execute(select(table)).all())
        for table, column in ((t.itemset, "id"), (t.itemset_item, "itemset_id"), (t.itemset_post, "itemset_id")):
            wanted = select(table).select_from(table.join(itemsets, table.c[column] == itemsets.c.wanted))
            _copy(target, table, source.execute(wanted).all())
        of_post: ColumnElement[bool] = and_(
            t.element.c.execution_id == execution_id, t.element.c.post_id == posts.c.wanted
        )
        _copy(target, t.element, source.execute(select(t.element).select_from(t.element.join(posts, of_post))).all())
    try:
        yield ScratchFacts(engine)
    finally:
        engine.dispose()


def _copy(target: Connection, table: Table, rows: Sequence[object]) -> None:
    if rows:
        target.execute(insert(table), [dict(row._mapping) for row in rows])  # type: ignore[attr-defined]
