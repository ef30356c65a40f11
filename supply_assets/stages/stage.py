"""What a stage is given and what it hands back; the runner ends it in one transaction (S-042)."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, TypeVar

from sqlalchemy import Connection

from resources.calls.events import CallScope
from resources.calls.pauses import pause_s
from resources.databases.supply_store.engine import SupplyStore
from resources.databases.supply_store.states import Stage, TaskStatus
from resources.databases.supply_store.tasks.snapshots import SnapshotRow
from resources.databases.supply_store.tasks.stage_rows import checkpoint_stage
from resources.databases.supply_store.tasks.tasks import TaskRow
from resources.foundation.clock import Clock, IdSource
from resources.foundation.errors import Pattern2PlanError
from resources.plan_service.client import PlanService
from resources.tool_gateway.gateway import ToolGateway
from supply_assets.normalisation import texts
from supply_assets.scoring.records import Constraints, Wanted, Weights
from supply_assets.stages.policy import SupplyPolicy

Result = TypeVar("Result")


class StageFailed(Pattern2PlanError):
    """A stage cannot go on; ``code`` is stored, ``retryable`` says whether the next run tries again."""

    def __init__(self, code: str, message: str, *, retryable: bool) -> None:
        self.code = code
        self.retryable = retryable
        # What a platform says may hold half a character; it must not stop the error from being stored.
        sendable = message.encode("utf-8", "replace").decode()
        super().__init__(sendable, "run the batch again" if retryable else "see the task's events")


class TaskHeld(Pattern2PlanError):
    """A person holds the task: no plan is created until it is released (S-030)."""


class TaskFrozen(TaskHeld):
    """Today's facts do not stand behind the demand: no plan is created until they do (D-073)."""


@dataclass(frozen=True)
class Workshop:
    """What all tasks of a worker share; ``since`` is when the Dagster run that it works for was created."""

    store: SupplyStore
    gateway: ToolGateway
    plans: PlanService
    clock: Clock
    ids: IdSource
    owner: str
    policy: SupplyPolicy = field(default_factory=SupplyPolicy)
    weights: Weights = field(default_factory=Weights)
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    since: datetime | None = None

    async def write(self, work: Callable[[Connection], Result]) -> Result:
        """One transaction, off the event loop."""
        return await asyncio.to_thread(self.store.write, work)

    async def read(self, work: Callable[[Connection], Result]) -> Result:
        """One read transaction, off the event loop."""
        return await asyncio.to_thread(self._read, work)

    async def pause(self, failures: int, asked_s: float | None = None) -> None:
        """Wait before the next try at the plan service: what it asked for up to a cap, else 2/4/8 s (S-010)."""
        policy = self.policy
        wish = None if asked_s is None else min(asked_s, policy.plan_pause_cap_s)
        await self.sleep(pause_s(failures, wish, policy.plan_backoff_s, random.Random()))

    def _read(self, work: Callable[[Connection], Result]) -> Result:
        with self.store.reading() as connection:
            return work(connection)


@dataclass(frozen=True)
class Attempt:
    """One attempt at one stage of one task."""

    workshop: Workshop
    task: TaskRow
    snapshot: SnapshotRow
    stage: Stage
    row_id: int

    @property
    def scope(self) -> CallScope:
        return CallScope(task_id=self.task.task_id, stage=self.stage)

    @property
    def cycle(self) -> int:
        """Which recall round of the task this is, from 1 (S-025)."""
        return int(self.task.ext["cycle"])

    @property
    def wanted(self) -> Wanted:
        return wanted_of(self.snapshot)

    async def checkpoint(self, output: dict[str, Any], work: Callable[[Connection], Result]) -> Result:
        """Keep what a stage has so far: rows and the place to go on from, in one transaction."""

        def both(connection: Connection) -> Result:
            result = work(connection)
            checkpoint_stage(connection, self.row_id, output)
            return result

        return await self.workshop.write(both)


@dataclass(frozen=True)
class StageEnd:
    """Where the task goes, what is written with it, and the summary that is kept."""

    status: TaskStatus
    stage: Stage
    output: dict[str, Any]
    work: Callable[[Connection], object] = lambda _: None


def wanted_of(snapshot: SnapshotRow) -> Wanted:
    """The demand of a snapshot as scoring takes it."""
    constraints: dict[str, Any] = snapshot.quality_constraints or {}
    return Wanted(
        terms=query_terms(snapshot.query),
        expansion=tuple(snapshot.query_expansion or ()),
        expected_count=snapshot.expected_count,
        constraints=Constraints(
            min_view_count=constraints.get("min_view_count"),
            banned_words=tuple(constraints.get("banned_words") or ()),
            blocked_accounts=tuple(constraints.get("blocked_accounts") or ()),
        ),
    )


def query_terms(query: str) -> tuple[str, ...]:
    """The terms of a query: separated by blanks or commas, distinct, in their order."""
    words = query.replace("，", " ").replace(",", " ").replace("、", " ").split()
    return tuple(dict.fromkeys(word for word in words if texts.key(word))) or (query.strip(),)
