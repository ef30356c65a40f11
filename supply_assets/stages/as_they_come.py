"""Answers of many calls kept in groups as they come, so that a worker that is killed loses seconds and not a stage.

A group is what has come within some seconds: where all is answered sooner there is none, and the stage's end writes it.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Sequence
from typing import Any, TypeVar

from sqlalchemy import Connection

from resources.databases.supply_store.tasks.leases import require_lease
from resources.databases.supply_store.tasks.stage_rows import checkpoint_stage, outputs_since_success
from supply_assets.stages.stage import Attempt

Answered = TypeVar("Answered")
KEPT = "kept"


async def keeping(
    calls: Iterable[Coroutine[Any, Any, Answered]],
    keep: Callable[[Sequence[Answered]], Awaitable[None]],
    within_s: float,
) -> list[Answered]:
    """Make the calls at once and hand over every ``within_s`` seconds what has come; the last group is returned.

    Raises:
        What a call or ``keep`` raises; the other calls are then cancelled.
    """
    tasks = [asyncio.ensure_future(call) for call in calls]
    pending = set(tasks)
    try:
        while pending:
            done, pending = await asyncio.wait(pending, timeout=within_s, return_when=asyncio.FIRST_EXCEPTION)
            group = [task.result() for task in tasks if task in done]
            if not pending:
                return group
            if group:
                await keep(group)
        return []
    finally:
        for task in pending:
            task.cancel()
        await asyncio.gather(*pending, return_exceptions=True)


async def keep_rows(attempt: Attempt, states: Counter[str], work: Callable[[Connection], object]) -> None:
    """Rows of a stage before its end, and how many answers of which state they are: one transaction under the lease.

    Raises:
        LeaseLost: the task is another worker's by now.
    """
    owner, task_id = attempt.workshop.owner, attempt.task.task_id

    def under_lease(connection: Connection) -> None:
        require_lease(connection, task_id, owner)
        work(connection)
        checkpoint_stage(connection, attempt.row_id, {KEPT: dict(states)})

    await attempt.workshop.write(under_lease)


def kept_before(connection: Connection, attempt: Attempt) -> Counter[str]:
    """Answers by state that attempts which did not come to the end of this round of the stage have kept."""
    outputs = outputs_since_success(connection, attempt.task.task_id, attempt.stage, attempt.row_id)
    return sum((Counter((output or {}).get(KEPT) or {}) for output in outputs), Counter())
