"""One task under a lease: stage after stage, each ended in one transaction, until it has passed a given stage (S-005).

The lease is checked inside every transaction that ends a stage: a worker that lost it writes nothing more.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable, Mapping, Sequence
from enum import StrEnum
from typing import Any, TypeVar

import structlog
from sqlalchemy import Connection
from structlog.contextvars import bind_contextvars, bound_contextvars

from resources.calls.outcomes.answers import Code
from resources.databases.supply_store.articles.plans import plans_of_tasks
from resources.databases.supply_store.events import NewEvent, insert_events
from resources.databases.supply_store.states import Stage, StageStatus, TaskStatus
from resources.databases.supply_store.tasks.ext import REVOKED_MS, set_ext
from resources.databases.supply_store.tasks.leases import acquire, release, renew
from resources.databases.supply_store.tasks.snapshots import SnapshotRow, read_snapshots
from resources.databases.supply_store.tasks.stage_rows import begin_stage, end_stage
from resources.databases.supply_store.tasks.tasks import TaskRow, move, read_task
from resources.foundation.clock import epoch_ms
from resources.foundation.errors import LeaseLost, ServiceUnreachable, StaleTask, one_line
from supply_assets.stages.account_enrich import account_enrich
from supply_assets.stages.account_profile import account_profile
from supply_assets.stages.content_enrich import content_enrich
from supply_assets.stages.create_plan import PLAN_UNKNOWN, create_plan
from supply_assets.stages.finalize import finalize
from supply_assets.stages.init import init
from supply_assets.stages.rank import rank
from supply_assets.stages.recall.recall import recall
from supply_assets.stages.stage import Attempt, StageEnd, StageFailed, TaskHeld, Workshop
from supply_assets.tasks.event_buffer import EventBuffer
from supply_assets.tasks.platform_reach import PlatformReach

log = structlog.get_logger(__name__)
Result = TypeVar("Result")

HANDLERS: Mapping[Stage, Callable[[Attempt], Awaitable[StageEnd]]] = {
    Stage.INIT: init,
    Stage.RECALL: recall,
    Stage.ACCOUNT_ENRICH: account_enrich,
    Stage.ACCOUNT_PROFILE: account_profile,
    Stage.CONTENT_ENRICH: content_enrich,
    Stage.RANK: rank,
    Stage.CREATE_PLAN: create_plan,
    Stage.FINALIZE: finalize,
}
STATUS_AT: Mapping[Stage, TaskStatus] = {
    Stage.INIT: TaskStatus.RUNNING,
    Stage.RECALL: TaskStatus.RUNNING,
    Stage.ACCOUNT_ENRICH: TaskStatus.RECALL_DONE,
    Stage.ACCOUNT_PROFILE: TaskStatus.ENRICHED,
    Stage.CONTENT_ENRICH: TaskStatus.ENRICHED,
    Stage.RANK: TaskStatus.ENRICHED,
    Stage.CREATE_PLAN: TaskStatus.RANKED,
    Stage.FINALIZE: TaskStatus.PLAN_CREATED,
}
ORDER = list(Stage)
UNEXPECTED = "unexpected_error"


class Advance(StrEnum):
    """Where a task stands after a worker has let go of it."""

    PASSED = "passed"
    COMPLETED = "completed"
    FAILED = "failed"
    HELD = "held"
    CANCELLED = "cancelled"
    BUSY = "busy"
    REVOKED = "revoked"


class TaskRun:
    """Advances single tasks for one worker."""

    def __init__(self, workshop: Workshop, events: EventBuffer, lease_s: float) -> None:
        self._workshop = workshop
        self._events = events
        self._lease_s = lease_s
        self.reach = PlatformReach()

    async def advance(self, task_id: str, through: Stage) -> Advance:
        """Run the stages of a task up to and with ``through``; a failed one that may be tried again resumes.

        Raises:
            StoreUnwritable: the store went away; the lease runs out and the next run goes on.
        """
        task = await self._workshop.read(lambda connection: read_task(connection, task_id))
        standing = standing_of(task, through)
        if standing is not None:
            return standing
        # Each task is advanced by a coroutine of its own: what is bound here is bound for its lines alone.
        with bound_contextvars(task_id=task_id, trace_id=task.trace_id, stage=str(task.current_stage)):
            return await self._under_lease(task_id, through)

    async def _under_lease(self, task_id: str, through: Stage) -> Advance:
        if not await self._workshop.write(lambda connection: self._acquire(connection, task_id)):
            return await self._why_not(task_id)
        try:
            advance = await self._until(task_id, through)
        except (LeaseLost, StaleTask) as lost:
            log.warning("another worker has the task", reason=lost.message)
            advance = Advance.BUSY
        except asyncio.CancelledError:
            await asyncio.shield(self._release(task_id))
            raise
        await self._release(task_id)
        return advance

    def _acquire(self, connection: Connection, task_id: str) -> bool:
        workshop = self._workshop
        since_ms = None if workshop.since is None else epoch_ms(workshop.since)
        now = workshop.clock.now()
        return acquire(connection, task_id, workshop.owner, now=now, ttl_s=self._lease_s, since_ms=since_ms)

    async def _why_not(self, task_id: str) -> Advance:
        """Another worker has the task and is waited for, or the run was cancelled and is not to wait for anything."""
        if self._workshop.since is None:
            return Advance.BUSY
        task = await self._workshop.read(lambda connection: read_task(connection, task_id))
        is_revoked = task.ext.get(REVOKED_MS, -1) >= epoch_ms(self._workshop.since)
        return Advance.REVOKED if is_revoked else Advance.BUSY

    async def _release(self, task_id: str) -> None:
        await self._workshop.write(lambda connection: release(connection, task_id, self._workshop.owner))

    async def _until(self, task_id: str, through: Stage) -> Advance:
        task, snapshot = await self._workshop.read(lambda connection: _task_and_snapshot(connection, task_id))
        if task.status == TaskStatus.FAILED:
            task = await self._resume(task)
        waits = 0
        while (standing := standing_of(task, through)) is None:
            stage = task.current_stage
            bind_contextvars(stage=str(stage))
            row_id = await self._begin(task)
            attempt = Attempt(self._workshop, task, snapshot, stage, row_id)
            try:
                task = await self._end(attempt, await HANDLERS[stage](attempt))
                self.reach.ended(stage)
                log.debug("stage ended", status=task.status, next_stage=task.current_stage)
            except TaskHeld as held:
                await self._skip(attempt, held)
                return Advance.HELD
            except StageFailed as failure:
                patience = self.reach.patience(self._workshop.policy.breaker_waits)
                if failure.code != Code.BREAKER_OPEN or waits >= patience:
                    self.reach.failed(failure.code, waits)
                    return await self._fail(attempt, failure)
                waits += 1
                await self._wait_for_provider(attempt, failure)
            except (LeaseLost, StaleTask, ServiceUnreachable):
                raise
            except Exception as error:
                # One task's surprise must not stop the others; it is stored and logged.
                log.exception("stage failed unexpectedly")
                message = f"{type(error).__name__}: {one_line(error)}"
                return await self._fail(attempt, StageFailed(UNEXPECTED, message, retryable=True))
        return standing

    async def _begin(self, task: TaskRow) -> int:
        given = {"status": task.status, "cycle": task.ext.get("cycle")}
        now, owner = self._workshop.clock.now(), self._workshop.owner

        def work(connection: Connection) -> int:
            if not renew(connection, [task.task_id], owner, now=now, ttl_s=self._lease_s):
                raise LeaseLost(f"the lease of task {task.task_id} is not {owner}'s any more", "another worker has it")
            return begin_stage(connection, task.task_id, task.current_stage, at=now, input_payload=given)

        return await self._workshop.write(work)

    async def _resume(self, task: TaskRow) -> TaskRow:
        stage = task.current_stage
        status = STATUS_AT[stage]
        if stage is Stage.FINALIZE and not await self._has_plan(task):
            status = TaskStatus.RANKED
        return await self._move(task, status, stage, lambda _: None)

    async def _has_plan(self, task: TaskRow) -> bool:
        plans = await self._workshop.read(lambda connection: plans_of_tasks(connection, [task.task_id]))
        return any(plan.crawler_plan_id for plan in plans)

    async def _end(self, attempt: Attempt, end: StageEnd) -> TaskRow:
        now = self._workshop.clock.now()

        def work(connection: Connection) -> None:
            end.work(connection)
            end_stage(connection, attempt.row_id, status=StageStatus.SUCCESS, at=now, output_payload=end.output)

        return await self._move(attempt.task, end.status, end.stage, work)

    async def _move(
        self, task: TaskRow, status: TaskStatus, stage: Stage, work: Callable[[Connection], None]
    ) -> TaskRow:
        """One transaction: the task's row is locked first, so that all writers take locks in one order (S-041)."""
        now, owner = self._workshop.clock.now(), self._workshop.owner

        def all_or_nothing(connection: Connection) -> TaskRow:
            moved = move(connection, task, status=status, stage=stage, owner=owner, at=now)
            work(connection)
            return read_task(connection, moved.task_id)

        return await self._write_with_events(task, [_state_change(task, status, stage, now)], all_or_nothing)

    async def _write_with_events(
        self, task: TaskRow, own: Sequence[NewEvent], work: Callable[[Connection], Result]
    ) -> Result:
        """One transaction with the events of the calls so far; where it fails they wait for the next (S-012)."""
        called = self._events.take(task.task_id)

        def with_events(connection: Connection) -> Result:
            result = work(connection)
            insert_events(connection, [*called, *own])
            return result

        try:
            return await self._workshop.write(with_events)
        except Exception:
            self._events.add(*called)
            raise

    async def _fail(self, attempt: Attempt, failure: StageFailed) -> Advance:
        now, owner, task = self._workshop.clock.now(), self._workshop.owner, attempt.task
        error = (failure.code[:64], failure.message)
        own = [
            _state_change(task, TaskStatus.FAILED, attempt.stage, now),
            _error(task, attempt.stage, failure, now),
        ]

        def work(connection: Connection) -> None:
            move(connection, task, status=TaskStatus.FAILED, stage=attempt.stage, owner=owner, at=now, error=error)
            set_ext(connection, task.task_id, "retryable", failure.retryable)
            end_stage(connection, attempt.row_id, status=StageStatus.FAILED, at=now, error=error)

        await self._write_with_events(task, own, work)
        log.warning("stage failed", error_code=failure.code, retryable=failure.retryable, reason=failure.message[:300])
        return Advance.FAILED

    async def _wait_for_provider(self, attempt: Attempt, failure: StageFailed) -> None:
        """A breaker that is open says nothing of this task: it waits in its stage, and no try of it is used up.

        The pauses differ, so that not all tasks of a worker come back with the one probe.
        """
        now, error = self._workshop.clock.now(), (failure.code, failure.message)
        await self._workshop.write(
            lambda connection: end_stage(connection, attempt.row_id, status=StageStatus.FAILED, at=now, error=error)
        )
        await self._workshop.sleep(self._workshop.policy.breaker_pause_s * random.uniform(1, 1.5))

    async def _skip(self, attempt: Attempt, held: TaskHeld) -> None:
        now = self._workshop.clock.now()
        output = {"held": held.message}
        await self._workshop.write(
            lambda connection: end_stage(
                connection, attempt.row_id, status=StageStatus.SKIPPED, at=now, output_payload=output
            )
        )


def standing_of(task: TaskRow, through: Stage) -> Advance | None:
    """How a task stands that need not be advanced; ``None`` where there is work to do."""
    if task.status == TaskStatus.COMPLETED:
        return Advance.COMPLETED
    if task.status == TaskStatus.CANCELLED:
        return Advance.CANCELLED
    if task.status == TaskStatus.FAILED and not may_resume(task):
        return Advance.FAILED
    if ORDER.index(task.current_stage) > ORDER.index(through):
        return Advance.PASSED
    return None


def may_resume(task: TaskRow) -> bool:
    """A failed task is tried again where its error may pass and its tries are not used up.

    One that may have a plan which nobody recorded is looked up however often it failed: adopted, not lost (S-028).
    """
    if not task.ext.get("retryable"):
        return False
    return task.error_code == PLAN_UNKNOWN or task.retry_count < task.max_retry


def _task_and_snapshot(connection: Connection, task_id: str) -> tuple[TaskRow, SnapshotRow]:
    task = read_task(connection, task_id)
    return task, read_snapshots(connection, [task.demand_snapshot_id])[task.demand_snapshot_id]


def _state_change(task: TaskRow, status: TaskStatus, stage: Stage, at: Any) -> NewEvent:
    moved = {"from": [task.status, task.current_stage], "to": [status, stage]}
    message = f"{task.status}/{task.current_stage} -> {status}/{stage}"
    return NewEvent(
        task_id=task.task_id,
        stage_name=task.current_stage,
        event_type="STATE_CHANGE",
        event_payload=moved,
        message=message,
        created_at=at,
    )


def _error(task: TaskRow, stage: Stage, failure: StageFailed, at: Any) -> NewEvent:
    return NewEvent(
        task_id=task.task_id,
        stage_name=stage,
        event_type="ERROR",
        event_level="ERROR",
        event_payload={"code": failure.code, "retryable": failure.retryable},
        message=failure.message[:1000],
        created_at=at,
    )
