"""What the store says of a batch of tasks, read afresh: only the columns that rules look at, never a stored page.

Belongs here: reading. Does not belong here: what a rule makes of it (``*_frames``). Rows are plain mappings, so
that a value which breaks its enum is shown and not hidden by a parsing error.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from functools import cached_property
from typing import Any, TypeVar

import pandas as pd
from sqlalchemy import Column, ColumnElement, Connection, RowMapping, Table, exists, func, select

from expectations.engine.rules import KEY, NOTHING
from resources.databases.supply_store.rows import chunks
from resources.databases.supply_store.tables import metadata, supply_demand_snapshot, supply_task, supply_task_stage
from resources.foundation import strict_json

Row = RowMapping
Item = TypeVar("Item")
FrameRows = dict[str, list[dict[str, Any]]]
"""Rows by the frame that they are for; a column that a row does not name is empty there."""
CHILDREN = tuple(
    table
    for name, table in sorted(metadata.tables.items())
    if name not in (supply_task.name, supply_demand_snapshot.name)
)


class Batch:
    """A batch as the assets ``supply_tasks`` and ``demand_snapshots`` name it, over the store it stands in.

    Each read is one statement a 5,000 tasks; what is read twice is kept.
    """

    def __init__(self, connection: Connection, tasks: pd.DataFrame, demands: pd.DataFrame) -> None:
        self.connection = connection
        self.claimed_tasks = _plain_rows(tasks)
        self.claimed_demands = _plain_rows(demands)
        claimed = [row.get("task_id") for row in (*self.claimed_tasks, *self.claimed_demands)]
        self.task_ids = list(dict.fromkeys(str(task_id) for task_id in claimed if task_id is not None))

    @cached_property
    def tasks(self) -> dict[str, Row]:
        """Rows of ``supply_task`` by task id."""
        found = self._read(select(supply_task), supply_task.c.task_id, self.task_ids)
        return {row["task_id"]: row for row in found}

    @cached_property
    def snapshots(self) -> dict[int, Row]:
        """Snapshots that a task or a demand of the batch names, by id."""
        named = [row["demand_snapshot_id"] for row in self.tasks.values()]
        named += [row["snapshot_id"] for row in self.claimed_demands if row.get("snapshot_id") is not None]
        found = self._read(select(supply_demand_snapshot), supply_demand_snapshot.c.id, named)
        return {row["id"]: row for row in found}

    @cached_property
    def stages(self) -> dict[str, list[Row]]:
        """Attempts of each task in their order."""
        s = supply_task_stage.c
        return self.of_tasks(supply_task_stage, s.stage_name, s.stage_status, s.output_payload)

    @cached_property
    def now(self) -> datetime:
        """The store's own clock, in UTC."""
        instant: datetime = self.connection.execute(select(func.current_timestamp())).scalar_one()
        return instant.replace(tzinfo=UTC)

    def owner(self, task_id: str) -> str:
        """The id of a row's task, or that there is no such task."""
        return task_id if task_id in self.tasks else "not in the store"

    def evidence_of(self, task_id: str) -> Any:
        """The evidence that a task carries; ``None`` where it carries none, or there is no such task."""
        return ext_of(self.tasks[task_id]).get("source_evidence") if task_id in self.tasks else None

    def of_tasks(self, table: Table, *columns: ColumnElement[Any]) -> dict[str, list[Row]]:
        """Columns of a table's rows by task id, in the order of their ids."""
        statement = select(table.c.id, table.c.task_id, *columns)
        rows: dict[str, list[Row]] = {task_id: [] for task_id in self.task_ids}
        for row in sorted(self._read(statement, table.c.task_id, self.task_ids), key=lambda row: row["id"]):
            rows.setdefault(row["task_id"], []).append(row)
        return rows

    def rows_without_task(self, table: Table) -> int:
        """Rows written since the batch was taken in whose task does not exist."""
        since = min((row["created_at"] for row in self.tasks.values()), default=None)
        if since is None:
            return 0
        of_a_task = exists(select(1).where(supply_task.c.task_id == table.c.task_id))
        statement = select(func.count()).select_from(table).where(table.c.created_at >= since, ~of_a_task)
        return int(self.connection.execute(statement).scalar_one())

    def json_kind(self, column: Column[Any], path: str = "$") -> ColumnElement[str]:
        """What stands at a path of a JSON column: object, array, …; ``NULL`` where nothing does."""
        if self.connection.dialect.name == "sqlite":
            return func.json_type(column, path)
        return func.lower(func.json_type(func.json_extract(column, path)))

    def seconds_ahead(self, *times: datetime | None) -> float | None:
        """How far the latest of the times lies in the future of the store, in seconds."""
        known = [time for time in times if time is not None]
        return (max(known) - self.now).total_seconds() if known else None

    def _read(self, statement: Any, column: Column[Any], values: Iterable[Any]) -> list[Row]:
        found: list[Row] = []
        for some in chunks(values):
            found.extend(self.connection.execute(statement.where(column.in_(some))).mappings())
        return found


def item_rows(
    items: Mapping[str, Sequence[Item]], noun: str, row_of: Callable[[Item], dict[str, Any]]
) -> list[dict[str, Any]]:
    """One row an item of a task; a task without items has one row that is empty but for its key."""
    return [
        row
        for task_id, of_task in items.items()
        for row in [row_of(item) for item in of_task] or [{KEY: f"task {task_id}: no {noun}"}]
    ]


def nulls_marked(row: Row, *columns: str) -> dict[str, Any]:
    """Columns of a row; one that says nothing is ``NOTHING``, which no rule passes over."""
    return {name: row[name] or NOTHING for name in columns}


def ext_of(task: Row) -> dict[str, Any]:
    """The JSON of a task that has no column of its own."""
    return task["ext"] or {}


def fingerprint(value: object) -> str | None:
    """A JSON value in one canonical form, by which two of them are compared; ``None`` for none."""
    return None if value is None else strict_json.dumps(_ordered(value))


def is_false(value: object) -> bool:
    """Whether a JSON boolean that was read as text is false; each backend has its own word for it."""
    return str(value).lower() in ("0", "false")


def _ordered(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _ordered(value[key]) for key in sorted(value)}
    return [_ordered(inner) for inner in value] if isinstance(value, list | tuple) else value


def _plain_rows(frame: pd.DataFrame) -> list[dict[str, Any]]:
    return [{str(name): _plain(value) for name, value in row.items()} for row in frame.to_dict("records")]


def _plain(value: Any) -> Any:
    """``None`` for every kind of missing; whole numbers whole, whatever the frame made of them."""
    if value is None or value is pd.NA or (isinstance(value, float) and math.isnan(value)):
        return None
    whole = isinstance(value, float) and value.is_integer()
    return int(value) if whole else value.item() if hasattr(value, "item") else value
