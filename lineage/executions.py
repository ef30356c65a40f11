"""The executions there are, with what became of them: one list for whoever needs an id."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from resources.databases.demand_store.engine import DemandStore
from resources.databases.demand_store.row_counts import count_rows
from resources.databases.pattern_facts.engine import FactsDatabase
from resources.databases.pattern_facts.executions import ExecutionOutline, list_executions
from resources.databases.supply_store.engine import SupplyStore
from resources.databases.supply_store.measures.batch_tasks import tasks_by_batch
from resources.foundation.clock import SHANGHAI
from resources.foundation.errors import StoreUnwritable


@dataclass(frozen=True)
class ExecutionLine:
    """An execution; ``published`` and ``tasks`` (by status, of its batch) are ``None`` where the store cannot say."""

    execution: ExecutionOutline
    published: int | None
    tasks: dict[str, int] | None

    def as_json(self) -> dict[str, Any]:
        """Plain values; the time with its zone."""
        outline = self.execution._asdict() | {"created_at": with_zone(self.execution.created_at)}
        batch = None if not self.tasks else str(self.execution.id)
        return outline | {"published": self.published, "batch": batch, "tasks": self.tasks}


@dataclass(frozen=True)
class ExecutionList:
    """The newest executions, and what could not be read beside them."""

    lines: list[ExecutionLine]
    troubles: list[str]


def read_executions(facts: FactsDatabase, demands: DemandStore, supply: SupplyStore, limit: int) -> ExecutionList:
    """The newest ``limit`` executions. A store that is away hides its own numbers and no execution.

    Raises:
        FactsUnreadable: the facts could not be read.
    """
    with facts.snapshot() as snapshot:
        found = list_executions(snapshot, limit)
    ids, troubles = [one.id for one in found], list[str]()
    published, tasks = _published(demands, ids, troubles), _tasks(supply, ids, troubles)
    lines = [
        ExecutionLine(
            one,
            None if published is None else published.get(one.id, 0),
            None if tasks is None else tasks.get(str(one.id), {}),
        )
        for one in found
    ]
    return ExecutionList(lines, troubles)


def with_zone(written: str | None) -> str | None:
    """A time of the facts, which are written in Asia/Shanghai, with its zone; as it stands where it is none."""
    try:
        instant = datetime.fromisoformat(written or "")
    except ValueError:
        return written
    return (instant if instant.tzinfo else instant.replace(tzinfo=SHANGHAI)).isoformat(sep=" ", timespec="seconds")


def _published(store: DemandStore, ids: Sequence[int], troubles: list[str]) -> dict[int, int] | None:
    try:
        if not store.has_table():
            troubles.append("demand store: no table demand_content yet -> pattern2plan db upgrade")
            return None
        with store.reading() as connection:
            return count_rows(connection, ids)
    except StoreUnwritable as error:
        troubles.append(f"demand store: {error}")
        return None


def _tasks(store: SupplyStore, ids: Sequence[int], troubles: list[str]) -> dict[str, dict[str, int]] | None:
    try:
        if not store.has_tables():
            troubles.append("supply store: the tables are not all there -> pattern2plan db upgrade")
            return None
        with store.reading() as connection:
            return tasks_by_batch(connection, [str(one) for one in ids])
    except StoreUnwritable as error:
        troubles.append(f"supply store: {error}")
        return None
