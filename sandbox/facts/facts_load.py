"""Loads a fact base into PostgreSQL, SQLite or MariaDB: whole executions, in one transaction.

Belongs here: the only writable way to a fact database, for the sandbox. Does not belong here: reading facts
(``resources.databases.pattern_facts``), how rows travel (``bulk_rows``).
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import Connection, Table, delete, func, inspect, literal, select, union_all
from sqlalchemy.engine import URL

from resources.databases.pattern_facts import tables as t
from resources.foundation.errors import UsageError
from sandbox.facts.bulk_rows import Progress, write_rows
from sandbox.facts.fact_base import TABLE_OF_FIELD, FactBase, read_fact_base
from sandbox.facts.fact_schema import create_missing_tables, finish_tables
from sandbox.facts.first_ids import FirstIds
from sandbox.facts.writable_facts import write_transaction


class ExecutionAlreadyLoaded(UsageError):
    """An execution of the fact base is in the target already."""


class IdTaken(UsageError):
    """An id of the fact base belongs to another execution of the target."""


@dataclass(frozen=True)
class LoadReport:
    """What a load wrote: executions, which of them were there before, rows by table name, seconds taken."""

    execution_ids: tuple[int, ...]
    replaced_execution_ids: tuple[int, ...]
    rows: dict[str, int]
    seconds: float


def load_facts(
    source: FactBase | Path, url: URL, *, replace: bool = False, progress: Progress | None = None
) -> LoadReport:
    """Write every execution of ``source`` into the database; tables and indexes are created where missing.

    One transaction: a load that fails or is killed leaves no row (MariaDB keeps the empty tables). Executions
    that are there already stay as they are, unless ``source`` holds them too.

    Args:
        source: a fact base, or a folder of ``<table>.parquet`` files.
        url: PostgreSQL, SQLite (the parent folder is created) or MySQL/MariaDB.
        replace: write an execution that is there already anew instead of refusing.
        progress: told of each table as its rows are written.

    Raises:
        FactBaseInvalid: the source is not a fact base, with the table, column and row.
        ExecutionAlreadyLoaded: an execution is there and ``replace`` is not given.
        IdTaken: an id belongs to an execution that ``source`` does not hold.
        SettingsError: the URL names a database that facts are not kept in.
        FactsUnwritable: the database could not be reached or refused a statement.
    """
    started = time.monotonic()
    facts = source if isinstance(source, FactBase) else read_fact_base(source)
    ids = facts.execution_ids()
    if not ids:
        raise UsageError("the fact base holds no execution")
    with write_transaction(url) as connection:
        create_missing_tables(connection)
        present = _present_executions(connection, ids)
        if present and not replace:
            raise ExecutionAlreadyLoaded(
                f"execution {', '.join(map(str, present))} is there already", "load it with replace"
            )
        _delete_executions(connection, present)
        _refuse_taken_ids(connection, facts)
        for table, frame in facts.frames().items():
            write_rows(connection, table, frame, progress or _silent)
        finish_tables(connection)
    rows = {table.name: len(frame) for table, frame in facts.frames().items()}
    return LoadReport(ids, tuple(present), rows, time.monotonic() - started)


def first_free_ids(url: URL) -> FirstIds:
    """For each table the id above the greatest one in the database; 1 where there is no table or file yet.

    Raises:
        SettingsError, FactsUnwritable: as :func:`load_facts`.
    """
    if url.get_backend_name() == "sqlite" and not Path(url.database or "").is_file():
        return FirstIds()
    with write_transaction(url) as connection:
        present = inspect(connection).get_table_names()
        greatest = [
            select(literal(name), func.max(table.c.id))
            for name, table in TABLE_OF_FIELD.items()
            if "id" in table.c and table.name in present
        ]
        found = connection.execute(union_all(*greatest)).all() if greatest else []
    return FirstIds(**{name: (top or 0) + 1 for name, top in found})


def _present_executions(connection: Connection, ids: Iterable[int]) -> list[int]:
    known = {row[0] for row in connection.execute(select(t.execution.c.id))}
    return [execution_id for execution_id in ids if execution_id in known]


def _delete_executions(connection: Connection, ids: list[int]) -> None:
    if not ids:
        return
    itemsets = select(t.itemset.c.id).where(t.itemset.c.execution_id.in_(ids))
    for table in (t.itemset_item, t.itemset_post):
        connection.execute(delete(table).where(table.c.itemset_id.in_(itemsets)))
    for table in (t.itemset, t.element, t.category, t.config):
        connection.execute(delete(table).where(table.c.execution_id.in_(ids)))
    connection.execute(delete(t.execution).where(t.execution.c.id.in_(ids)))


def _refuse_taken_ids(connection: Connection, facts: FactBase) -> None:
    for table, frame in facts.frames().items():
        if "id" not in table.c or table is t.execution or frame.empty:
            continue
        between = table.c.id.between(int(frame["id"].min()), int(frame["id"].max()))
        known = [row[0] for row in connection.execute(select(table.c.id).where(between))]
        taken = frame["id"][frame["id"].isin(known)]
        if not taken.empty:
            first = int(taken.iloc[0])
            raise IdTaken(
                f"id {first} of {table.name} belongs to {_owner(connection, table, first)} already",
                "give the rows ids that are free there",
            )


def _owner(connection: Connection, table: Table, row_id: int) -> str:
    owner = select(table.c.execution_id) if "execution_id" in table.c else select(t.itemset.c.execution_id)
    if "execution_id" not in table.c:
        owner = owner.select_from(table.join(t.itemset, t.itemset.c.id == table.c.itemset_id))
    execution_id = connection.execute(owner.where(table.c.id == row_id)).scalar()
    return "no execution" if execution_id is None else f"execution {execution_id}"


def _silent(_table: str, _done: int, _total: int) -> None:
    """Progress that nobody watches."""
