"""Frames of ``candidate_pool``, ``account_profiles`` and ``content_features``: what the platform said (S-020 … S-022).

Each asset has one frame of tasks and one of rows; a task without rows has one row there that is empty but for its key.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from typing import Any

import pandas as pd

from expectations.engine.rules import KEY, NOTHING
from expectations.supply.expected_rows import DONE, is_past, last_output, standing
from expectations.supply.facts import Batch, Row, frame_of, is_false
from expectations.supply.rules import NO_NUMBER
from resources.databases.supply_store.states import Stage
from resources.databases.supply_store.tables import supply_account_profile as profile_table
from resources.databases.supply_store.tables import supply_candidate_content as candidate_table
from resources.databases.supply_store.tables import supply_content_feature as feature_table

POOLS, CANDIDATES = "pools", "candidates"
PROFILED_TASKS, PROFILES = "profiled_tasks", "account_profiles"
READ_TASKS, FEATURES = "read_tasks", "content_features"
COUNTS = ("view_count", "like_count", "comment_count", "favorite_count", "share_count")
PAGE_SCORES = ("readability_score", "information_density_score", "elder_friendly_score", "risk_score")
ACCOUNT_SCORES = ("vertical_score", "stability_score", "credibility_score")

POOL_COLUMNS = (KEY, "standing", "pool", "candidates", "recall_said")
CANDIDATE_COLUMNS = (
    KEY, "title", "url", "dedup_hash", "identity", "platform", "quality_flag", "reason_said", "deleted_flag",
    "recall_round", "recall_page", *COUNTS, "publish_ahead_s", "ahead_s", "payload_kind", "statistics_kind", "provider",
    "task_recalled",
)  # fmt: skip
PROFILED_COLUMNS = (KEY, "standing", "unprofiled", "asked", "answered")
PROFILE_COLUMNS = (
    KEY, "account_id", *ACCOUNT_SCORES, "recent_article_count", "median_view_count", "median_like_count",
    "update_frequency", "verify_status", "state", "payload_kind", "history_kind", "tags_kind", "ahead_s", "published",
)  # fmt: skip
READ_COLUMNS = (KEY, "standing", "pages_read", "pages_said", "asked", "answered")
FEATURE_COLUMNS = (
    KEY, *PAGE_SCORES, "sentiment_score", "content_length", "image_count", "video_count", "reasons_kind",
    "coverage_kind", "payload_kind", "ahead_s", "detail_kind", "candidate_task", "task",
)  # fmt: skip


def candidate_frames(batch: Batch) -> dict[str, pd.DataFrame]:
    """``pools``: one row a task; ``candidates``: one row a candidate."""
    c = candidate_table.c
    found = batch.of_tasks(
        candidate_table,
        *(c.title, c.url, c.dedup_hash, c.platform, c.quality_flag, c.reject_reason, c.is_deleted),
        *(c.recall_round, c.recall_page, c.publish_time, c.created_at, *(c[name] for name in COUNTS)),
        batch.json_kind(c.raw_payload).label("payload_kind"),
        batch.json_kind(c.raw_statistics).label("statistics_kind"),
        c.raw_payload["provider"].as_string().label("provider"),
        c.raw_payload["link_resolved"].as_string().label("link_resolved"),
    )
    pools = [_pool(batch, task_id, len(rows)) for task_id, rows in found.items()]
    items = _rows(found, "candidate", lambda row: _candidate(batch, row))
    return {POOLS: frame_of(pools, POOL_COLUMNS), CANDIDATES: frame_of(items, CANDIDATE_COLUMNS)}


def _pool(batch: Batch, task_id: str, candidates: int) -> dict[str, Any]:
    stands = standing(batch, task_id, Stage.RECALL)
    output = last_output(batch.stages.get(task_id, []), Stage.RECALL) or {}
    row = {KEY: f"task {task_id}", "standing": stands}
    if stands != DONE:
        return row
    empty = "every search ended without one" if output.get("exhausted") and output.get("ended") else "empty"
    pool = "candidates" if candidates else empty
    return row | {"pool": pool, "candidates": candidates, "recall_said": output.get("candidates", NO_NUMBER)}


def _candidate(batch: Batch, row: Row) -> dict[str, Any]:
    refused = row["quality_flag"] in ("REJECT", "REJECTED", "HELD")
    lasting = not is_false(row["link_resolved"])
    attempts = batch.stages.get(row["task_id"], [])
    return {
        **{name: row[name] for name in (*COUNTS, "title", "url", "platform", "recall_round", "recall_page")},
        "dedup_hash": row["dedup_hash"] or NOTHING,
        # A link that expires stands for title, account and time, not for itself (S-020).
        "identity": hashlib.sha256(row["url"].encode()).hexdigest() if lasting else row["dedup_hash"] or NOTHING,
        "quality_flag": row["quality_flag"] or NOTHING,
        "reason_said": bool(row["reject_reason"]) or not refused,
        "deleted_flag": row["quality_flag"] if row["is_deleted"] else None,
        "publish_ahead_s": batch.seconds_ahead(row["publish_time"]),
        "ahead_s": batch.seconds_ahead(row["created_at"]),
        "payload_kind": row["payload_kind"] or NOTHING,
        "statistics_kind": row["statistics_kind"] or NOTHING,
        "provider": row["provider"] or NOTHING,
        "task_recalled": row["task_id"] in batch.tasks and any(one["stage_name"] == Stage.RECALL for one in attempts),
    }


def profile_frames(batch: Batch) -> dict[str, pd.DataFrame]:
    """``profiled_tasks``: one row a task; ``account_profiles``: one row an account of a task."""
    p, c = profile_table.c, candidate_table.c
    profiles = batch.of_tasks(
        profile_table,
        *(p.account_id, p.verify_status, p.update_frequency, p.recent_article_count, p.created_at),
        *(p.median_view_count, p.median_like_count, *(p[name] for name in ACCOUNT_SCORES)),
        batch.json_kind(p.raw_profile_payload).label("payload_kind"),
        batch.json_kind(p.raw_history_payload).label("history_kind"),
        batch.json_kind(p.risk_tags).label("tags_kind"),
        p.raw_profile_payload["state"].as_string().label("state"),
        p.raw_profile_payload["key"].as_string().label("asked_by"),
    )
    candidates = batch.of_tasks(candidate_table, c.account_id, c.account_name, c.biz_info)
    tasks = [_profiled(batch, task_id, rows, candidates[task_id]) for task_id, rows in profiles.items()]
    published = {
        row["id"]: _published(row, rows, candidates[task_id]) if task_id in batch.tasks else "no task in the store"
        for task_id, rows in profiles.items()
        for row in rows
    }
    items = _rows(profiles, "account", lambda row: _profile(batch, row) | {"published": published[row["id"]]})
    return {PROFILED_TASKS: frame_of(tasks, PROFILED_COLUMNS), PROFILES: frame_of(items, PROFILE_COLUMNS)}


def _profiled(batch: Batch, task_id: str, profiles: Iterable[Row], candidates: Iterable[Row]) -> dict[str, Any]:
    row: dict[str, Any] = {KEY: f"task {task_id}", "standing": standing(batch, task_id, Stage.ACCOUNT_PROFILE)}
    if is_past(batch.tasks.get(task_id), Stage.ACCOUNT_ENRICH):
        known = {profile["account_id"] for profile in profiles}
        named = [c for c in candidates if c["account_id"] or c["account_name"] or c["biz_info"]]
        row["unprofiled"] = sum(candidate["account_id"] not in known for candidate in named)
    output = last_output(batch.stages.get(task_id, []), Stage.ACCOUNT_PROFILE)
    if row["standing"] == DONE and output is not None:
        row |= _answers(output, "promising")
    return row


def _profile(batch: Batch, row: Row) -> dict[str, Any]:
    return {
        **{name: row[name] for name in (*ACCOUNT_SCORES, "account_id", "verify_status", "update_frequency")},
        **{name: row[name] for name in ("recent_article_count", "median_view_count", "median_like_count")},
        "state": row["state"] or NOTHING,
        "payload_kind": row["payload_kind"] or NOTHING,
        "history_kind": row["history_kind"],
        "tags_kind": row["tags_kind"],
        "ahead_s": batch.seconds_ahead(row["created_at"]),
    }


def _published(row: Row, profiles: Iterable[Row], candidates: Iterable[Row]) -> str:
    """An account that answered only when it was asked again stands twice: by its first name and by its id."""
    if any(candidate["account_id"] == row["account_id"] for candidate in candidates):
        return "a candidate"
    again = any(other["asked_by"] == row["asked_by"] and other["id"] != row["id"] for other in profiles)
    return "asked again" if again and row["state"] != "found" else "nothing in the pool"


def feature_frames(batch: Batch) -> dict[str, pd.DataFrame]:
    """``read_tasks``: one row a task; ``content_features``: one row a page that was read."""
    f = feature_table.c
    features = batch.of_tasks(
        feature_table,
        *(f.candidate_id, f.content_length, f.image_count, f.video_count, f.sentiment_score, f.created_at),
        *(f[name] for name in PAGE_SCORES),
        batch.json_kind(f.risk_reasons).label("reasons_kind"),
        batch.json_kind(f.keyword_coverage).label("coverage_kind"),
        batch.json_kind(f.raw_detail_payload).label("payload_kind"),
        batch.json_kind(f.raw_detail_payload, "$.detail").label("detail_kind"),
    )
    task_of = {row["id"]: task_id for task_id, rows in batch.of_tasks(candidate_table).items() for row in rows}
    tasks = [_read(batch, task_id, len(rows)) for task_id, rows in features.items()]
    items = _rows(features, "candidate", lambda row: _feature(batch, row, task_of))
    return {READ_TASKS: frame_of(tasks, READ_COLUMNS), FEATURES: frame_of(items, FEATURE_COLUMNS)}


def _read(batch: Batch, task_id: str, pages: int) -> dict[str, Any]:
    row = {KEY: f"task {task_id}", "standing": standing(batch, task_id, Stage.CONTENT_ENRICH)}
    output = last_output(batch.stages.get(task_id, []), Stage.CONTENT_ENRICH)
    if row["standing"] != DONE or output is None:
        return row
    found = (output.get("coverage") or {}).get("found", 0)
    said = output.get("known_before", NO_NUMBER) + found
    return row | {"pages_read": pages, "pages_said": said} | _answers(output, "asked")


def _feature(batch: Batch, row: Row, task_of: Mapping[int, str]) -> dict[str, Any]:
    kinds = ("reasons_kind", "coverage_kind", "payload_kind", "detail_kind")
    return {
        **{name: NO_NUMBER if row[name] is None else row[name] for name in PAGE_SCORES},
        **{name: row[name] for name in ("sentiment_score", "content_length", "image_count", "video_count")},
        **{name: row[name] or NOTHING for name in kinds},
        "ahead_s": batch.seconds_ahead(row["created_at"]),
        "candidate_task": task_of.get(row["candidate_id"], NOTHING),
        "task": row["task_id"] if row["task_id"] in batch.tasks else "not in the store",
    }


def _answers(output: Mapping[str, Any], asked: str) -> dict[str, Any]:
    """Every question has an answer: found, or the code that says why not."""
    answered = sum((output.get("coverage") or {}).values())
    return {"asked": output.get(asked, NO_NUMBER), "answered": answered}


def _rows(found: Mapping[str, list[Row]], noun: str, columns: Any) -> list[dict[str, Any]]:
    name = {"candidate": "candidate_id", "account": "account_id"}[noun]
    rows: list[dict[str, Any]] = []
    for task_id, of_task in found.items():
        if not of_task:
            rows.append({KEY: f"task {task_id}: no {noun}"})
        for row in of_task:
            rows.append({KEY: f"task {task_id} {noun} {row[name] if name in row else row['id']}"} | columns(row))
    return rows
