"""Writing the two tables of our own in the transaction that writes ``ext``; the rows of tasks are locked by then."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from sqlalchemy import Connection, insert, select, update
from sqlalchemy.dialects import mysql, sqlite

from resources.databases.supply_store.rows import chunks, select_in
from resources.databases.supply_store.tables import supply_task as t
from resources.databases.supply_store.task_index import EVIDENCE, evidence_key, evidence_keys, indexed, indexed_of_key
from resources.databases.supply_store.task_index import task_index as x


def add_to_index(connection: Connection, exts: Mapping[str, Mapping[str, Any]]) -> None:
    """The rows of tasks that were just inserted, by task id."""
    row_ids = {row[1]: row[0] for row in select_in(connection, select(t.c.id, t.c.task_id), t.c.task_id, exts)}
    rows = [{"task_row_id": row_ids[task_id], "task_id": task_id} | indexed(exts[task_id]) for task_id in row_ids]
    _add_evidence(connection, {row["evidence_set"]: exts[row["task_id"]].get(EVIDENCE) for row in rows})
    connection.execute(insert(x), rows)


def note(connection: Connection, task_ids: Iterable[str], key: str, value: object) -> None:
    """Say in the index that the tasks have ``value`` under ``key`` of their ``ext``."""
    columns = indexed_of_key(key, value)
    if not columns:
        return
    if key == EVIDENCE:
        _add_evidence(connection, {columns["evidence_set"]: value})
    for some in chunks(task_ids):
        connection.execute(update(x).where(x.c.task_id.in_(some)).values(columns))


def note_each(connection: Connection, key: str, values: Mapping[str, object]) -> None:
    """The same of each task's own value; one UPDATE for all of which the index says the same."""
    alike: dict[tuple[tuple[str, Any], ...], list[str]] = {}
    for task_id, value in values.items():
        alike.setdefault(tuple(indexed_of_key(key, value).items()), []).append(task_id)
    for task_ids in alike.values():
        note(connection, task_ids, key, values[task_ids[0]])


def _add_evidence(connection: Connection, sets: Mapping[int | None, object]) -> None:
    """The keys of evidence sets that no task had so far."""
    wanted = {number: evidence for number, evidence in sets.items() if number is not None}
    known = {row[0] for row in select_in(connection, select(x.c.evidence_set).distinct(), x.c.evidence_set, wanted)}
    keys = [
        {"evidence_key": key, "evidence_set": number}
        for number, evidence in wanted.items()
        if number not in known
        for key in evidence_keys(evidence)
    ]
    if not keys:
        return
    if connection.dialect.name == "sqlite":
        connection.execute(sqlite.insert(evidence_key).on_conflict_do_nothing(), keys)
    else:
        connection.execute(mysql.insert(evidence_key).prefix_with("IGNORE"), keys)
