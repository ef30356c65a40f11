"""Python rows as a relation inside one statement, so that the number of statements never grows with the rows.

The rows travel as one JSON parameter: ``json_to_recordset`` on PostgreSQL, ``json_each`` on SQLite, ``JSON_TABLE``
on MySQL and MariaDB.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from sqlalchemy import (
    BigInteger,
    Connection,
    FromClause,
    String,
    bindparam,
    column,
    func,
    literal,
    select,
    text,
)
from sqlalchemy.dialects.postgresql import JSON
from sqlalchemy.types import TypeEngine

from resources.foundation import strict_json

ColumnKind = Literal["id", "text"]
_TYPES: dict[ColumnKind, TypeEngine[object]] = {"id": BigInteger(), "text": String(128)}  # type: ignore[dict-item]
_MYSQL = {"id": "BIGINT", "text": "VARCHAR(128) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin"}


def keyset(connection: Connection, columns: dict[str, ColumnKind], rows: Iterable[tuple[int | str, ...]]) -> FromClause:
    """A FROM element with ``columns``, holding ``rows``.

    Args:
        connection: decides the dialect.
        columns: name to kind; ``id`` is a 64-bit integer, ``text`` a string without NUL.
        rows: one tuple a row, in the order of ``columns``.
    """
    names = list(columns)
    records = [dict(zip(names, row, strict=True)) for row in rows]
    backend = connection.dialect.name
    if backend == "postgresql":
        typed = [column(name, _TYPES[kind]) for name, kind in columns.items()]
        relation = func.json_to_recordset(literal(records, JSON())).table_valued(*typed)
        return relation.render_derived(name="keys", with_types=True)
    payload = strict_json.dumps(records)
    if backend == "sqlite":
        each = func.json_each(payload).table_valued("value", name="each")
        fields = [
            func.json_extract(each.c.value, f"$.{name}", type_=_TYPES[kind]).label(name)
            for name, kind in columns.items()
        ]
        return select(*fields).subquery("keys")
    paths = ", ".join(f"{name} {_MYSQL[kind]} PATH '$.{name}'" for name, kind in columns.items())
    table = text(f"SELECT * FROM JSON_TABLE(:payload, '$[*]' COLUMNS ({paths})) AS rows_of_json")
    bound = table.bindparams(bindparam("payload", payload, unique=True))
    return bound.columns(**{name: _TYPES[kind] for name, kind in columns.items()}).subquery("keys")
