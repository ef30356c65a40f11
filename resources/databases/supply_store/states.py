"""The state machine of a task: its statuses, its stages, and the moves that are legal (S-004)."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType

from resources.foundation.errors import IllegalMove


class TaskStatus(StrEnum):
    """``supply_task.status``."""

    PENDING = "PENDING"
    RUNNING = "RUNNING"
    RECALL_DONE = "RECALL_DONE"
    ENRICHED = "ENRICHED"
    RANKED = "RANKED"
    PLAN_CREATED = "PLAN_CREATED"
    COMPLETED = "COMPLETED"
    FAILED = "FAILED"
    CANCELLED = "CANCELLED"


class Stage(StrEnum):
    """``supply_task.current_stage`` and ``supply_task_stage.stage_name``, in their order."""

    INIT = "INIT"
    RECALL = "RECALL"
    ACCOUNT_ENRICH = "ACCOUNT_ENRICH"
    ACCOUNT_PROFILE = "ACCOUNT_PROFILE"
    CONTENT_ENRICH = "CONTENT_ENRICH"
    RANK = "RANK"
    CREATE_PLAN = "CREATE_PLAN"
    FINALIZE = "FINALIZE"

    @property
    def next(self) -> Stage | None:
        """The stage after this one; ``None`` after FINALIZE."""
        order = list(Stage)
        place = order.index(self) + 1
        return order[place] if place < len(order) else None


class StageStatus(StrEnum):
    """``supply_task_stage.stage_status``."""

    PENDING = "PENDING"
    RUNNING = "RUNNING"
    SUCCESS = "SUCCESS"
    FAILED = "FAILED"
    SKIPPED = "SKIPPED"


STARTED = (
    TaskStatus.RUNNING,
    TaskStatus.RECALL_DONE,
    TaskStatus.ENRICHED,
    TaskStatus.RANKED,
    TaskStatus.PLAN_CREATED,
)
BOUND, NOT_BOUND = "SUCCESS", "FAILED"
"""What came of a binding, in ``produce_bind_status``."""
FINAL = frozenset({TaskStatus.COMPLETED, TaskStatus.CANCELLED})
ENDED = FINAL | {TaskStatus.FAILED}

_ONWARD: Mapping[TaskStatus, frozenset[TaskStatus]] = {
    TaskStatus.PENDING: frozenset({TaskStatus.RUNNING}),
    TaskStatus.RUNNING: frozenset({TaskStatus.RECALL_DONE}),
    TaskStatus.RECALL_DONE: frozenset({TaskStatus.ENRICHED}),
    # Back to RUNNING: a top-up recall round (S-025).
    TaskStatus.ENRICHED: frozenset({TaskStatus.RANKED, TaskStatus.RUNNING}),
    # COMPLETED: nothing was selected, so there is no plan. Back to ENRICHED: ranked again after a review (S-030).
    TaskStatus.RANKED: frozenset({TaskStatus.PLAN_CREATED, TaskStatus.COMPLETED, TaskStatus.ENRICHED}),
    TaskStatus.PLAN_CREATED: frozenset({TaskStatus.COMPLETED}),
    # A failed task resumes where it stopped (S-005).
    TaskStatus.FAILED: frozenset(STARTED),
    TaskStatus.COMPLETED: frozenset(),
    TaskStatus.CANCELLED: frozenset(),
}


def _moves_from(status: TaskStatus) -> frozenset[TaskStatus]:
    """Onward moves, the two ways out, and standing still where only the stage moves on."""
    if status in FINAL:
        return frozenset()
    if status is TaskStatus.FAILED:
        return _ONWARD[status] | {TaskStatus.CANCELLED}
    stays = frozenset({status}) if status in STARTED else frozenset()
    return _ONWARD[status] | stays | {TaskStatus.FAILED, TaskStatus.CANCELLED}


LEGAL_STATUS_MOVES: Mapping[TaskStatus, frozenset[TaskStatus]] = MappingProxyType(
    {status: _moves_from(status) for status in TaskStatus}
)
_DETOURS: Mapping[Stage, frozenset[Stage]] = {
    # RECALL: a top-up round; FINALIZE: nothing was selected.
    Stage.RANK: frozenset({Stage.RECALL, Stage.FINALIZE}),
    Stage.CREATE_PLAN: frozenset({Stage.RANK}),
    # Nothing was selected, and a review changes that (S-030).
    Stage.FINALIZE: frozenset({Stage.RANK}),
}
LEGAL_STAGE_MOVES: Mapping[Stage, frozenset[Stage]] = MappingProxyType(
    {
        stage: frozenset({stage}) | ({stage.next} if stage.next else frozenset()) | _DETOURS.get(stage, frozenset())
        for stage in Stage
    }
)


def require_legal(task_id: str, old: tuple[TaskStatus, Stage], new: tuple[TaskStatus, Stage]) -> None:
    """Refuse a move that the two tables do not list (S-004).

    Raises:
        IllegalMove: naming both states.
    """
    if new[0] in LEGAL_STATUS_MOVES[old[0]] and new[1] in LEGAL_STAGE_MOVES[old[1]]:
        return
    before, after = f"{old[0]} at {old[1]}", f"{new[0]} at {new[1]}"
    raise IllegalMove(
        f"task {task_id} may not go from {before} to {after}", "read the task again and see what it needs"
    )
