"""``supply_candidate_content``: the pool of a task, one row a canonical URL (S-020, S-040)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Connection, and_, case, insert, literal, select, true, update

from resources.databases.supply_store.column_types import whole_utc
from resources.databases.supply_store.rows import (
    chunks,
    columns_of,
    field_names,
    keep_known,
    read_by,
    select_in,
    upsert,
)
from resources.databases.supply_store.tables import supply_candidate_content as c
from resources.databases.supply_store.tables import supply_content_score as r
from resources.databases.supply_store.tasks.tasks import lock_tasks

UNKNOWN = "UNKNOWN"
UPDATED_AT_ONCE = 500
KEY = ("task_id", "dedup_hash")
FIRST_SEEN = frozenset({"source_keyword", "recall_round", "recall_page"})


@dataclass(frozen=True, slots=True, kw_only=True)
class NewCandidate:
    """A candidate as a search found it; ``dedup_hash`` is the sha256 of its canonical URL, in hex."""

    task_id: str
    dedup_hash: str
    title: str
    url: str
    source_keyword: str | None = None
    recall_round: int = 1
    recall_page: int | None = None
    platform: str = "weixin"
    content_id: str | None = None
    digest: str | None = None
    cover_url: str | None = None
    publish_time: datetime | None = None
    account_id: str | None = None
    account_name: str | None = None
    biz_info: str | None = None
    view_count: int | None = None
    like_count: int | None = None
    comment_count: int | None = None
    favorite_count: int | None = None
    share_count: int | None = None
    raw_statistics: Any = None
    raw_payload: Any = None
    quality_flag: str | None = UNKNOWN
    reject_reason: str | None = None
    is_deleted: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateRow(NewCandidate):
    """A candidate that stands in the pool."""

    id: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateHead:
    """Of a candidate what is shown and whose it is: enough to ask who publishes it, and how promising it is."""

    id: int
    title: str
    digest: str | None
    account_id: str | None
    account_name: str | None
    biz_info: str | None
    quality_flag: str | None


class Upserted(NamedTuple):
    """What an upsert did, in rows; a row given twice counts once."""

    inserted: int
    updated: int
    unchanged: int


def upsert_candidates(connection: Connection, rows: Sequence[NewCandidate]) -> Upserted:
    """Insert candidates, or add what is new of those that stand (MY9, MY10).

    What is known is never replaced by what is not: ``None``, the flag UNKNOWN, ``is_deleted=False``. The search that
    found a candidate first stays on its row. Tasks are locked first, so two writers of one task take turns. New rows
    get their ids in the order given: what the platform listed first has the smaller id.
    """
    incoming = _merged_by_key(rows)
    if not incoming:
        return Upserted(0, 0, 0)
    lock_tasks(connection, {task_id for task_id, _ in incoming})
    standing = _standing(connection, incoming)
    fresh = [columns for key, columns in incoming.items() if key not in standing]
    merged = [_merge(standing[key], columns) for key, columns in incoming.items() if key in standing]
    changed = [columns for columns in merged if columns != standing[_key(columns)]]
    if fresh:
        connection.execute(insert(c), fresh)
    upsert(connection, c, KEY, changed, keep_known)
    return Upserted(len(fresh), len(changed), len(merged) - len(changed))


def _key(columns: Mapping[str, Any]) -> tuple[str, str]:
    return columns["task_id"], columns["dedup_hash"]


def _merged_by_key(rows: Sequence[NewCandidate]) -> dict[tuple[str, str], dict[str, Any]]:
    merged: dict[tuple[str, str], dict[str, Any]] = {}
    for row in rows:
        key, columns = (row.task_id, row.dedup_hash), columns_of(row)
        if row.publish_time is not None:
            columns["publish_time"] = whole_utc("publish_time", row.publish_time)
        merged[key] = _merge(merged[key], columns) if key in merged else columns
    return merged


def _standing(connection: Connection, keys: Iterable[tuple[str, str]]) -> dict[tuple[str, str], dict[str, Any]]:
    of_tasks = c.c.task_id.in_(sorted({task_id for task_id, _ in keys}))
    statement = select(*(c.c[name] for name in field_names(NewCandidate))).where(of_tasks)
    rows = select_in(connection, statement, c.c.dedup_hash, (dedup_hash for _, dedup_hash in keys))
    return {_key(columns): columns for row in rows if (columns := dict(row._mapping))}


def _merge(known: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, Any]:
    merged = dict(known)
    for name, value in new.items():
        says_nothing = value is None or (name == "quality_flag" and value == UNKNOWN) or value is False
        if not says_nothing and name not in FIRST_SEEN:
            merged[name] = value
    return merged


def read_candidates(connection: Connection, task_ids: Iterable[str]) -> list[CandidateRow]:
    """All candidates of the tasks, by id."""
    return read_by(connection, c, c.c.task_id, task_ids, CandidateRow)


def candidate_heads(connection: Connection, task_id: str) -> list[CandidateHead]:
    """All candidates of a task, by id; payloads and counts are not read."""
    return read_by(connection, c, c.c.task_id, [task_id], CandidateHead)


def candidates_by_id(connection: Connection, candidate_ids: Iterable[int]) -> dict[int, CandidateRow]:
    """Candidates by their ids; an id that is not there is left out."""
    return {row.id: row for row in read_by(connection, c, c.c.id, candidate_ids, CandidateRow)}


def candidate_identities(connection: Connection, task_id: str) -> set[str]:
    """The identities in the pool of a task; nothing else of its candidates is read."""
    return set(connection.execute(select(c.c.dedup_hash).where(c.c.task_id == task_id)).scalars())


def read_candidate(connection: Connection, candidate_id: int) -> CandidateRow | None:
    """One candidate by its id."""
    return candidates_by_id(connection, [candidate_id]).get(candidate_id)


def candidate_titles(connection: Connection, task_ids: Iterable[str]) -> dict[int, str]:
    """Titles of the tasks' candidates by id; their payloads are not read."""
    rows = select_in(connection, select(c.c.id, c.c.title), c.c.task_id, task_ids)
    return {row[0]: row[1] for row in rows}


def tasks_that_selected(connection: Connection, dedup_hash: str, limit: int) -> list[str]:
    """At most ``limit`` tasks that selected the article of a canonical URL, in the order of its candidates."""
    chosen = (r.c.task_id == c.c.task_id, r.c.candidate_id == c.c.id, r.c.is_selected == true())
    statement = select(c.c.task_id).join(r, and_(*chosen)).where(c.c.dedup_hash == dedup_hash)
    return list(connection.execute(statement.order_by(c.c.id).limit(limit)).scalars())


def update_candidates(connection: Connection, rows: Sequence[Mapping[str, Any]]) -> None:
    """Set columns of candidates by ``id``, ``None`` as well; one statement a set of columns and 500 rows.

    Raises:
        ValueError: a row has no ``id``, or names a column that is none.
    """
    by_columns: dict[frozenset[str], dict[int, Mapping[str, Any]]] = {}
    for row in rows:
        if "id" not in row:
            raise ValueError("a row without id names no candidate")
        by_columns.setdefault(frozenset(row) - {"id"}, {})[row["id"]] = row
    for names, alike in by_columns.items():
        unknown = names - set(field_names(NewCandidate))
        if unknown:
            raise ValueError(f"{sorted(unknown)} are no columns of a candidate")
        for some in chunks(alike, UPDATED_AT_ONCE) if names else ():
            values = {name: _by_id({row_id: alike[row_id][name] for row_id in some}, name) for name in sorted(names)}
            connection.execute(update(c).where(c.c.id.in_(some)).values(values))


def _by_id(values: Mapping[int, Any], name: str) -> ColumnElement[Any]:
    """The value of each row as one expression: a driver would send many updates one by one."""
    kind = c.c[name].type
    return case({row_id: literal(value, kind) for row_id, value in values.items()}, value=c.c.id)


def mark(connection: Connection, candidate_id: int, quality_flag: str, reject_reason: str | None) -> None:
    """Set the flag of one candidate, and why."""
    update_candidates(connection, [{"id": candidate_id, "quality_flag": quality_flag, "reject_reason": reject_reason}])
