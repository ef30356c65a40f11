"""Whether a task is accounted for at a stage: past it, or stopped for a reason (S-005, S-025, S-030, D-073)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from expectations.engine.rules import KEY
from expectations.supply.batch_rows import Batch, Row, ext_of
from resources.databases.supply_store.states import STARTED, Stage, StageStatus, TaskStatus

DONE, NOTHING_SELECTED, FAILED, HELD, CANCELLED = "done", "nothing selected", "failed", "held", "cancelled"
FROZEN = "frozen"
ACCOUNTED = (DONE, NOTHING_SELECTED, FAILED, HELD, FROZEN, CANCELLED)
WAITING, UNDER_WAY = "waiting", "under way"
_PLACE = {str(stage): place for place, stage in enumerate(Stage)}


def is_past(task: Row | None, stage: Stage) -> bool:
    """The task has left the stage behind, in its latest round of recall."""
    if task is None:
        return False
    place = _PLACE.get(str(task["current_stage"]), 0)
    return bool(task["status"] == TaskStatus.COMPLETED) or place > _PLACE[stage]


def standing(batch: Batch, task_id: str, through: Stage) -> str:
    """One of ``ACCOUNTED``, or what is wrong: the task is open, or stopped without a word."""
    task, attempts = batch.tasks.get(task_id), batch.stages.get(task_id, [])
    if task is None:
        return "not in the store"
    if is_past(task, through):
        return _past(attempts, through)
    return _stopped(task) or f"{task['status']} at {task['current_stage']}"


def standing_of_any(batch: Batch, task_id: str) -> str:
    """Like :func:`standing`, for a task that need not have passed any stage yet."""
    task, attempts = batch.tasks.get(task_id), batch.stages.get(task_id, [])
    if task is None:
        return "not in the store"
    if task["status"] == TaskStatus.PENDING:
        return WAITING
    if task["status"] in STARTED:
        return UNDER_WAY if attempts else f"{task['status']} without an attempt"
    if task["status"] == TaskStatus.COMPLETED:
        return DONE if attempts else "COMPLETED without an attempt"
    return _stopped(task) or f"{task['status']} without a reason"


def task_row(batch: Batch, task_id: str, through: Stage) -> tuple[dict[str, Any], dict[str, Any] | None]:
    """A task's key and standing, and the summary of the stage's latest attempt; ``None`` where it is not done."""
    stands = standing(batch, task_id, through)
    output = _last_output(batch.stages.get(task_id, []), through) if stands == DONE else None
    return {KEY: f"task {task_id}", "standing": stands}, output


def _last_output(attempts: Sequence[Row], stage: Stage) -> dict[str, Any] | None:
    """The summary of the latest attempt that ended well; ``None`` where none did."""
    ended = [row for row in attempts if row["stage_name"] == stage and row["stage_status"] == StageStatus.SUCCESS]
    return (ended[-1]["output_payload"] or {}) if ended else None


def _past(attempts: Sequence[Row], through: Stage) -> str:
    if _last_output(attempts, through) is not None:
        return DONE
    ranked = _last_output(attempts, Stage.RANK)
    if through is Stage.CREATE_PLAN and ranked is not None and ranked.get("selected") == 0:
        return NOTHING_SELECTED
    return f"past {through} without an attempt that ended well"


def _stopped(task: Row) -> str | None:
    review = _with_reason(task, "review", "by")
    if task["status"] == TaskStatus.FAILED and task["error_code"] and task["error_message"]:
        return FAILED
    if task["status"] == TaskStatus.CANCELLED and review:
        return CANCELLED
    if review.get("state") == "HELD":
        return HELD
    return FROZEN if _with_reason(task, "frozen", "rule_id") else None


def _with_reason(task: Row, name: str, cause: str) -> dict[str, Any]:
    """What the task's JSON says under a name, if it says who or what stopped it, and why; else empty."""
    said = ext_of(task).get(name) or {}
    return said if said.get(cause) and said.get("reason") else {}
