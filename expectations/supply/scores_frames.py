"""Frames of ``content_scores``: each score beside what it was made of, each selected article beside its ends."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from expectations.engine.rules import KEY, NOTHING
from expectations.supply.batch_rows import Batch, FrameRows, Row, fingerprint, is_false, item_rows, nulls_marked
from expectations.supply.rules import NO_NUMBER
from expectations.supply.task_standing import task_row
from resources.databases.supply_store.states import Stage
from resources.databases.supply_store.tables import supply_candidate_content as candidate_table
from resources.databases.supply_store.tables import supply_content_feature as feature_table
from resources.databases.supply_store.tables import supply_content_score as score_table

RANKED_TASKS, SCORES = "ranked_tasks", "content_scores"
PARTS = {
    "relevance": "relevance_score",
    "popularity": "popularity_score",
    "quality": "quality_score",
    "account": "account_score",
    "elder": "elder_fit_score",
}
REFUSED_FLAGS = ("REJECT", "REJECTED", "HELD")


def score_frames(batch: Batch) -> FrameRows:
    """``ranked_tasks``: one row a task; ``content_scores``: one row a scored candidate."""
    c = candidate_table.c
    pools = batch.of_tasks(
        candidate_table,
        *(c.account_id, c.account_name, c.quality_flag, c.is_deleted),
        c.raw_payload["link_resolved"].as_string().label("link_resolved"),
    )
    candidates = {row["id"]: row for rows in pools.values() for row in rows}
    pages = batch.of_tasks(feature_table, feature_table.c.candidate_id)
    read = {(task_id, row["candidate_id"]) for task_id, rows in pages.items() for row in rows}
    scores = _scores(batch)
    tasks = [_task(batch, task_id, rows, len(pools[task_id]), candidates) for task_id, rows in scores.items()]
    items = item_rows(scores, "score", lambda row: _shape(batch, row) | _closure(batch, row, candidates, read))
    return {RANKED_TASKS: tasks, SCORES: items}


def _scores(batch: Batch) -> dict[str, list[Row]]:
    s = score_table.c
    return batch.of_tasks(
        score_table,
        *(s.candidate_id, s.diversity_penalty, s.total_score, s.filter_status, s.filter_reason, s.is_selected),
        *(s.rank_no, s.score_version, s.created_at, *(s[column] for column in PARTS.values())),
        batch.json_kind(s.score_detail).label("detail_kind"),
        *(batch.json_kind(s.score_detail, f"$.parts.{part}").label(f"{part}_kind") for part in PARTS),
        s.score_detail["weights"].label("weights"),
        s.score_detail["source_evidence"].label("evidence"),
    )


def _task(
    batch: Batch, task_id: str, scores: Sequence[Row], candidates: int, by_id: Mapping[int, Row]
) -> dict[str, Any]:
    row, output = task_row(batch, task_id, Stage.RANK)
    selected = sorted((row for row in scores if row["is_selected"]), key=lambda row: row["rank_no"] or 0)
    row |= _selection(selected, by_id)
    task = batch.tasks.get(task_id)
    if output is None or task is None:
        return row
    snapshot = batch.snapshots.get(task["demand_snapshot_id"])
    wanted = snapshot["expected_count"] if snapshot else 0
    return row | {
        "candidates": candidates,
        "scores": len(scores),
        "pool_said": output.get("pool", NO_NUMBER),
        "selected": len(selected),
        "selected_said": output.get("selected", NO_NUMBER),
        "missing": max(0, wanted - len(selected)),
        "missing_said": output.get("shortfall", NO_NUMBER),
        "beyond_expected": max(0, len(selected) - wanted),
        "score_versions": len({row["score_version"] for row in scores}) if scores else None,
    }


def _selection(selected: Sequence[Row], by_id: Mapping[int, Row]) -> dict[str, Any]:
    totals = [float(row["total_score"]) for row in selected]
    candidates = [by_id[row["candidate_id"]] for row in selected if row["candidate_id"] in by_id]
    accounts = Counter(name for c in candidates if (name := c["account_id"] or c["account_name"]))
    return {
        "ranks": " ".join(str(row["rank_no"]) for row in selected),
        "dense_ranks": " ".join(str(place) for place in range(1, len(selected) + 1)),
        "totals_out_of_order": sum(after > before for before, after in pairwise(totals)),
        "most_of_one_account": max(accounts.values(), default=0),
    }


def _shape(batch: Batch, row: Row) -> dict[str, Any]:
    parts = {part: float(row[column]) for part, column in PARTS.items()}
    penalty, total = float(row["diversity_penalty"]), float(row["total_score"])
    weights = _weights(row["weights"])
    base = sum(weight * parts[part] for part, weight in weights.items())
    return {
        KEY: f"task {row['task_id']} candidate {row['candidate_id']}",
        **{column: parts[part] for part, column in PARTS.items()},
        **nulls_marked(row, "score_version", "detail_kind"),
        "diversity_penalty": penalty,
        "total_score": total,
        "total_off": round(abs(total - max(0.0, base - penalty)), 4),
        "weights_sum": round(sum(weights.values()), 9),
        "parts_explained": sum(row[f"{part}_kind"] == "object" for part in PARTS),
        "filter_status": row["filter_status"],
        "reason_said": bool(row["filter_reason"]) or row["filter_status"] != "REJECT",
        "rank_kept": (row["rank_no"] is not None) == bool(row["is_selected"]),
        "ahead_s": batch.seconds_ahead(row["created_at"]),
    }


def _weights(stored: object) -> dict[str, float]:
    """The weights that a total was made with; none where one of them is missing, so that they do not sum to 1."""
    weights = stored if isinstance(stored, dict) else {}
    shares = {part: weights.get(part) for part in PARTS}
    return {part: float(share) for part, share in shares.items() if isinstance(share, int | float)}


def _closure(batch: Batch, row: Row, candidates: Mapping[int, Row], read: set[tuple[str, int]]) -> dict[str, Any]:
    candidate = candidates.get(row["candidate_id"])
    ends = {"candidate_task": candidate["task_id"] if candidate else NOTHING, "task": batch.owner(row["task_id"])}
    if not row["is_selected"]:
        return ends
    return ends | {
        "filter_of_selected": row["filter_status"],
        "candidate_of_selected": _state(candidate),
        "page_of_selected": "read" if (row["task_id"], row["candidate_id"]) in read else "never read",
        "link_of_selected": "expiring" if candidate and is_false(candidate["link_resolved"]) else "lasting",
        "selected_evidence": fingerprint(row["evidence"]) or NOTHING,
        "task_evidence": fingerprint(batch.evidence_of(row["task_id"])),
    }


def _state(candidate: Row | None) -> str:
    if candidate is None:
        return "not in the pool"
    if candidate["is_deleted"]:
        return "deleted"
    return str(candidate["quality_flag"]) if candidate["quality_flag"] in REFUSED_FLAGS else "living"
