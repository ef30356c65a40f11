"""Frames of the supply location: rows of the store as tables that travel between assets; JSON columns as text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd
from sqlalchemy import Connection

from resources.databases.supply_store.articles.candidates import candidate_titles, read_candidates
from resources.databases.supply_store.articles.features import read_features
from resources.databases.supply_store.articles.plans import plans_of_tasks
from resources.databases.supply_store.articles.profiles import read_profiles
from resources.databases.supply_store.articles.scores import read_scores
from resources.databases.supply_store.states import Stage, StageStatus
from resources.databases.supply_store.tasks.snapshots import read_snapshots
from resources.databases.supply_store.tasks.stage_rows import stage_history
from resources.databases.supply_store.tasks.tasks import TaskRow, read_tasks
from resources.foundation import strict_json
from supply_assets.intake.intake import Intake

DEMAND_COLUMNS = [
    "demand_id", "state", "rule_id", "reason", "task_id", "snapshot_id", "version", "query", "query_expansion",
    "expected_count", "origin", "pattern_execution_id", "itemset_id", "source_post_id",
]  # fmt: skip


def demand_frame(connection: Connection, intake: Intake) -> pd.DataFrame:
    """One row a demand of the batch: taken, with its snapshot, or refused, with its rule."""
    snapshots = read_snapshots(connection, [task.demand_snapshot_id for task in intake.tasks])
    rows: list[dict[str, Any]] = []
    for task in intake.tasks:
        snapshot, evidence = snapshots[task.demand_snapshot_id], task.ext["source_evidence"]
        rows.append(
            {
                "demand_id": task.demand_id,
                "state": "taken",
                "task_id": task.task_id,
                "snapshot_id": snapshot.id,
                "version": snapshot.version,
                "query": snapshot.query,
                "query_expansion": strict_json.dumps(snapshot.query_expansion),
                "expected_count": snapshot.expected_count,
                "itemset_id": (evidence["itemset_ids"] or [None])[0],
                **{name: evidence[name] for name in ("origin", "pattern_execution_id", "source_post_id")},
            }
        )
    for refusal in intake.refusals:
        refused = {"demand_id": refusal.demand_id, "state": "refused"}
        rows.append(refused | {"rule_id": refusal.rule_id, "reason": refusal.reason, "origin": "demand_content"})
    return _frame(
        rows,
        DEMAND_COLUMNS,
        whole=("demand_id", "snapshot_id", "version", "expected_count", "pattern_execution_id", "itemset_id"),
    )


def task_frame(tasks: Sequence[TaskRow]) -> pd.DataFrame:
    """One row a task: what does not change while it runs."""
    columns = ["task_id", "demand_id", "trace_id", "demand_snapshot_id", "idempotency_key"]
    frame = _frame_of_rows(tasks, columns, whole=("demand_id", "demand_snapshot_id"))
    batches = pd.Series([str(task.ext.get("batch", "")) for task in tasks], dtype=object)
    return frame.rename(columns={"demand_snapshot_id": "snapshot_id"}).assign(batch=batches)


def candidate_frame(connection: Connection, task_ids: Sequence[str]) -> pd.DataFrame:
    """One row a candidate."""
    columns = [
        "id", "task_id", "source_keyword", "recall_round", "recall_page", "title", "url", "publish_time", "account_id",
        "account_name", "biz_info", "view_count", "like_count", "dedup_hash", "quality_flag", "reject_reason",
    ]  # fmt: skip
    whole = ("id", "recall_round", "recall_page", "view_count", "like_count")
    return _frame_of_rows(read_candidates(connection, task_ids), columns, whole)


def profile_frame(connection: Connection, task_ids: Sequence[str]) -> pd.DataFrame:
    """One row an account of a task."""
    columns = [
        "task_id", "account_id", "account_name", "biz_info", "verify_status", "category", "update_frequency",
        "recent_article_count", "median_view_count", "median_like_count", "vertical_score", "stability_score",
        "credibility_score", "risk_tags",
    ]  # fmt: skip
    whole = ("verify_status", "recent_article_count", "median_view_count", "median_like_count")
    return _frame_of_rows(read_profiles(connection, task_ids), columns, whole, as_json=("risk_tags",))


def feature_frame(connection: Connection, task_ids: Sequence[str]) -> pd.DataFrame:
    """One row an article whose page was read."""
    columns = [
        "task_id", "candidate_id", "content_length", "image_count", "video_count", "has_source_reference",
        "readability_score", "information_density_score", "elder_friendly_score", "risk_score", "summary",
        "risk_reasons",
    ]  # fmt: skip
    whole = ("candidate_id", "content_length", "image_count", "video_count")
    return _frame_of_rows(read_features(connection, task_ids), columns, whole, as_json=("risk_reasons",))


def score_frame(connection: Connection, task_ids: Sequence[str]) -> pd.DataFrame:
    """One row a ranked candidate, the selected first."""
    columns = [
        "task_id", "candidate_id", "rank_no", "is_selected", "total_score", "relevance_score", "popularity_score",
        "quality_score", "account_score", "elder_fit_score", "diversity_penalty", "filter_status", "filter_reason",
        "score_version",
    ]  # fmt: skip
    titles, rows = candidate_titles(connection, task_ids), read_scores(connection, task_ids)
    frame = _frame_of_rows(rows, columns, whole=("candidate_id", "rank_no"))
    frame["title"] = pd.Series([titles.get(row.candidate_id) for row in rows], dtype=object)
    return frame.sort_values(["task_id", "is_selected", "rank_no"], ascending=[True, False, True], ignore_index=True)


def plan_frame(connection: Connection, task_ids: Sequence[str]) -> pd.DataFrame:
    """One row a plan."""
    columns = [
        "task_id", "crawler_plan_id", "crawler_plan_name", "plan_type", "input_count", "plan_status",
        "produce_plan_id", "produce_bind_status", "error_code", "error_message",
    ]  # fmt: skip
    return _frame_of_rows(plans_of_tasks(connection, task_ids), columns, whole=("input_count",))


def result_frame(connection: Connection, task_ids: Sequence[str]) -> pd.DataFrame:
    """One row a task: how it ended, its plan, and the record of FINALIZE as JSON text (S-029)."""
    final = {
        row.task_id: row.output_payload
        for row in stage_history(connection, task_ids)
        if row.stage_name == Stage.FINALIZE and row.stage_status == StageStatus.SUCCESS
    }
    rows = []
    for task in read_tasks(connection, task_ids).values():
        result = final.get(task.task_id) or {}
        rows.append(
            {
                "task_id": task.task_id,
                "trace_id": task.trace_id,
                "demand_id": task.demand_id,
                "status": str(task.status),
                "crawler_plan_id": result.get("crawler_plan_id"),
                "selected": len(result.get("selected") or ()),
                "shortfall": result.get("shortfall"),
                "error_code": task.error_code,
                "error_message": task.error_message,
                "result": strict_json.dumps(result),
            }
        )
    columns = [
        "task_id", "trace_id", "demand_id", "status", "crawler_plan_id", "selected", "shortfall", "error_code",
        "error_message", "result",
    ]  # fmt: skip
    return _frame(rows, columns, whole=("demand_id", "selected", "shortfall"))


def _frame_of_rows(
    rows: Sequence[object], columns: Sequence[str], whole: Sequence[str], as_json: Sequence[str] = ()
) -> pd.DataFrame:
    """Columns of store rows; those that are JSON are text here."""
    values = [{name: getattr(row, name) for name in columns} for row in rows]
    texts = [{name: strict_json.dumps(row[name]) for name in as_json} for row in values]
    return _frame([row | text for row, text in zip(values, texts, strict=True)], columns, whole)


def _frame(rows: Sequence[dict[str, Any]], columns: Sequence[str], whole: Sequence[str]) -> pd.DataFrame:
    """Whole numbers stay whole beside nulls (field report PG5)."""
    frame = pd.DataFrame(list(rows), columns=list(columns), dtype=object)
    return frame.astype(dict.fromkeys(whole, "Int64"))
