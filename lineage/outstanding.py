"""What is left to do over all batches, and the command that does it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from lineage.executions import ExecutionLine
from resources.databases.supply_store.engine import SupplyStore
from resources.databases.supply_store.measures.outstanding import OutstandingTasks, outstanding_tasks
from supply_assets.intake.batches import parse_batch_key
from supply_assets.stages.create_plan import PLAN_UNKNOWN

WORDS = {
    "unbound": "plans whose binding failed",
    "given_up": "failed tasks that no run tries again",
    "failed": "failed tasks that the next run tries again",
    "held": "tasks that a person holds",
    "frozen": "tasks whose demand today's facts do not prove",
    "waiting": "open tasks",
    "not_taken_in": "published demands without a task",
}


class Outstanding(NamedTuple):
    """So many of a kind in one batch, and what does them."""

    batch: str
    kind: str
    number: int
    command: str


def read_outstanding(store: SupplyStore) -> list[OutstandingTasks]:
    """Batches with anything left to do.

    Raises:
        StoreUnwritable: the store could not be read.
    """
    with store.reading() as connection:
        return outstanding_tasks(connection, PLAN_UNKNOWN)


def outstanding_lines(batches: Sequence[OutstandingTasks], executions: Sequence[ExecutionLine]) -> list[Outstanding]:
    """One line a batch and kind, batches by key; executions with published rows and no task come last."""
    lines = [line for batch in batches for line in _of_batch(batch)]
    left_out = [one for one in executions if one.published and one.tasks == {}]
    return lines + [
        Outstanding(str(one.execution.id), "not_taken_in", one.published or 0, _run(str(one.execution.id)))
        for one in left_out
    ]


def _of_batch(tasks: OutstandingTasks) -> Iterator[Outstanding]:
    batch = tasks.batch
    commands = {
        "unbound": f"pattern2plan supply bind --batch {batch}",
        "given_up": f"{_run(batch)} --force",
        "failed": _run(batch),
        "held": "pattern2plan review list",
        "frozen": _verify(batch),
        "waiting": _run(batch),
    }
    for kind, command in commands.items():
        number = getattr(tasks, kind)
        if number:
            yield Outstanding(batch, kind, number, command)


def _run(batch: str) -> str:
    if parse_batch_key(batch) is None:
        return "pattern2plan supply run --request FILE"
    return f"pattern2plan supply run --execution-id {batch}"


def _verify(batch: str) -> str:
    execution_id = parse_batch_key(batch)
    return (
        "pattern2plan trace --task-id ID"
        if execution_id is None
        else f"pattern2plan demand verify --execution-id {execution_id}"
    )
