"""``supply_task_stage``: one row an attempt at a stage, with what went in and what came out (S-005)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, insert, select, update

from resources.databases.supply_store.rows import read_by
from resources.databases.supply_store.states import Stage, StageStatus
from resources.databases.supply_store.tables import supply_task_stage as g
from resources.databases.supply_store.tasks.tasks import LONGEST_MESSAGE, STARTED_MS, lock_tasks
from resources.foundation.clock import epoch_ms
from resources.foundation.errors import LeaseLost

ABANDONED = "abandoned"


@dataclass(frozen=True, slots=True, kw_only=True)
class StageRow:
    """One attempt; attempts of a stage count from 1, times are UTC, the duration is in ms."""

    id: int
    task_id: str
    stage_name: str
    stage_status: str
    attempt_no: int
    input_payload: Any
    output_payload: Any
    started_at: datetime | None
    finished_at: datetime | None
    duration_ms: int | None
    error_code: str | None
    error_message: str | None


def begin_stage(connection: Connection, task_id: str, stage: Stage, *, at: datetime, input_payload: Any) -> int:
    """Open the next attempt at a stage; its row's id. Attempts that were left RUNNING are closed as abandoned.

    ``input_payload`` is an object or ``None``; it is kept with ``started_ms``, because ``started_at`` has whole
    seconds.
    """
    lock_tasks(connection, [task_id])
    same = (g.c.task_id == task_id, g.c.stage_name == str(stage))
    earlier = connection.execute(select(g.c.attempt_no, g.c.stage_status).where(*same)).all()
    if any(status == StageStatus.RUNNING for _, status in earlier):
        _close_running(connection, same, at, (ABANDONED, "the worker went away before the stage ended"))
    last = max((attempt_no for attempt_no, _ in earlier), default=0)
    attempt = {
        "task_id": task_id,
        "stage_name": stage,
        "stage_status": StageStatus.RUNNING,
        "attempt_no": last + 1,
        "input_payload": {**(input_payload or {}), STARTED_MS: epoch_ms(at)},
        "started_at": at,
    }
    connection.execute(insert(g), [attempt])
    opened = select(g.c.id).where(*same, g.c.attempt_no == last + 1)
    return int(connection.execute(opened).scalar_one())


def close_attempts(connection: Connection, task_id: str, *, at: datetime, error: tuple[str, str]) -> None:
    """Close every running attempt of a task: whoever runs it writes nothing more. ``error`` is (code, message)."""
    lock_tasks(connection, [task_id])
    _close_running(connection, (g.c.task_id == task_id,), at, error)


def _close_running(connection: Connection, which: tuple[Any, ...], at: datetime, error: tuple[str, str]) -> None:
    statement = update(g).where(*which, g.c.stage_status == str(StageStatus.RUNNING))
    changes = {"stage_status": StageStatus.FAILED, "finished_at": at, "error_code": error[0], "error_message": error[1]}
    connection.execute(statement.values(**changes))


def checkpoint_stage(connection: Connection, row_id: int, output_payload: Any) -> None:
    """Keep what a running attempt has so far.

    Raises:
        LeaseLost: the attempt is not running any more; another worker has the task.
    """
    statement = update(g).where(*_running(row_id)).values(output_payload=output_payload)
    _require_one(connection.execute(statement).rowcount, row_id)


def end_stage(
    connection: Connection,
    row_id: int,
    *,
    status: StageStatus,
    at: datetime,
    output_payload: Any = None,
    error: tuple[str, str] | None = None,
) -> None:
    """Close a running attempt; an ``output_payload`` of ``None`` leaves what was checkpointed.

    ``error`` is (code, message).

    Raises:
        LeaseLost: the attempt is not running any more; another worker has the task.
    """
    changes: dict[str, Any] = {
        "stage_status": status,
        "finished_at": at,
        "duration_ms": epoch_ms(at) - g.c.input_payload[STARTED_MS].as_integer(),
    }
    if output_payload is not None:
        changes["output_payload"] = output_payload
    if error is not None:
        changes |= {"error_code": error[0], "error_message": error[1][:LONGEST_MESSAGE]}
    _require_one(connection.execute(update(g).where(*_running(row_id)).values(**changes)).rowcount, row_id)


def outputs_since_success(connection: Connection, task_id: str, stage: Stage, row_id: int) -> list[Any]:
    """What the attempts before ``row_id`` kept that came after the last success of the stage, by id."""
    same = (g.c.task_id == task_id, g.c.stage_name == str(stage), g.c.id < row_id)
    found = connection.execute(select(g.c.stage_status, g.c.output_payload).where(*same).order_by(g.c.id)).all()
    outputs: list[Any] = []
    for status, output in found:
        outputs = [] if status == StageStatus.SUCCESS else [*outputs, output]
    return outputs


def stage_history(connection: Connection, task_ids: Iterable[str]) -> list[StageRow]:
    """All attempts of the tasks, by id."""
    return read_by(connection, g, g.c.task_id, task_ids, StageRow)


def _running(row_id: int) -> tuple[Any, Any]:
    return g.c.id == row_id, g.c.stage_status == str(StageStatus.RUNNING)


def _require_one(changed: int, row_id: int) -> None:
    if changed != 1:
        raise LeaseLost(f"attempt {row_id} is not running any more", "another worker goes on with the task")
