"""Between tables and their dataclasses: reading by keys in bounded chunks, writing by one statement for many rows.

Belongs here: what is the same for every table. Does not belong here: any one table's rules.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from functools import lru_cache
from typing import Any, TypeVar

from sqlalchemy import Column, ColumnElement, Connection, Insert, Row, Select, Table, func, select
from sqlalchemy.dialects import mysql, sqlite

Kind = TypeVar("Kind")
CHUNK = 5_000
Resolve = Callable[[ColumnElement[Any], ColumnElement[Any]], ColumnElement[Any]]


def chunks(values: Iterable[Any], size: int = CHUNK) -> Iterator[list[Any]]:
    """Distinct values in sorted order, at most ``size`` at a time."""
    ordered = sorted(set(values))
    for start in range(0, len(ordered), size):
        yield ordered[start : start + size]


def select_in(
    connection: Connection, statement: Select[*tuple[Any, ...]], column: ColumnElement[Any], values: Iterable[Any]
) -> Iterator[Row[*tuple[Any, ...]]]:
    """What a statement selects where ``column`` has one of the values; one statement a chunk of values."""
    for some in chunks(values):
        yield from connection.execute(statement.where(column.in_(some)))


def read_by(
    connection: Connection, table: Table, column: Column[Any], values: Iterable[Any], kind: type[Kind]
) -> list[Kind]:
    """Rows of a table whose ``column`` has one of the values, by id, as dataclasses of a kind that has an ``id``."""
    names = field_names(kind)
    found = select_in(connection, select(*(table.c[name] for name in names)), column, values)
    of_id = names.index("id")
    return [kind(**dict(zip(names, row, strict=True))) for row in sorted(found, key=lambda row: row[of_id])]


def columns_of(row: Any) -> dict[str, Any]:
    """The fields of a dataclass as column values, not copied."""
    return {name: getattr(row, name) for name in row.__dataclass_fields__}


def field_names(kind: Any) -> tuple[str, ...]:
    """Names of the columns that a dataclass holds."""
    return tuple(field.name for field in fields(kind))


def keep_known(incoming: ColumnElement[Any], stored: ColumnElement[Any]) -> ColumnElement[Any]:
    """``NULL`` means "not known" and never takes the place of what is known."""
    return func.coalesce(incoming, stored)


def replace_all(incoming: ColumnElement[Any], _: ColumnElement[Any]) -> ColumnElement[Any]:
    """What comes in stands, ``NULL`` as well."""
    return incoming


def upsert(
    connection: Connection, table: Table, key: Sequence[str], rows: Iterable[Mapping[str, Any]], resolve: Resolve
) -> None:
    """Insert rows, or write them over those of the same unique ``key``; in key order, so that locks have one order.

    All rows have the same columns.
    """
    ordered = sorted((dict(row) for row in rows), key=lambda row: [row[name] for name in key])
    if not ordered:
        return
    others = tuple(name for name in ordered[0] if name not in key)
    statement = _upsert_embedded if connection.dialect.name == "sqlite" else _upsert_served
    connection.execute(statement(table, tuple(key), others, resolve), ordered)


@lru_cache(maxsize=64)
def _upsert_embedded(table: Table, key: tuple[str, ...], others: tuple[str, ...], resolve: Resolve) -> Insert:
    statement = sqlite.insert(table)
    changes = {name: resolve(statement.excluded[name], table.c[name]) for name in others}
    changes["updated_at"] = func.current_timestamp()
    return statement.on_conflict_do_update(index_elements=list(key), set_=changes)


@lru_cache(maxsize=64)
def _upsert_served(table: Table, _key: tuple[str, ...], others: tuple[str, ...], resolve: Resolve) -> Insert:
    statement = mysql.insert(table)
    return statement.on_duplicate_key_update(
        {name: resolve(statement.inserted[name], table.c[name]) for name in others}
    )
