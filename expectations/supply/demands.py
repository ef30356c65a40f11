"""Suites of ``demand_snapshots`` and ``supply_tasks``: what was taken in is whole and proven (S-001 … S-006)."""

from __future__ import annotations

from expectations.engine.rules import one_of, rows_exist, same
from expectations.supply.demands_frames import DEMANDS, REFUSED, TAKEN, TASKS
from expectations.supply.rules import SET_CLOCKS, agreeing, among, between, clocks_agree, shaped, suite
from expectations.supply.task_standing import CANCELLED, DONE, FAILED, FROZEN, HELD, UNDER_WAY, WAITING
from resources.databases.supply_store.states import Stage, TaskStatus

_TAKE_IN = "take the batch in again: materialize demand_snapshots, or run `pattern2plan supply run` for it"
_ALTERED = "the row was altered after it was taken in: compare it with demand_content, then run with --force"
_EVIDENCE = "the evidence was altered after it was inherited: run `pattern2plan trace`, then take in with --force"
_STATE = "see the task's STATE_CHANGE events: it was moved past the state machine"
_STATUS_AT = (
    "PENDING at INIT",
    "RUNNING at INIT",
    "RUNNING at RECALL",
    "RECALL_DONE at ACCOUNT_ENRICH",
    *(f"ENRICHED at {stage}" for stage in (Stage.ACCOUNT_PROFILE, Stage.CONTENT_ENRICH, Stage.RANK)),
    *(f"RANKED at {stage}" for stage in (Stage.CREATE_PLAN, Stage.FINALIZE)),
    "PLAN_CREATED at FINALIZE",
    "COMPLETED at FINALIZE",
    *(f"{status} at {stage}" for status in (TaskStatus.FAILED, TaskStatus.CANCELLED) for stage in Stage),
)

DEMAND_SUITES = (
    suite(
        "complete",
        DEMANDS,
        "Each demand of the batch is taken in with a snapshot and a task, or refused with a rule and a reason.",
        rows_exist("S-003"),
        one_of("S-002", "accounted", ["taken", "refused with a reason"], _TAKE_IN),
        one_of("S-002", "state", [TAKEN, REFUSED], _TAKE_IN),
        between("S-003", "times", 1, 1, "the demand is listed twice: take the batch in again"),
    ),
    suite(
        "shape",
        DEMANDS,
        "Each snapshot asks for 1 to 200 articles of a known platform by a query, with its evidence.",
        rows_exist("S-003"),
        shaped("S-001", "snapshot_query", r"\S", _ALTERED),
        between("S-001", "snapshot_expected_count", 1, 200, _ALTERED),
        among("S-001", "platform", ["weixin"], _ALTERED),
        between("S-001", "snapshot_demand_id", 1, None, _ALTERED),
        between("S-003", "snapshot_version", 1, None, _ALTERED),
        among("S-041", "expansion_kind", ["array"], _ALTERED),
        among("S-041", ("constraints_kind", "payload_kind"), ["object"], _ALTERED),
        among("S-006", "evidence_kind", ["object"], _EVIDENCE),
        clocks_agree(),
    ),
    suite(
        "closure",
        DEMANDS,
        "Each snapshot is the demand that was taken in, and carries the evidence of its task, whole.",
        rows_exist("S-003"),
        agreeing("S-003", "demand_id", "snapshot_demand_id", _ALTERED),
        agreeing("S-001", "query", "snapshot_query", _ALTERED),
        agreeing("S-001", "expansion", "snapshot_expansion", _ALTERED),
        agreeing("S-001", "expected_count", "snapshot_expected_count", _ALTERED),
        agreeing("S-003", "version", "snapshot_version", _ALTERED),
        agreeing("S-003", "snapshot_id", "task_snapshot_id", _ALTERED),
        agreeing("S-006", "source", "snapshot_source", _EVIDENCE),
        agreeing("S-006", "evidence", "task_evidence", _EVIDENCE),
        between("S-006", "evidence_gaps", 0, 0, _EVIDENCE),
    ),
)
TASK_SUITES = (
    suite(
        "complete",
        TASKS,
        "Each demand that was taken in has its task, and no task is stuck without a word.",
        rows_exist("S-003"),
        one_of("S-003", "demand_state", [TAKEN], "the task has no demand in the batch: take the batch in again"),
        one_of("S-003", "listed", [True], _TAKE_IN),
        one_of(
            "S-005",
            "standing",
            [WAITING, UNDER_WAY, DONE, FAILED, HELD, FROZEN, CANCELLED],
            "see the task's stage rows and events; run `pattern2plan supply run` for the batch again",
        ),
        blocking=True,
    ),
    suite(
        "shape",
        TASKS,
        "Each task is in a state that the state machine knows, with times, retries and options in range.",
        rows_exist("S-003"),
        among("S-004", "status", [str(status) for status in TaskStatus], _STATE),
        among("S-004", "current_stage", [str(stage) for stage in Stage], _STATE),
        among("S-004", "status_at_stage", _STATUS_AT, _STATE),
        agreeing("S-004", "ended", "finished", _STATE),
        between("S-005", "retry_count", 0, None, _STATE),
        between("S-005", "duration_ms", 0, None, SET_CLOCKS),
        clocks_agree(),
        shaped("S-003", "idempotency_key", r"^[0-9]+:[0-9a-f]{32}:weixin:v[0-9]+$", _ALTERED),
        among("S-006", "evidence_kind", ["object"], _EVIDENCE),
        among("S-028", "plan_type", ["BY_CONTENT", "BY_ACCOUNT"], _ALTERED),
        between("S-025", "cycle", 1, None, _STATE),
    ),
    suite(
        "closure",
        TASKS,
        "Each task is the one that was taken in, and belongs to its snapshot, its version and its evidence.",
        rows_exist("S-003"),
        same("S-003", "claim", "row", "the task is not the one that was taken in: take the batch in again"),
        agreeing("S-003", "demand_id", "snapshot_demand_id", _ALTERED),
        agreeing("S-003", "key_says", "snapshot_says", _ALTERED),
        agreeing("S-006", "demand_id", "evidence_demand_id", _EVIDENCE),
        blocking=True,
    ),
)
