"""Frames of ``candidate_pool``, ``account_profiles`` and ``content_features``: what the platform said (S-020 … S-022).

Each asset has one frame of tasks and one of rows; a task without rows has one row there that is empty but for its key.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from typing import Any

from expectations.engine.rules import KEY, NOTHING
from expectations.supply.batch_rows import Batch, FrameRows, Row, is_false, item_rows, nulls_marked
from expectations.supply.rules import NO_NUMBER
from expectations.supply.task_standing import is_past, task_row
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


def candidate_frames(batch: Batch) -> FrameRows:
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
    return {POOLS: pools, CANDIDATES: item_rows(found, "candidate", lambda row: _candidate(batch, row))}


def _pool(batch: Batch, task_id: str, candidates: int) -> dict[str, Any]:
    row, output = task_row(batch, task_id, Stage.RECALL)
    if output is None:
        return row
    empty = "every search ended without one" if output.get("exhausted") and output.get("ended") else "empty"
    pool = "candidates" if candidates else empty
    return row | {"pool": pool, "candidates": candidates, "recall_said": output.get("candidates", NO_NUMBER)}


def _candidate(batch: Batch, row: Row) -> dict[str, Any]:
    refused = row["quality_flag"] in ("REJECT", "REJECTED", "HELD")
    lasting = not is_false(row["link_resolved"])
    attempts = batch.stages.get(row["task_id"], [])
    return {
        **row,
        **nulls_marked(row, "dedup_hash", "quality_flag", "payload_kind", "statistics_kind", "provider"),
        KEY: f"task {row['task_id']} candidate {row['id']}",
        # A link that expires stands for title, account and time, not for itself (S-020).
        "identity": hashlib.sha256(row["url"].encode()).hexdigest() if lasting else row["dedup_hash"] or NOTHING,
        "reason_said": bool(row["reject_reason"]) or not refused,
        "deleted_flag": row["quality_flag"] if row["is_deleted"] else None,
        "publish_ahead_s": batch.seconds_ahead(row["publish_time"]),
        "ahead_s": batch.seconds_ahead(row["created_at"]),
        "task_recalled": row["task_id"] in batch.tasks and any(one["stage_name"] == Stage.RECALL for one in attempts),
    }


def profile_frames(batch: Batch) -> FrameRows:
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
    items = item_rows(profiles, "account", lambda row: _profile(batch, row) | {"published": published[row["id"]]})
    return {PROFILED_TASKS: tasks, PROFILES: items}


def _profiled(batch: Batch, task_id: str, profiles: Iterable[Row], candidates: Iterable[Row]) -> dict[str, Any]:
    row, output = task_row(batch, task_id, Stage.ACCOUNT_PROFILE)
    if is_past(batch.tasks.get(task_id), Stage.ACCOUNT_ENRICH):
        known = {profile["account_id"] for profile in profiles}
        named = [c for c in candidates if c["account_id"] or c["account_name"] or c["biz_info"]]
        row["unprofiled"] = sum(candidate["account_id"] not in known for candidate in named)
    return row if output is None else row | _answers(output, "promising")


def _profile(batch: Batch, row: Row) -> dict[str, Any]:
    return {
        **row,
        **nulls_marked(row, "state", "payload_kind"),
        KEY: f"task {row['task_id']} account {row['account_id']}",
        "ahead_s": batch.seconds_ahead(row["created_at"]),
    }


def _published(row: Row, profiles: Iterable[Row], candidates: Iterable[Row]) -> str:
    """An account that answered only when it was asked again stands twice: by its first name and by its id."""
    if any(candidate["account_id"] == row["account_id"] for candidate in candidates):
        return "a candidate"
    again = any(other["asked_by"] == row["asked_by"] and other["id"] != row["id"] for other in profiles)
    return "asked again" if again and row["state"] != "found" else "nothing in the pool"


def feature_frames(batch: Batch) -> FrameRows:
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
    return {READ_TASKS: tasks, FEATURES: item_rows(features, "candidate", lambda row: _feature(batch, row, task_of))}


def _read(batch: Batch, task_id: str, pages: int) -> dict[str, Any]:
    row, output = task_row(batch, task_id, Stage.CONTENT_ENRICH)
    if output is None:
        return row
    found = (output.get("coverage") or {}).get("found", 0)
    said = output.get("known_before", NO_NUMBER) + found
    return row | {"pages_read": pages, "pages_said": said} | _answers(output, "asked")


def _feature(batch: Batch, row: Row, task_of: Mapping[int, str]) -> dict[str, Any]:
    return {
        **row,
        **{name: NO_NUMBER if row[name] is None else row[name] for name in PAGE_SCORES},
        **nulls_marked(row, "reasons_kind", "coverage_kind", "payload_kind", "detail_kind"),
        KEY: f"task {row['task_id']} candidate {row['candidate_id']}",
        "ahead_s": batch.seconds_ahead(row["created_at"]),
        "candidate_task": task_of.get(row["candidate_id"], NOTHING),
        "task": batch.owner(row["task_id"]),
    }


def _answers(output: Mapping[str, Any], asked: str) -> dict[str, Any]:
    """Every question has an answer: found, or the code that says why not."""
    answered = sum((output.get("coverage") or {}).values())
    return {"asked": output.get(asked, NO_NUMBER), "answered": answered}
