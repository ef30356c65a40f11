"""``supply_content_score``: the ranking of a task, one row a candidate (S-023, S-042)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, delete, select, true

from resources.databases.supply_store.rows import chunks, columns_of, read_by, replace_all, select_in, upsert
from resources.databases.supply_store.tables import supply_content_score as r


@dataclass(frozen=True, slots=True, kw_only=True)
class NewScore:
    """Scores of one candidate: five parts of 0 … 100, penalty and total as their columns hold them, rank from 1."""

    task_id: str
    candidate_id: int
    relevance_score: float = 0
    popularity_score: float = 0
    quality_score: float = 0
    account_score: float = 0
    elder_fit_score: float = 0
    diversity_penalty: float = 0
    total_score: float = 0
    filter_status: str = "PENDING"
    filter_reason: str | None = None
    is_selected: bool = False
    rank_no: int | None = None
    score_version: str | None = "v1"
    score_detail: Any = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreRow(NewScore):
    """Scores that stand."""

    id: int


def upsert_scores(connection: Connection, rows: Sequence[NewScore]) -> None:
    """Insert scores, or write them over those of the same candidate, ``None`` as well.

    Floats are rounded half-even to two decimals.

    Raises:
        ScoreOutOfRange: a score is not finite or outside its column; the column is named (MY8).
        StoreUnwritable: the candidate is not there (raised by the store's write).
    """
    upsert(connection, r, ("task_id", "candidate_id"), [columns_of(row) for row in rows], replace_all)


def replace_scores(connection: Connection, task_id: str, rows: Sequence[NewScore]) -> None:
    """Make ``rows`` the ranking of the task: write them, delete those of candidates that are not in it any more.

    Raises:
        ScoreOutOfRange: a score is not finite or outside its column.
        ValueError: a row is of another task.
    """
    if any(row.task_id != task_id for row in rows):
        raise ValueError(f"a row is not of task {task_id}")
    upsert_scores(connection, rows)
    ranked = {row.candidate_id for row in rows}
    stands = connection.execute(select(r.c.candidate_id).where(r.c.task_id == task_id)).scalars()
    for gone in chunks(set(stands) - ranked):
        connection.execute(delete(r).where(r.c.task_id == task_id, r.c.candidate_id.in_(gone)))


def read_selected_scores(connection: Connection, task_ids: Iterable[str]) -> list[ScoreRow]:
    """The scores of the tasks' selected candidates, by id."""
    chosen = select_in(connection, select(r.c.id).where(r.c.is_selected == true()), r.c.task_id, task_ids)
    return read_by(connection, r, r.c.id, [row[0] for row in chosen], ScoreRow)


def read_scores(connection: Connection, task_ids: Iterable[str]) -> list[ScoreRow]:
    """All scores of the tasks, by id."""
    return read_by(connection, r, r.c.task_id, task_ids, ScoreRow)
