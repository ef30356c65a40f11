"""Manual review: a named person holds, releases, accepts or rejects a task or a candidate, with a reason (S-030).

Each decision is one transaction on the task's locked row, with a MANUAL_INTERVENTION event. A task whose plan is
on its way or made is out of reach: a review does not undo a plan.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from sqlalchemy import Connection

from resources.databases.supply_store.articles.candidates import CandidateRow, mark, read_candidate
from resources.databases.supply_store.articles.plans import plans_of_tasks
from resources.databases.supply_store.engine import SupplyStore
from resources.databases.supply_store.events import NewEvent, insert_events
from resources.databases.supply_store.states import ENDED, Stage, TaskStatus
from resources.databases.supply_store.tasks.conditions import HELD, REVIEW
from resources.databases.supply_store.tasks.ext import FREE_LEASE, LEASE, set_ext
from resources.databases.supply_store.tasks.stage_rows import close_attempts
from resources.databases.supply_store.tasks.tasks import TaskRow, lock_task, move
from resources.foundation.clock import Clock
from resources.foundation.errors import Pattern2PlanError, UsageError
from resources.foundation.ids import MAX_ID
from supply_assets.intake.request import is_storable
from supply_assets.normalisation import texts
from supply_assets.review.review_state import ACCEPTED, REJECTED, RELEASED

LONGEST_REASON = 200
LONGEST_NAME = 64


class Decision(StrEnum):
    """What a person may decide."""

    HOLD = "hold"
    RELEASE = "release"
    ACCEPT = "accept"
    REJECT = "reject"


STATE_OF_TASK = {
    Decision.HOLD: HELD,
    Decision.RELEASE: RELEASED,
    Decision.ACCEPT: ACCEPTED,
    Decision.REJECT: REJECTED,
}
FLAG_OF_CANDIDATE = STATE_OF_TASK | {Decision.RELEASE: "UNKNOWN"}


class ReviewRefused(Pattern2PlanError):
    """The task or candidate is past the point where a review changes anything."""


@dataclass(frozen=True)
class Reviewer:
    """Who decides, and why; both are asked for."""

    name: str
    reason: str

    def __post_init__(self) -> None:
        if not _is_valid_text(self.name, LONGEST_NAME):
            raise UsageError(f"--by: a name of 1 to {LONGEST_NAME} characters is needed", "say who decides")
        if not _is_valid_text(self.reason, LONGEST_REASON):
            raise UsageError(f"--reason: 1 to {LONGEST_REASON} characters are needed", "say why")


def _is_valid_text(text: str, longest: int) -> bool:
    return bool(texts.display(text)) and len(text) <= longest and is_storable(text)


def review_task(store: SupplyStore, clock: Clock, task_id: str, decision: Decision, reviewer: Reviewer) -> str:
    """Decide on a task; a rejected one is cancelled. Returns the review state.

    Raises:
        NoSuchTask: there is no such task.
        ReviewRefused: the task has ended, or its plan is on its way.
    """
    now = clock.now()
    state = STATE_OF_TASK[decision]

    def work(connection: Connection) -> None:
        task = lock_task(connection, task_id)
        _require_open(connection, task)
        review = {"state": state, "by": reviewer.name, "reason": reviewer.reason, "at": now.isoformat()}
        set_ext(connection, task_id, REVIEW, review)
        if decision is Decision.REJECT:
            move(connection, task, status=TaskStatus.CANCELLED, stage=task.current_stage, owner=None, at=now)
            close_attempts(connection, task_id, at=now, error=("cancelled", f"rejected by {reviewer.name}"))
        insert_events(connection, [_event(task, decision, reviewer, None, now)])

    store.write(work)
    return state


def review_candidate(
    store: SupplyStore, clock: Clock, candidate_id: int, decision: Decision, reviewer: Reviewer
) -> str:
    """Decide on a candidate; a task that was ranked already is ranked again. Returns the candidate's flag.

    Raises:
        UsageError: there is no such candidate.
        ReviewRefused: its task has ended, its plan is on its way, or the article is gone.
    """
    now = clock.now()
    flag = FLAG_OF_CANDIDATE[decision]

    def work(connection: Connection) -> None:
        task = lock_task(connection, _candidate(connection, candidate_id).task_id)
        _require_open(connection, task)
        _require_reviewable(_candidate(connection, candidate_id))
        mark(connection, candidate_id, flag, None if decision is Decision.RELEASE else _why(reviewer))
        _rank_again(connection, task, now)
        insert_events(connection, [_event(task, decision, reviewer, candidate_id, now)])

    store.write(work)
    return flag


def _candidate(connection: Connection, candidate_id: int) -> CandidateRow:
    candidate = read_candidate(connection, candidate_id) if 0 < candidate_id <= MAX_ID else None
    if candidate is None:
        raise UsageError(f"there is no candidate {candidate_id}", "see `pattern2plan review list`")
    return candidate


def _rank_again(connection: Connection, task: TaskRow, at: datetime) -> None:
    """What was ranked, or is being ranked at this moment, was ranked without the decision."""
    if task.current_stage in (Stage.CREATE_PLAN, Stage.FINALIZE):
        move(connection, task, status=TaskStatus.ENRICHED, stage=Stage.RANK, owner=None, at=at)
    elif task.current_stage is Stage.RANK:
        # A worker that has read the old flags loses its lease: it writes nothing and ranks again.
        set_ext(connection, task.task_id, LEASE, FREE_LEASE)


def _require_open(connection: Connection, task: TaskRow) -> None:
    if task.status in ENDED and task.status != TaskStatus.FAILED:
        raise ReviewRefused(f"task {task.task_id} is {task.status}", "a review changes nothing any more")
    if plans_of_tasks(connection, [task.task_id]):
        raise ReviewRefused(f"the plan of task {task.task_id} is on its way or made", "withdraw it on the platform")


def _require_reviewable(candidate: CandidateRow) -> None:
    if candidate.is_deleted or candidate.quality_flag == "REJECT":
        message = f"candidate {candidate.id} is no article any more: {candidate.reject_reason}"
        raise ReviewRefused(message, "choose another one")


def _why(reviewer: Reviewer) -> str:
    return f"{reviewer.reason} ({reviewer.name})"[:255]


def _event(task: TaskRow, decision: Decision, reviewer: Reviewer, candidate_id: int | None, at: datetime) -> NewEvent:
    subject = "task" if candidate_id is None else f"candidate {candidate_id}"
    return NewEvent(
        task_id=task.task_id,
        stage_name=task.current_stage,
        event_type="MANUAL_INTERVENTION",
        event_level="INFO",
        event_payload={
            "decision": decision,
            "by": reviewer.name,
            "reason": reviewer.reason,
            "candidate_id": candidate_id,
        },
        message=f"{reviewer.name}: {decision} {subject}: {reviewer.reason}"[:1000],
        created_at=at,
    )
