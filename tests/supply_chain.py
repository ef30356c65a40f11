"""The whole chain small enough to look at: small facts, published rows, a supply store, and the cats' platform."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

import pytest
from sqlalchemy import Connection, bindparam, insert, select, text
from sqlalchemy.engine import URL

from demand_assets.outputs.demand_content import publish
from lineage.trace import Chain, ChainEnd, trace
from resources.databases.demand_store.engine import DemandStore
from resources.databases.demand_store.migrate import upgrade as upgrade_demands
from resources.databases.demand_store.tables import demand_content
from resources.databases.supply_store.engine import SupplyStore
from resources.databases.supply_store.migrate import upgrade as upgrade_supply
from resources.databases.supply_store.states import Stage
from resources.databases.supply_store.tables import metadata
from resources.databases.supply_store.tasks.tasks import TaskRow, read_tasks
from resources.foundation.clock import Clock, IdSource, RandomIds, SystemClock
from resources.settings.supply import read_supply_settings
from supply_assets.intake.intake import Intake, IntakeContext, take_in_execution, take_in_requests
from supply_assets.intake.request import SupplyRequest, make_options
from supply_assets.scoring.records import Weights
from supply_assets.stages.policy import SupplyPolicy
from supply_assets.tasks.batch_context import open_batch_context
from supply_assets.tasks.batch_run import BatchOutcome, advance_batch
from tests.demand_assets.outputs.accepted import accept, of_label
from tests.small_facts import FactWorld, good_candidate

Result = TypeVar("Result")
EXECUTION = 581
HOME = ".pattern2plan"
HURRIED = {"SUPPLY_BACKOFF_S": "0.01", "SUPPLY_RETRY_AFTER_CAP_S": "0.5", "SUPPLY_LEASE_S": "1"}
SMALL = SupplyPolicy(
    pool_min=16,
    pool_max=24,
    page_size=10,
    max_pages=2,
    expansion_keywords=2,
    scene_keywords=1,
    promising_accounts=4,
    history_articles=5,
    top_k=12,
    max_cycles=2,
    plan_backoff_s=0.01,
)
"""Bounds under which a task is a matter of a second."""


def of_post(post: str, **changes: Any) -> dict[str, Any]:
    """A demand on itemset 1001 as one of its posts shows it."""
    return good_candidate(refs={"source_post_id": post, "case_ids": {}}, **changes)


PRICES = good_candidate(
    element_names=["降价50%", "治愈"],
    refs={"itemset_ids": [1003], "category_ids": [13, 12], "source_post_id": "p5", "case_ids": {}, "seed_terms": []},
)


@dataclass(frozen=True)
class SupplyChain:
    """Facts, the two stores, and how the product is run over them."""

    facts: FactWorld
    demands: DemandStore
    supply: SupplyStore
    clock: Clock = field(default_factory=SystemClock)

    def publish(self, *candidates: dict[str, Any], label: str = "label-1") -> list[int]:
        """Rows of candidates that close; their ids."""
        done = publish(self.demands, accept(self.facts, *candidates), of_label(label))
        return [int(row.id or 0) for row in done.rows]

    def take_in(self, execution_id: int = EXECUTION, *, ids: IdSource | None = None, **options: Any) -> Intake:
        """The published rows of an execution."""
        taking = IntakeContext(self.supply, self.clock, ids or RandomIds(), str(execution_id), make_options(**options))
        with self.facts.open() as facts:
            return take_in_execution(taking, self.demands, facts, execution_id)

    def ask(self, *requests: SupplyRequest, **options: Any) -> Intake:
        """Requests from outside."""
        return ask(self.supply, *requests, **options)

    def run(
        self, tasks: Sequence[TaskRow], through: Stage = Stage.FINALIZE, weights: Weights | None = None
    ) -> BatchOutcome:
        """One worker over the tasks, as the environment says."""
        with open_batch_context(read_supply_settings()) as around:
            small = replace(around, clock=self.clock, policy=SMALL, weights=weights or Weights())
            return advance_batch(small, [task.task_id for task in tasks], through)

    def trace(self, **ends: Any) -> list[Chain]:
        """The chains through an end, proved."""
        with self.facts.open() as facts:
            return trace(ChainEnd(**ends), self.supply, self.demands, facts)

    def task(self, task_id: str) -> TaskRow:
        return self.read(lambda connection: read_tasks(connection, [task_id]))[task_id]

    def read(self, work: Callable[[Connection], Result]) -> Result:
        with self.supply.reading() as connection:
            return work(connection)

    def tables(self) -> dict[str, list[dict[str, Any]]]:
        """All rows of the nine supply tables."""
        return self.read(
            lambda connection: {
                table.name: [dict(row) for row in connection.execute(select(table)).mappings()]
                for table in metadata.sorted_tables
            }
        )

    def alter_json(self, table: str, column: str, row_id: int, change: Callable[[Any], Any]) -> None:
        """Change a JSON value of a supply row as somebody with an SQL prompt would."""
        _alter_json(self.supply, table, column, row_id, change)

    def alter_row(self, row_id: int, change: Callable[[dict[str, Any]], None]) -> None:
        """Change a published row; ``ext_data`` is given parsed, and may be left as any text."""
        with self.demands.engine.begin() as connection:
            found = connection.execute(select(demand_content).where(demand_content.c.id == row_id)).mappings().one()
            row = dict(found)
            change(row)
            ext_data = row.pop("ext_data")
            row["ext_data"] = ext_data if isinstance(ext_data, str) else json.dumps(ext_data, ensure_ascii=False)
            columns = ", ".join(f"{name} = :{name}" for name in row if name != "id")
            connection.execute(text(f"UPDATE demand_content SET {columns} WHERE id = :of_id"), row | {"of_id": row_id})

    def copy_row(self, row_id: int) -> int:
        """The same row once more, under another id."""
        with self.demands.engine.begin() as connection:
            found = connection.execute(select(demand_content).where(demand_content.c.id == row_id)).mappings().one()
            values = {name: value for name, value in found.items() if name != "id"}
            return int(connection.execute(insert(demand_content).values(**values)).inserted_primary_key[0])


def ask(supply: SupplyStore, *requests: SupplyRequest, batch: str = "adhoc-test", **options: Any) -> Intake:
    """Requests from outside, taken into a store."""
    return take_in_requests(IntakeContext(supply, SystemClock(), RandomIds(), batch, make_options(**options)), requests)


def request(**fields: Any) -> SupplyRequest:
    """A request for cats."""
    return SupplyRequest(**{"demand_id": 7, "query": "猫 治愈", "expected_count": 3, **fields})


def _alter_json(store: SupplyStore, table: str, column: str, row_id: int, change: Callable[[Any], Any]) -> None:
    def work(connection: Connection) -> None:
        stands = connection.execute(text(f"SELECT {column} FROM {table} WHERE id = :id"), {"id": row_id}).scalar_one()
        altered = json.dumps(change(json.loads(stands)), ensure_ascii=False)
        statement = text(f"UPDATE {table} SET {column} = :altered WHERE id = :id")
        connection.execute(statement.bindparams(bindparam("altered", altered), bindparam("id", row_id)))

    store.write(work)


@contextmanager
def embedded_chain(home: Path) -> Iterator[SupplyChain]:
    """Facts and both stores as files under ``home``; what is there already stays."""
    is_new = not home.exists()
    home.mkdir(parents=True, exist_ok=True)
    facts = FactWorld(URL.create("sqlite", database=str(home / "facts.db")))
    demands = DemandStore(URL.create("sqlite", database=str(home / "demand_store.db")))
    supply = SupplyStore(URL.create("sqlite", database=str(home / "supply_store.db")))
    if is_new:
        facts.fill()
        upgrade_demands(demands)
        upgrade_supply(supply)
    try:
        yield SupplyChain(facts, demands, supply)
    finally:
        facts.close()
        supply.close()


def make_tables(url: URL) -> None:
    """Both stores' tables in one database, as an operator may have them."""
    upgrade_demands(DemandStore(url))
    supply = SupplyStore(url)
    upgrade_supply(supply)
    supply.close()


def empty_tables(url: URL) -> None:
    """No row left in either store."""
    supply = SupplyStore(url)
    with supply.engine.begin() as connection:
        for table in [*reversed(metadata.sorted_tables), demand_content]:
            connection.execute(table.delete())
    supply.close()


def finish_batch(home: Path, address: str) -> None:
    """A whole batch under ``home``: two demands planned by article, one by account, one request from outside."""
    with pytest.MonkeyPatch.context() as patch, embedded_chain(home) as chain:
        for name, value in environment(home, address).items():
            patch.setenv(name, value)
        chain.publish(of_post("p1"), PRICES)
        chain.publish(of_post("p2"), label="by account")
        tasks = [
            *chain.take_in(run_label="label-1", expected_count=4).tasks,
            *chain.take_in(run_label="by account", expected_count=4, plan_type="BY_ACCOUNT").tasks,
            *chain.ask(request(demand_id=900)).tasks,
        ]
        outcome = chain.run(tasks)
        assert outcome.counts == {"completed": 4}, outcome.counts


def environment(home: Path, address: str) -> dict[str, str]:
    """The settings of a worker whose stores are under ``home``."""
    return {**HURRIED, "PATTERN2PLAN_HOME": str(home), "SUPPLY_PLATFORM_URL": address}
