"""The statements on ``demand_content``; their number does not depend on the number of rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from sqlalchemy import (
    ColumnElement,
    Connection,
    Text,
    and_,
    case,
    false,
    func,
    insert,
    select,
    true,
    type_coerce,
    update,
)

from resources.databases.demand_store.tables import demand_content as d
from resources.databases.engines.exact_text import exactly

POST_PATH = "$.evidence_pack.source_post_id"
ID_PATH = "$.evidence_pack.demand_content_id"
_TEXTUAL = [type_coerce(c, Text).label(c.name) if c.name == "ext_data" else c for c in d.c]


class RowKey(NamedTuple):
    """What makes a row the same row within a run label (D-064)."""

    name: str
    source_post_id: str


def read_keys(connection: Connection, run_label: str) -> dict[RowKey, int]:
    """Keys of the rows that stand under the label, each with the smallest id that has it."""
    post = d.c.ext_data[("evidence_pack", "source_post_id")].as_string()
    statement = select(d.c.name, post, d.c.id).where(_of_label(run_label)).order_by(d.c.id.desc())
    return {RowKey(row[0], row[1]): row[2] for row in connection.execute(statement)}


def insert_rows(connection: Connection, rows: Sequence[dict[str, Any]]) -> None:
    """Insert rows whose ``ext_data.evidence_pack`` has no ``demand_content_id`` yet."""
    if rows:
        connection.execute(insert(d), list(rows))


def write_ids_into_packs(connection: Connection, run_label: str) -> None:
    """Put each new row's own id into its pack: one UPDATE for all rows of the label that have none."""
    statement = (
        update(d)
        .where(
            and_(
                _of_label(run_label),
                func.json_extract(d.c.ext_data, POST_PATH).is_not(None),
                func.json_extract(d.c.ext_data, ID_PATH).is_(None),
            )
        )
        .values(ext_data=func.json_set(d.c.ext_data, ID_PATH, d.c.id))
    )
    connection.execute(statement)


def read_rows_of_label(connection: Connection, run_label: str) -> list[dict[str, Any]]:
    """All rows of a label as plain dictionaries, by id."""
    statement = select(d).where(_of_label(run_label)).order_by(d.c.id)
    return [dict(row) for row in connection.execute(statement).mappings()]


def read_rows_by_id(connection: Connection, row_ids: Sequence[int]) -> list[dict[str, Any]]:
    """Rows by their ids, ``ext_data`` as the text that stands there."""
    statement = select(*_TEXTUAL).where(d.c.id.in_(sorted(row_ids))).order_by(d.c.id)
    return [dict(row) for row in connection.execute(statement).mappings()]


def read_labels(connection: Connection, execution_id: int) -> dict[int, str]:
    """The run label of each row of an execution by the row's id; a row that is no JSON has none."""
    label = d.c.ext_data["run_label"].as_string()
    of_execution = d.c.ext_data[("evidence_pack", "pattern_execution_id")].as_integer() == execution_id
    readable = case((func.json_valid(d.c.ext_data) == 1, of_execution), else_=false())
    return {row[0]: row[1] for row in connection.execute(select(d.c.id, label).where(readable)) if row[1] is not None}


def read_page(connection: Connection, execution_id: int | None, after: int, size: int) -> list[dict[str, Any]]:
    """At most ``size`` rows of one execution, or of all, with an id above ``after``, by id.

    ``ext_data`` comes as the text that stands there: one row that is no strict JSON must not hide the others.
    """
    conditions = [d.c.id > after]
    if execution_id is not None:
        of_execution = d.c.ext_data[("evidence_pack", "pattern_execution_id")].as_integer() == execution_id
        # A row that is no JSON belongs to nobody: whoever reads a page is to see it and say so.
        conditions.append(case((func.json_valid(d.c.ext_data) == 1, of_execution), else_=true()))
    statement = select(*_TEXTUAL).where(and_(*conditions)).order_by(d.c.id).limit(size)
    return [dict(row) for row in connection.execute(statement).mappings()]


def _of_label(run_label: str) -> ColumnElement[bool]:
    """Compared byte for byte: the binary collation that JSON texts have pays no heed to a blank at the end (MY3)."""
    label: ColumnElement[str] = d.c.ext_data["run_label"].as_string()
    return exactly(label) == run_label
