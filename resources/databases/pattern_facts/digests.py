"""Digests of an itemset's posts, items and bindings, computed by the database, and the text they are computed of.

A digest is ``<rows>:<MD5>`` of all rows, each a text, in one order; :func:`digest_of` makes it of Python values. Equal
digests mean equal rows, because the text can be read back in one way only: the number of rows stands before it, and
``digest_of`` refuses values that hold a separator, so that as many separators mean that no value of the facts holds
one. Unequal digests mean nothing: whoever meets them reads the rows. So a database that orders, pads, cuts or encodes
in another way costs time and never a verdict. PostgreSQL, SQLite (by a function of the connection, see
:func:`register_on_sqlite`) and MySQL/MariaDB give the same digest for the same facts.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Connection, String, and_, cast, func, literal_column, select
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.functions import FunctionElement

from resources.databases.pattern_facts import tables as t
from resources.databases.pattern_facts.closure_facts import binds
from resources.databases.pattern_facts.keyset import keyset

FIELD, ROW = "\x1f", "\x1e"
MYSQL_GROUP_CONCAT_BYTES = 64 * 2**20


class FactDigests(NamedTuple):
    """Digests of the facts: posts and items by itemset, bindings by itemset and source post; absent: no rows."""

    posts: dict[int, str | None]
    items: dict[int, str | None]
    bindings: dict[tuple[int, str], str | None]


def read_digests(connection: Connection, execution_id: int, itemset_posts: Iterable[tuple[int, str]]) -> FactDigests:
    """Digests for pairs of an itemset and its source post; three statements, however many pairs."""
    pairs = sorted(set(itemset_posts))
    itemset_ids = [(itemset_id,) for itemset_id in sorted({itemset_id for itemset_id, _ in pairs})]
    return FactDigests(
        _posts(connection, itemset_ids),
        _items(connection, itemset_ids),
        _bindings(connection, execution_id, pairs),
    )


def digest_of(rows: Sequence[str]) -> str | None:
    """The digest of row texts in their order; ``None`` where the text would be ambiguous or cannot be stored."""
    text = ROW.join(rows)
    if text.count(ROW) != len(rows) - 1:
        return None
    try:
        encoded = text.encode()
    except UnicodeEncodeError:
        return None
    return f"{len(rows)}:{hashlib.md5(encoded, usedforsecurity=False).hexdigest()}"


def row_text(*fields: int | str | None) -> str:
    """A row of several fields; a null and an empty text differ. A separator in a field makes the row end there."""
    text = FIELD.join(["" if field is None else f"={field}" for field in fields])
    return text if text.count(FIELD) == len(fields) - 1 else ROW


def register_on_sqlite(dbapi_connection: Any) -> None:
    """Give a SQLite connection the aggregate that it does not have."""
    dbapi_connection.create_aggregate(_DigestOfRows.name, -1, _SqliteDigest)


class _SqliteDigest:
    """The rows as they come, with their keys; :meth:`finalize` brings them into order."""

    def __init__(self) -> None:
        self._rows: list[tuple[Any, ...]] = []

    def step(self, row: object, *keys: object) -> None:
        self._rows.append((*keys, row))

    def finalize(self) -> str | None:
        try:
            rows = [row[-1] for row in sorted(self._rows)]
            text = ROW.join(rows).encode()
        except (TypeError, UnicodeEncodeError):
            return None
        return f"{len(rows)}:{hashlib.md5(text, usedforsecurity=False).hexdigest()}"


class _DigestOfRows(FunctionElement[str]):
    """Aggregate: the digest of its first argument, in the order of the others; texts by code point."""

    name = "digest_of_rows"
    type = String()
    inherit_cache = True


@compiles(_DigestOfRows, "sqlite")
def _on_sqlite(element: _DigestOfRows, compiler: Any, **kw: Any) -> str:
    return f"{element.name}({compiler.process(element.clauses, **kw)})"


@compiles(_DigestOfRows, "postgresql")
def _on_postgresql(element: _DigestOfRows, compiler: Any, **kw: Any) -> str:
    row, *keys = element.clauses
    order = ", ".join(compiler.process(key, **kw) + ' COLLATE "C"' * isinstance(key.type, String) for key in keys)
    return f"count(*) || ':' || md5(string_agg({compiler.process(row, **kw)}, '{ROW}' ORDER BY {order}))"


@compiles(_DigestOfRows, "mysql")
@compiles(_DigestOfRows, "mariadb")
def _on_mysql(element: _DigestOfRows, compiler: Any, **kw: Any) -> str:
    """A text that the server cut is no digest; as bytes, keys are not padded."""
    row, *keys = (compiler.process(clause, **kw) for clause in element.clauses)
    order = ", ".join(
        f"CAST({key} AS BINARY)" if isinstance(clause.type, String) else key
        for key, clause in zip(keys, list(element.clauses)[1:], strict=True)
    )
    joined = f"GROUP_CONCAT({row} ORDER BY {order} SEPARATOR '{ROW}')"
    whole = f"SUM(OCTET_LENGTH({row})) + COUNT(*) - 1"
    return f"CONCAT(COUNT(*), ':', CASE WHEN OCTET_LENGTH({joined}) = {whole} THEN MD5({joined}) END)"


def _posts(connection: Connection, itemset_ids: Sequence[tuple[int]]) -> dict[int, str | None]:
    keys = keyset(connection, {"itemset_id": "id"}, itemset_ids)
    p = t.itemset_post.c
    digest = select(_DigestOfRows(func.coalesce(p.post_id, ""), p.post_id)).where(p.itemset_id == keys.c.itemset_id)
    return {row[0]: row[1] for row in connection.execute(select(keys.c.itemset_id, digest.scalar_subquery()))}


def _items(connection: Connection, itemset_ids: Sequence[tuple[int]]) -> dict[int, str | None]:
    keys = keyset(connection, {"itemset_id": "id"}, itemset_ids)
    i, c = t.itemset_item, t.category
    row = _row(
        i.c.id, i.c.category_id, i.c.point_type, i.c.dimension, i.c.element_name,
        c.c.execution_id, c.c.name, c.c.path, c.c.full_path, c.c.level, c.c.dimension,
    )  # fmt: skip
    statement = (
        select(keys.c.itemset_id, _DigestOfRows(row, i.c.id))
        .select_from(keys.join(i, i.c.itemset_id == keys.c.itemset_id).outerjoin(c, c.c.id == i.c.category_id))
        .group_by(keys.c.itemset_id)
    )
    return {row[0]: row[1] for row in connection.execute(statement)}


def _bindings(
    connection: Connection, execution_id: int, pairs: Sequence[tuple[int, str]]
) -> dict[tuple[int, str], str | None]:
    keys = keyset(connection, {"itemset_id": "id", "post_id": "text"}, pairs)
    i, e = t.itemset_item, t.element
    # The post is part of the row, because MySQL also joins a post that differs from the key by a blank at its end.
    row = _row(i.c.id, e.c.post_id, e.c.element_name)
    statement = (
        select(keys.c.itemset_id, keys.c.post_id, _DigestOfRows(row, i.c.id, e.c.element_name))
        .select_from(
            keys.join(i, i.c.itemset_id == keys.c.itemset_id).join(
                e, and_(e.c.post_id == keys.c.post_id, binds(execution_id))
            )
        )
        .group_by(keys.c.itemset_id, keys.c.post_id)
    )
    return {(row[0], row[1]): row[2] for row in connection.execute(statement)}


def _row(*columns: ColumnElement[Any]) -> ColumnElement[str]:
    """:func:`row_text` of columns."""
    separator = literal_column(f"'{FIELD}'", String)
    fields = [func.coalesce(literal_column("'='", String).concat(cast(column, String())), "") for column in columns]
    text: ColumnElement[str] = fields[0]
    for field in fields[1:]:
        text = text.concat(separator).concat(field)
    return text
