"""What waits for a person: tasks without a plan, and the candidates of one task with their scores."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection

from resources.databases.supply_store.articles.candidates import CandidateRow, read_candidates
from resources.databases.supply_store.articles.scores import ScoreRow, read_scores
from resources.databases.supply_store.engine import SupplyStore
from resources.databases.supply_store.states import FINAL, TaskStatus
from resources.databases.supply_store.tasks.heads import most_urgent
from resources.databases.supply_store.tasks.tasks import read_task
from supply_assets.review.review_state import review_of
from supply_assets.standing.freeze_state import freeze_of

OPEN = [status for status in TaskStatus if status not in FINAL and status is not TaskStatus.PLAN_CREATED]
LIMIT = 1000


def list_for_review(store: SupplyStore, task_id: str | None) -> list[dict[str, Any]]:
    """Open tasks, or the candidates of ``task_id`` by rank; at most 1,000 rows.

    Raises:
        NoSuchTask: there is no such task.
    """
    return _tasks(store) if task_id is None else _candidates(store, task_id)


def _tasks(store: SupplyStore) -> list[dict[str, Any]]:
    with store.reading() as connection:
        tasks = most_urgent(connection, OPEN, LIMIT)
    return [
        {
            "task_id": task.task_id,
            "query": task.query,
            "status": str(task.status),
            "stage": str(task.current_stage),
            "review": review.get("state"),
            "by": review.get("by"),
            "reason": review.get("reason"),
            "frozen": str(freeze) if (freeze := freeze_of(task)) else None,
            "error": task.error_code,
        }
        for task, review in zip(tasks, map(review_of, tasks), strict=True)
    ]


def _candidates(store: SupplyStore, task_id: str) -> list[dict[str, Any]]:
    with store.reading() as connection:
        read_task(connection, task_id)
        found = candidates_by_rank(connection, task_id)
    return [
        {
            "candidate_id": candidate.id,
            "rank": score.rank_no if score else None,
            "total": float(score.total_score) if score else None,
            "selected": bool(score and score.is_selected),
            "filter": score.filter_reason if score else None,
            "flag": candidate.quality_flag,
            "why": candidate.reject_reason,
            "title": candidate.title,
            "url": candidate.url,
        }
        for candidate, score in found[:LIMIT]
    ]


def candidates_by_rank(connection: Connection, task_id: str) -> list[tuple[CandidateRow, ScoreRow | None]]:
    """The candidates of a task with their scores; those without a rank come last."""
    scores = {score.candidate_id: score for score in read_scores(connection, [task_id])}
    found = [(candidate, scores.get(candidate.id)) for candidate in read_candidates(connection, [task_id])]

    def place(pair: tuple[CandidateRow, ScoreRow | None]) -> tuple[bool, int, int]:
        candidate, score = pair
        rank = score.rank_no if score else None
        return rank is None, rank or 0, candidate.id

    return sorted(found, key=place)
