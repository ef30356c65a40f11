"""RANK: filter, score, de-duplicate, select (S-023 … S-025).

Too few good ones ask for another round of recall, never for bad ones.
"""

from __future__ import annotations

import asyncio
from typing import Any

from sqlalchemy import Connection

from resources.databases.supply_store.articles.scores import NewScore, replace_scores
from resources.databases.supply_store.rows import columns_of
from resources.databases.supply_store.states import Stage, TaskStatus
from resources.databases.supply_store.tasks.ext import set_ext
from resources.databases.supply_store.tasks.stage_rows import stage_history
from supply_assets.scoring.ranking.rank import rank_pool
from supply_assets.scoring.records import RankedArticle, Ranking
from supply_assets.stages.pool import DETAIL_MISSING, read_pool
from supply_assets.stages.stage import Attempt, StageEnd


async def rank(attempt: Attempt) -> StageEnd:
    """Rank the whole pool of the task, whichever round a candidate came from."""
    task_id, workshop = attempt.task.task_id, attempt.workshop
    pool, last_recall = await workshop.read(
        lambda connection: (read_pool(connection, task_id), _last_recall(connection, task_id))
    )
    ranking = await asyncio.to_thread(rank_pool, attempt.wanted, pool, workshop.weights)
    rows = score_rows(task_id, ranking, attempt.task.ext["source_evidence"])
    output = summary(ranking, len(pool)) | {"cycle": attempt.cycle}
    more_terms = not last_recall.get("exhausted", True)
    output["terms_exhausted"] = not more_terms
    output["ended_searches"] = last_recall.get("ended", {})
    unread = sum(article.unavailable == DETAIL_MISSING for article in pool)
    output["unread"] = unread
    if ranking.shortfall and (more_terms or unread) and attempt.cycle < workshop.policy.max_cycles:
        next_cycle = attempt.cycle + 1

        def top_up(connection: Connection) -> None:
            replace_scores(connection, task_id, rows)
            set_ext(connection, task_id, "cycle", next_cycle)

        return StageEnd(TaskStatus.RUNNING, Stage.RECALL, output | {"next_cycle": next_cycle}, top_up)
    following = Stage.CREATE_PLAN if ranking.selected else Stage.FINALIZE
    return StageEnd(TaskStatus.RANKED, following, output, lambda connection: replace_scores(connection, task_id, rows))


def _last_recall(connection: Connection, task_id: str) -> dict[str, Any]:
    history = stage_history(connection, [task_id])
    outputs = [row.output_payload for row in history if row.stage_name == Stage.RECALL and row.output_payload]
    return outputs[-1] if outputs else {}


def score_rows(task_id: str, ranking: Ranking, source_evidence: dict[str, Any]) -> list[NewScore]:
    """One row a candidate; a selected one carries the evidence that asked for it (S-006)."""
    return [_row(task_id, article, ranking.score_version, source_evidence) for article in ranking.articles]


def summary(ranking: Ranking, pool: int) -> dict[str, Any]:
    """What came of the ranking, and why there are not more (S-025)."""
    said = columns_of(ranking)
    del said["articles"]
    return {"pool": pool, **said}


def _row(task_id: str, article: RankedArticle, version: str, source_evidence: dict[str, Any]) -> NewScore:
    detail = article.detail | ({"source_evidence": source_evidence} if article.selected else {})
    return NewScore(
        task_id=task_id,
        candidate_id=article.candidate_id,
        relevance_score=article.relevance,
        popularity_score=article.popularity,
        quality_score=article.quality,
        account_score=article.account,
        elder_fit_score=article.elder,
        diversity_penalty=article.diversity_penalty,
        total_score=article.total,
        filter_status="PASS" if article.passed else "REJECT",
        filter_reason=article.filter_reason,
        is_selected=article.selected,
        rank_no=article.rank_no,
        score_version=version,
        score_detail=detail,
    )
