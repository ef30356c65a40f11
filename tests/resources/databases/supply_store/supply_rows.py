"""Plain rows for the supply store, and what a test asks of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any, TypeVar

from sqlalchemy import Connection, event, text

from resources.databases.supply_store.articles.candidates import (
    CandidateRow,
    NewCandidate,
    read_candidates,
    upsert_candidates,
)
from resources.databases.supply_store.engine import SupplyStore
from resources.databases.supply_store.tasks.leases import acquire
from resources.databases.supply_store.tasks.snapshots import NewSnapshot, insert_snapshots
from resources.databases.supply_store.tasks.tasks import NewTask, TaskRow, insert_tasks, read_task

Result = TypeVar("Result")
NOW = datetime(2026, 6, 1, 8, 30, 15, 250_000, tzinfo=UTC)


def read(store: SupplyStore, work: Callable[[Connection], Result]) -> Result:
    with store.reading() as connection:
        return work(connection)


def asked(store: SupplyStore, statement: str, **parameters: Any) -> list[Any]:
    """Rows of a statement as plain tuples."""
    return read(store, lambda connection: [tuple(row) for row in connection.execute(text(statement), parameters)])


def add_tasks(store: SupplyStore, names: Sequence[str] = ("t1",), **ext: Any) -> None:
    """Tasks of one demand each, with ``ext`` on all of them."""

    def work(connection: Connection) -> None:
        ids = insert_snapshots(connection, [NewSnapshot(demand_id=n, query="q") for n in range(len(names))])
        tasks = [
            NewTask(
                task_id=name, demand_snapshot_id=ids[(n, 1)], demand_id=n, idempotency_key=f"key of {name}", ext=ext
            )
            for n, name in enumerate(names)
        ]
        insert_tasks(connection, tasks)

    store.write(work)


def task_of(store: SupplyStore, task_id: str = "t1") -> TaskRow:
    return read(store, lambda connection: read_task(connection, task_id))


def give_lease(store: SupplyStore, owner: str, task_id: str = "t1") -> None:
    assert store.write(lambda connection: acquire(connection, task_id, owner, now=NOW, ttl_s=60))


def candidate(number: int = 1, task_id: str = "t1", **columns: Any) -> NewCandidate:
    plain = {
        "task_id": task_id,
        "dedup_hash": f"{number:064x}",
        "title": f"title {number}",
        "url": f"https://h/{number}",
    }
    return NewCandidate(**{**plain, **columns})


def add_candidates(store: SupplyStore, count: int = 3, task_id: str = "t1") -> list[CandidateRow]:
    rows = [candidate(number, task_id) for number in range(1, count + 1)]
    store.write(lambda connection: upsert_candidates(connection, rows))
    return read(store, lambda connection: read_candidates(connection, [task_id]))


@contextmanager
def statements_of(store: SupplyStore) -> Iterator[list[str]]:
    """The statements that the store sends within the block; those of a many-row execution count once."""
    sent: list[str] = []

    def note(_connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
        sent.append(statement)

    event.listen(store.engine, "before_cursor_execute", note)
    try:
        yield sent
    finally:
        event.remove(store.engine, "before_cursor_execute", note)
