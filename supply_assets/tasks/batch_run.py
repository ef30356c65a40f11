"""Many tasks at once by one worker: a bounded number in work, leases kept alive, tasks of other workers waited for."""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

import structlog

from resources.databases.supply_store.events import insert_events
from resources.databases.supply_store.states import Stage
from resources.databases.supply_store.tasks.leases import renew
from resources.foundation.errors import ServiceUnreachable
from supply_assets.stages.stage import Workshop
from supply_assets.tasks.batch_context import BatchContext, ContentPlatform
from supply_assets.tasks.event_buffer import EventBuffer
from supply_assets.tasks.interrupts import run_until_interrupted
from supply_assets.tasks.task_run import Advance, TaskRun

log = structlog.get_logger(__name__)
BUSY_LEASES = 5


@dataclass
class BatchOutcome:
    """How the tasks of a batch stand."""

    standing: dict[str, Advance] = field(default_factory=dict)
    wanted: int = 0

    @property
    def counts(self) -> dict[str, int]:
        return dict(Counter(str(advance) for advance in self.standing.values()))


OnProgress = Callable[[BatchOutcome], None]


def advance_batch(
    context: BatchContext,
    task_ids: Sequence[str],
    through: Stage = Stage.FINALIZE,
    on_progress: OnProgress = lambda _: None,
) -> BatchOutcome:
    """Advance the tasks up to and with a stage; what stands already is not repeated.

    Where the platform is away for good, what was not begun is left as it is, and has no standing.

    Raises:
        SettingsError: no platform is named.
        StoreUnwritable: the store went away; running it again goes on.
    """
    return run_until_interrupted(_advance(context, task_ids, through, on_progress))


async def _advance(
    context: BatchContext, task_ids: Sequence[str], through: Stage, on_progress: OnProgress
) -> BatchOutcome:
    outcome = BatchOutcome(wanted=len(task_ids))
    if not task_ids:
        return outcome
    events = EventBuffer()
    async with open_workshop(context, events) as workshop:
        await _Batch(context.platform, workshop, events, through, outcome, on_progress).run(task_ids)
    return outcome


@asynccontextmanager
async def open_workshop(context: BatchContext, events: EventBuffer) -> AsyncIterator[Workshop]:
    """Gateway and plan service of one worker, closed with the block; the store is whoever's opened it."""
    platform, clock, ids = context.platform, context.clock, context.ids
    async with (
        platform.open_gateway(events, clock, ids) as gateway,
        platform.open_plan_service(events, clock, ids) as plans,
    ):
        yield Workshop(
            store=context.store,
            gateway=gateway,
            plans=plans,
            clock=clock,
            ids=ids,
            owner=ids.new(),
            policy=context.policy,
            weights=context.weights,
            since=context.since,
        )


@dataclass
class _Batch:
    platform: ContentPlatform
    workshop: Workshop
    events: EventBuffer
    through: Stage
    outcome: BatchOutcome
    on_progress: OnProgress
    in_work: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.task_run = TaskRun(self.workshop, self.events, self.platform.lease_s)

    async def run(self, task_ids: Sequence[str]) -> None:
        heartbeat = asyncio.create_task(self._heartbeat())
        try:
            waiting = list(dict.fromkeys(task_ids))
            rounds_left = int(BUSY_LEASES * self.platform.lease_s / self._pause_s) + 1
            while waiting and rounds_left > 0:
                await self._all(waiting)
                waiting = [task_id for task_id in waiting if self.outcome.standing.get(task_id) is Advance.BUSY]
                rounds_left -= 1
                if waiting:
                    await asyncio.sleep(self._pause_s)
        finally:
            heartbeat.cancel()
            with suppress(asyncio.CancelledError):
                await heartbeat
            await self._flush()

    @property
    def _pause_s(self) -> float:
        """Between two looks at a task that another worker has."""
        return min(1.0, self.platform.lease_s / 4)

    async def _all(self, task_ids: Sequence[str]) -> None:
        queue = deque(task_ids)

        async def worker() -> None:
            while queue and not self.task_run.reach.is_given_up:
                await self._one(queue.popleft())

        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(min(self.platform.task_concurrency, len(queue))):
                    group.create_task(worker())
        except* ServiceUnreachable as unreachable:
            raise unreachable.exceptions[0] from None

    async def _one(self, task_id: str) -> None:
        self.in_work.add(task_id)
        try:
            self.outcome.standing[task_id] = await self.task_run.advance(task_id, self.through)
        except ServiceUnreachable:
            raise
        except Exception:
            # Its lease runs out and the next run goes on with it; the other tasks do not wait for that.
            log.exception("a task could not be advanced", task_id=task_id)
            self.outcome.standing[task_id] = Advance.FAILED
        finally:
            self.in_work.discard(task_id)
        self.on_progress(self.outcome)

    async def _heartbeat(self) -> None:
        """Renew the leases of the tasks in work and write their events while they are being worked on.

        A store that does not answer ends the batch by the stages' own writes; until then the next beat tries again.
        """
        while True:
            await asyncio.sleep(self.platform.lease_s / 3)
            try:
                await self._renew()
                await self._flush()
            except ServiceUnreachable as unreachable:
                log.warning("a heartbeat was not written", reason=unreachable.message)

    async def _renew(self) -> None:
        mine, now = sorted(self.in_work), self.workshop.clock.now()
        if mine:
            await self.workshop.write(
                lambda connection: renew(connection, mine, self.workshop.owner, now=now, ttl_s=self.platform.lease_s)
            )

    async def _flush(self) -> None:
        events = self.events.take_all()
        if not events:
            return
        try:
            await self.workshop.write(lambda connection: insert_events(connection, events))
        except Exception:
            self.events.add(*events)
            raise
