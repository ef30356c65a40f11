"""``supply_task``: rows, locks and moves of the state machine by compare-and-set (S-003, S-004)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, RowMapping, Select, func, insert, select, update

from resources.databases.supply_store.column_types import whole_utc
from resources.databases.supply_store.rows import chunks, columns_of, select_in
from resources.databases.supply_store.states import ENDED, Stage, TaskStatus, require_legal
from resources.databases.supply_store.tables import supply_task as t
from resources.databases.supply_store.task_index import task_index as x
from resources.databases.supply_store.tasks.ext import FREE_LEASE, LEASE, lease_owner, with_key
from resources.databases.supply_store.tasks.index_rows import add_to_index
from resources.foundation.clock import epoch_ms
from resources.foundation.errors import LeaseLost, NoSuchTask, StaleTask

LONGEST_MESSAGE = 4_000
STARTED_MS = "started_ms"


@dataclass(frozen=True, slots=True, kw_only=True)
class NewTask:
    """A task to be written; ``ext`` gets a free lease."""

    task_id: str
    demand_snapshot_id: int
    demand_id: int
    idempotency_key: str | None
    ext: dict[str, Any]
    trace_id: str | None = None
    status: TaskStatus = TaskStatus.PENDING
    current_stage: Stage = Stage.INIT
    priority: int = 5
    max_retry: int = 3
    is_idempotent: bool = True
    operator: str | None = "agent"


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskRow(NewTask):
    """A task as it stood when it was read."""

    id: int
    retry_count: int
    started_at: datetime | None
    finished_at: datetime | None
    duration_ms: int | None
    error_code: str | None
    error_message: str | None
    created_at: datetime
    updated_at: datetime


def insert_tasks(connection: Connection, rows: Sequence[NewTask]) -> None:
    """Write new tasks, each with a free lease in its ``ext``.

    A key that another worker took meanwhile repeats the whole write of the store, which then finds that task (S-003).
    """
    exts = {row.task_id: {LEASE: FREE_LEASE} | row.ext for row in rows}
    if exts:
        connection.execute(insert(t), [columns_of(row) | {"ext": exts[row.task_id]} for row in rows])
        add_to_index(connection, exts)


def read_tasks(connection: Connection, task_ids: Iterable[str]) -> dict[str, TaskRow]:
    """Tasks by their ids, in the order of the rows; an id that is not there is left out."""
    return {row.task_id: row for row in _read(connection, t.c.task_id, task_ids)}


def read_task(connection: Connection, task_id: str) -> TaskRow:
    """One task.

    Raises:
        NoSuchTask: there is none of this id.
    """
    return _required(read_tasks(connection, [task_id]), task_id)


def lock_task(connection: Connection, task_id: str) -> TaskRow:
    """One task, whose row no other transaction changes until this one ends.

    Raises:
        NoSuchTask: there is none of this id.
    """
    return _required({row.task_id: row for row in _read(connection, t.c.task_id, [task_id], lock=True)}, task_id)


def lock_tasks(connection: Connection, task_ids: Iterable[str]) -> None:
    """Lock the rows of tasks in one order; whoever writes rows of a task goes through here (S-041)."""
    for some in chunks(task_ids):
        statement = select(t.c.id).where(t.c.task_id.in_(some)).order_by(t.c.task_id).with_for_update()
        connection.execute(statement).all()


def tasks_of_demands(connection: Connection, demand_ids: Iterable[int]) -> list[TaskRow]:
    """All tasks of the demands, by id."""
    return sorted(_read(connection, t.c.demand_id, demand_ids), key=lambda row: row.id)


def tasks_of_batch(connection: Connection, batch: str) -> list[TaskRow]:
    """All tasks whose ``ext.batch`` is the key, by id."""
    statement = select(t).join(x, x.c.task_row_id == t.c.id).where(x.c.batch == batch).order_by(t.c.id)
    return [task_row(row) for row in connection.execute(statement).mappings()]


def task_ids_of_batch(batch: str) -> Select[tuple[str]]:
    """The ids of the tasks of a batch, to select by within another statement."""
    return select(x.c.task_id).where(x.c.batch == batch)


def tasks_of_keys(connection: Connection, idempotency_keys: Iterable[str]) -> dict[str, TaskRow]:
    """Tasks by idempotency key; a key that has none is left out."""
    return {str(row.idempotency_key): row for row in _read(connection, t.c.idempotency_key, idempotency_keys)}


def task_row(row: RowMapping) -> TaskRow:
    """A row of the table as a :class:`TaskRow`."""
    typed = {
        "status": TaskStatus(row["status"]),
        "current_stage": Stage(row["current_stage"] or Stage.INIT),
        "ext": row["ext"] or {},
    }
    return TaskRow(**{**row, **typed})


def move(
    connection: Connection,
    task: TaskRow,
    *,
    status: TaskStatus,
    stage: Stage,
    owner: str | None,
    at: datetime,
    error: tuple[str, str] | None = None,
) -> TaskRow:
    """Move a task on from the state in ``task``, by compare-and-set on status, stage and, where given, lease owner.

    ``error`` is (code, message); a move without one clears the last. Leaving FAILED counts one retry. The start is
    also kept in ms, as ``ext.started_ms``, because ``started_at`` has whole seconds. Returns the task as it stands now,
    but for ``updated_at``, which is the database's.

    Raises:
        IllegalMove: the state machine does not know the move; nothing was sent to the database.
        StaleTask: the task is in another state by now; both are named.
        LeaseLost: another worker holds the lease.
        NoSuchTask: the task is gone.
    """
    require_legal(task.task_id, (task.status, task.current_stage), (status, stage))
    changes = _changes(task, status, stage, at, error)
    values = dict(changes)
    if task.started_at is None and changes["started_at"] is not None:
        values["ext"] = with_key(connection, STARTED_MS, epoch_ms(at))
        changes["ext"] = task.ext | {STARTED_MS: epoch_ms(at)}
    statement = update(t).where(
        t.c.task_id == task.task_id,
        t.c.status == str(task.status),
        func.coalesce(t.c.current_stage, str(Stage.INIT)) == str(task.current_stage),
    )
    if owner is not None:
        statement = statement.where(lease_owner() == owner)
    if connection.execute(statement.values(**values)).rowcount != 1:
        _explain(connection, task, owner)
    return replace(task, **changes)


def _changes(
    task: TaskRow, status: TaskStatus, stage: Stage, at: datetime, error: tuple[str, str] | None
) -> dict[str, Any]:
    started = task.started_at or (None if status is TaskStatus.PENDING else whole_utc("started_at", at))
    ended = status in ENDED
    code, message = error if error is not None else (None, None)
    return {
        "status": status,
        "current_stage": stage,
        "retry_count": task.retry_count + (task.status is TaskStatus.FAILED and not ended),
        "started_at": started,
        "finished_at": whole_utc("finished_at", at) if ended else None,
        "duration_ms": epoch_ms(at) - _started_ms(task, at) if ended else None,
        "error_code": code,
        "error_message": None if message is None else message[:LONGEST_MESSAGE],
    }


def _started_ms(task: TaskRow, at: datetime) -> int:
    kept = task.ext.get(STARTED_MS)
    return kept if isinstance(kept, int) else epoch_ms(task.started_at or at)


def _explain(connection: Connection, task: TaskRow, owner: str | None) -> None:
    """Say why nothing was moved."""
    now = read_task(connection, task.task_id)
    if (now.status, now.current_stage) != (task.status, task.current_stage):
        raise StaleTask(
            f"task {task.task_id} was expected {task.status} at {task.current_stage}"
            f" and is {now.status} at {now.current_stage}",
            "read it again",
        )
    raise LeaseLost(f"the lease of task {task.task_id} is not {owner}'s any more", "another worker goes on with it")


def _read(connection: Connection, column: Any, values: Iterable[Any], *, lock: bool = False) -> list[TaskRow]:
    statement = select(t).order_by(t.c.id)
    if lock:
        statement = statement.with_for_update()
    return [task_row(row._mapping) for row in select_in(connection, statement, column, values)]


def _required(found: dict[str, TaskRow], task_id: str) -> TaskRow:
    if task_id not in found:
        raise NoSuchTask(f"there is no task {task_id}", "check the id")
    return found[task_id]
