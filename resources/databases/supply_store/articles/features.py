"""``supply_content_feature``: what the pages of a task's candidates say (S-021)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, select

from resources.databases.supply_store.rows import columns_of, keep_known, read_by, select_in, upsert
from resources.databases.supply_store.tables import supply_content_feature as f


@dataclass(frozen=True, slots=True, kw_only=True)
class NewFeature:
    """Features of one candidate's page; scores are 0 … 100, ``sentiment_score`` what its column holds."""

    task_id: str
    candidate_id: int
    content_length: int | None = None
    image_count: int | None = None
    video_count: int | None = None
    has_source_reference: bool | None = None
    readability_score: float | None = None
    information_density_score: float | None = None
    elder_friendly_score: float | None = None
    sentiment_score: float | None = None
    risk_score: float | None = None
    risk_reasons: list[str] | None = None
    keyword_coverage: Any = None
    summary: str | None = None
    raw_detail_payload: Any = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FeatureRow(NewFeature):
    """Features that stand."""

    id: int


def upsert_features(connection: Connection, rows: Sequence[NewFeature]) -> None:
    """Insert features, or add to those of the same candidate; what is known is never replaced by ``None``.

    Raises:
        ScoreOutOfRange: a score is no number from 0 to 100.
        StoreUnwritable: the candidate is not there (raised by the store's write).
    """
    upsert(connection, f, ("task_id", "candidate_id"), [columns_of(row) for row in rows], keep_known)


def read_features(connection: Connection, task_ids: Iterable[str]) -> list[FeatureRow]:
    """All features of the tasks, by id."""
    return read_by(connection, f, f.c.task_id, task_ids, FeatureRow)


def candidates_read(connection: Connection, task_ids: Iterable[str]) -> set[int]:
    """Candidates of the tasks whose page was read; their pages are not."""
    return {row[0] for row in select_in(connection, select(f.c.candidate_id), f.c.task_id, task_ids)}
