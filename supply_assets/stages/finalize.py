"""FINALIZE: what the task came to, as one record (S-029)."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection

from resources.databases.supply_store.articles.plans import plans_of_tasks
from resources.databases.supply_store.states import Stage, TaskStatus
from resources.databases.supply_store.tasks.stage_rows import stage_history
from supply_assets.stages.selection import SelectedArticle, read_selection
from supply_assets.stages.stage import Attempt, StageEnd


async def finalize(attempt: Attempt) -> StageEnd:
    """The task is completed, with a plan or with the reason why there is none."""
    output = await attempt.workshop.read(lambda connection: _result(connection, attempt))
    return StageEnd(TaskStatus.COMPLETED, Stage.FINALIZE, output)


def _result(connection: Connection, attempt: Attempt) -> dict[str, Any]:
    task = attempt.task
    plans = plans_of_tasks(connection, [task.task_id])
    plan_id = plans[0].crawler_plan_id if plans else None
    outputs = {row.stage_name: row.output_payload or {} for row in stage_history(connection, [task.task_id])}
    ranking: dict[str, Any] = outputs.get(Stage.RANK, {})
    selection = read_selection(connection, [task.task_id])[task.task_id]
    return {
        "task_id": task.task_id,
        "trace_id": task.trace_id,
        "crawler_plan_id": plan_id,
        "selected": [_article(article) for article in selection],
        "shortfall": ranking.get("shortfall", 0),
        "shortfall_explained": {
            name: ranking.get(name) for name in ("by_filter", "duplicates", "over_account_quota", "ended_searches")
        },
        "topics": ranking.get("topics", {}),
        "partial": outputs.get(Stage.RECALL, {}).get("partial"),
    }


def _article(article: SelectedArticle) -> dict[str, Any]:
    candidate, score = article.candidate, article.score
    return {
        "rank_no": score.rank_no,
        "candidate_id": candidate.id,
        "url": candidate.url,
        "title": candidate.title,
        "account_name": candidate.account_name,
        "total_score": float(score.total_score),
    }
