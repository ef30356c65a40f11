"""Writes the rows of one frame into one table, the fastest exact way each database offers.

Belongs here: COPY on PostgreSQL, ``executemany`` elsewhere. Does not belong here: transactions, which rows
(``facts_load``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from sqlalchemy import BigInteger, Column, Connection, Float, Integer, Table

Progress = Callable[[str, int, int], None]
"""Called with the table's name, the rows written so far and the rows there are."""

CHUNK_ROWS = 50_000
_ESCAPES = (("\\", "\\\\"), ("\t", "\\t"), ("\n", "\\n"), ("\r", "\\r"))


def write_rows(connection: Connection, table: Table, frame: pd.DataFrame, progress: Progress) -> None:
    """Append every row of ``frame`` (columns as in ``table``) within the connection's transaction.

    Raises:
        sqlalchemy.exc.SQLAlchemyError, psycopg.Error: as the database puts it.
    """
    rows = pa.Table.from_pandas(frame, schema=_schema(table), preserve_index=False)
    write = _copy if connection.dialect.name == "postgresql" else _insert
    progress(table.name, 0, len(frame))
    for done in write(connection, table, rows):
        progress(table.name, done, len(frame))


def _copy(connection: Connection, table: Table, rows: Any) -> Iterator[int]:
    cursor = connection.connection.cursor()
    with cursor.copy(f"COPY {_table_and_columns(connection, table)} FROM STDIN") as stream:
        for chunk, done in _chunks(rows):
            stream.write("".join(_text_lines(chunk)))
            yield done


def _insert(connection: Connection, table: Table, rows: Any) -> Iterator[int]:
    placeholder = "?" if connection.dialect.name == "sqlite" else "%s"
    values = ", ".join([placeholder] * len(table.columns))
    statement = f"INSERT INTO {_table_and_columns(connection, table)} VALUES ({values})"
    for chunk, done in _chunks(rows):
        columns = [column.to_pylist() for column in chunk.columns]
        connection.exec_driver_sql(statement, list(zip(*columns, strict=True)))
        yield done


def _table_and_columns(connection: Connection, table: Table) -> str:
    preparer = connection.dialect.identifier_preparer
    names = ", ".join(preparer.quote(column.name) for column in table.columns)
    return f"{preparer.format_table(table)} ({names})"


def _chunks(rows: Any) -> Iterator[tuple[Any, int]]:
    for start in range(0, rows.num_rows, CHUNK_ROWS):
        chunk = rows.slice(start, CHUNK_ROWS).combine_chunks()
        yield chunk, start + chunk.num_rows


def _text_lines(chunk: Any) -> list[str]:
    """Rows in COPY's text format; every separator inside a value is escaped, null is ``\\N``."""
    fields = [_escaped(column.combine_chunks()) for column in chunk.columns]
    joined = pc.binary_join_element_wise(*fields, "\t", null_handling="replace", null_replacement="\\N")
    lines: list[str] = pc.binary_join_element_wise(joined, "", "\n").to_pylist()
    return lines


def _escaped(values: Any) -> Any:
    if not pa.types.is_string(values.type):
        return pc.cast(values, pa.string())
    for plain, escape in _ESCAPES:
        values = pc.replace_substring(values, plain, escape)
    return values


def _schema(table: Table) -> Any:
    return pa.schema([(column.key, _arrow_type(column)) for column in table.columns])


def _arrow_type(column: Column[Any]) -> Any:
    if isinstance(column.type, BigInteger | Integer):
        return pa.int64()
    return pa.float64() if isinstance(column.type, Float) else pa.string()
