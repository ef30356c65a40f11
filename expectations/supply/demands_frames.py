"""Frames of ``demand_snapshots`` and ``supply_tasks``: what was taken in beside what stands (S-002, S-003, S-006)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from expectations.engine.rules import KEY, NOTHING
from expectations.supply.batch_rows import Batch, FrameRows, Row, ext_of, fingerprint
from expectations.supply.rules import NO_NUMBER
from expectations.supply.task_standing import standing_of_any
from resources.databases.supply_store.states import ENDED
from resources.foundation import strict_json

DEMANDS, TASKS = "demand_snapshots", "supply_tasks"
TAKEN, REFUSED = "taken", "refused"
_COMPARED = ("demand_id", "query", "expected_count", "version")
_INHERITED = (
    "demand_content_id", "pattern_execution_id", "mining_config_id", "itemset_ids", "source_post_id", "categories",
    "matched_post_ids",
)  # fmt: skip


def demand_frames(batch: Batch) -> FrameRows:
    """``demand_snapshots``: one row a version of a demand in the batch, taken, or a demand, refused."""
    times = Counter((row.get("demand_id"), row.get("version")) for row in batch.claimed_demands)
    rows = [
        _demand_row(batch, demand, place)
        | {"times": times[demand["demand_id"], demand.get("version")] if demand.get("demand_id") else 1}
        for place, demand in enumerate(batch.claimed_demands, start=1)
    ]
    return {DEMANDS: rows}


def _demand_row(batch: Batch, demand: Mapping[str, Any], place: int) -> dict[str, Any]:
    key = f"demand {demand['demand_id']}" if demand.get("demand_id") else f"demand without id, row {place}"
    said = {KEY: key, "state": demand.get("state")}
    if demand.get("state") != TAKEN:
        reasoned = demand.get("rule_id") and demand.get("reason") and not demand.get("task_id")
        return said | {"accounted": "refused with a reason" if reasoned else "neither taken nor refused with a reason"}
    task, snapshot = batch.tasks.get(str(demand.get("task_id"))), batch.snapshots.get(demand.get("snapshot_id") or 0)
    if task is None or snapshot is None:
        return said | {"accounted": f"taken without a {'task' if task is None else 'snapshot'}"}
    return said | {"accounted": "taken"} | _beside_snapshot(batch, demand, snapshot) | _beside_task(task, snapshot)


def _beside_snapshot(batch: Batch, demand: Mapping[str, Any], snapshot: Row) -> dict[str, Any]:
    evidence = _evidence(snapshot)
    itemsets = evidence.get("itemset_ids") or [None]
    return {
        **{name: demand.get(name) for name in _COMPARED},
        **{f"snapshot_{name}": snapshot[name] for name in _COMPARED},
        "expansion": fingerprint(_listed(demand.get("query_expansion"))),
        "snapshot_expansion": fingerprint(snapshot["query_expansion"] or []),
        "source": _joined(
            demand.get(name) for name in ("origin", "pattern_execution_id", "itemset_id", "source_post_id")
        ),
        "snapshot_source": _joined(
            (evidence.get("origin"), evidence.get("pattern_execution_id"), itemsets[0], evidence.get("source_post_id"))
        ),
        "platform": snapshot["platform"],
        "expansion_kind": kind(snapshot["query_expansion"]),
        "constraints_kind": kind(snapshot["quality_constraints"]),
        "payload_kind": kind(snapshot["source_payload"]) or NOTHING,
        "evidence_kind": kind((snapshot["source_payload"] or {}).get("source_evidence")) or NOTHING,
        "ahead_s": batch.seconds_ahead(snapshot["created_at"], snapshot["updated_at"]),
    }


def _beside_task(task: Row, snapshot: Row) -> dict[str, Any]:
    evidence = _evidence(snapshot)
    proven = evidence.get("origin") != "request"
    return {
        "snapshot_id": snapshot["id"],
        "task_snapshot_id": task["demand_snapshot_id"],
        "evidence": fingerprint(evidence),
        "task_evidence": fingerprint(ext_of(task).get("source_evidence")),
        "evidence_gaps": sum(not evidence.get(name) for name in _INHERITED) if proven else 0,
    }


def task_frames(batch: Batch) -> FrameRows:
    """``supply_tasks``: one row a task that is listed or that a demand names."""
    states = {str(row["task_id"]): row.get("state") for row in batch.claimed_demands if row.get("task_id")}
    claims = {str(row["task_id"]): row for row in batch.claimed_tasks if row.get("task_id")}
    return {TASKS: [_task_row(batch, task_id, states, claims) for task_id in batch.task_ids]}


def _task_row(
    batch: Batch, task_id: str, states: Mapping[str, Any], claims: Mapping[str, Mapping[str, Any]]
) -> dict[str, Any]:
    row: dict[str, Any] = {
        KEY: f"task {task_id}",
        "demand_state": states.get(task_id) or "no demand",
        "listed": task_id in claims,
        "standing": standing_of_any(batch, task_id),
    }
    task = batch.tasks.get(task_id)
    if task is None:
        return row | {"claim": fingerprint(claims.get(task_id, {})), "row": NOTHING}
    return row | _task_shape(batch, task) | _task_closure(batch, task, claims.get(task_id))


def _task_shape(batch: Batch, task: Row) -> dict[str, Any]:
    ext = ext_of(task)
    return {
        **{name: task[name] for name in ("status", "retry_count", "duration_ms")},
        "current_stage": task["current_stage"] or NOTHING,
        "status_at_stage": f"{task['status']} at {task['current_stage']}",
        "ahead_s": batch.seconds_ahead(task["created_at"], task["started_at"], task["finished_at"]),
        "idempotency_key": task["idempotency_key"] or NOTHING,
        "ended": task["status"] in ENDED,
        "finished": task["finished_at"] is not None,
        "evidence_kind": kind(ext.get("source_evidence")) or NOTHING,
        "plan_type": (ext.get("options") or {}).get("plan_type") or NOTHING,
        "cycle": ext.get("cycle", NO_NUMBER),
    }


def _task_closure(batch: Batch, task: Row, claim: Mapping[str, Any] | None) -> dict[str, Any]:
    snapshot = batch.snapshots.get(task["demand_snapshot_id"])
    ext = ext_of(task)
    row = {"demand_id": task["demand_id"], "trace_id": task["trace_id"], "snapshot_id": task["demand_snapshot_id"]}
    row |= {"idempotency_key": task["idempotency_key"], "batch": str(ext.get("batch", ""))}
    demand_id, _, tail = str(task["idempotency_key"]).partition(":")
    says = NOTHING if snapshot is None else f"{task['demand_id']}:{snapshot['platform']}:v{snapshot['version']}"
    return {
        "claim": fingerprint(row if claim is None else {name: claim.get(name) for name in row}),
        "row": fingerprint(row),
        "demand_id": task["demand_id"],
        "snapshot_demand_id": NO_NUMBER if snapshot is None else snapshot["demand_id"],
        "evidence_demand_id": (ext.get("source_evidence") or {}).get("demand_id", NO_NUMBER),
        "key_says": f"{demand_id}:{tail.partition(':')[2]}",
        "snapshot_says": says,
    }


def kind(value: object) -> str | None:
    """object, array or scalar; ``None`` for nothing."""
    if value is None:
        return None
    return "object" if isinstance(value, dict) else "array" if isinstance(value, list) else "scalar"


def _evidence(snapshot: Row) -> dict[str, Any]:
    evidence = (snapshot["source_payload"] or {}).get("source_evidence")
    return evidence if isinstance(evidence, dict) else {}


def _listed(expansion: Any) -> list[Any]:
    """The expansion terms, which travel between assets as JSON text."""
    parsed = strict_json.loads(expansion) if isinstance(expansion, str) else expansion
    return list(parsed) if parsed is not None else []


def _joined(values: Any) -> str:
    return "|".join(str(value) for value in values)
