"""PG2: while the model is called, no transaction is open in the facts database."""

from __future__ import annotations

import os
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from sqlalchemy import create_engine, text
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import OperationalError
from sqlalchemy.pool import NullPool

from demand_assets.evidence.weights import read_weight_scores
from resources.databases.pattern_facts.engine import FactsDatabase
from tests.demand_assets.proposers.agent_facts import EXECUTION, candidate, write_facts
from tests.demand_assets.proposers.conftest import Desk
from tests.scripted_model import ScriptedModel, calls

SERVER = make_url("postgresql+psycopg://postgres@127.0.0.1:5432/postgres")
BUSY = text("SELECT count(*) FROM pg_stat_activity WHERE datname = :name AND xact_start IS NOT NULL")

pytestmark = pytest.mark.real_server


@pytest.fixture
def postgresql_facts() -> Iterator[URL]:
    engine = create_engine(SERVER, isolation_level="AUTOCOMMIT", poolclass=NullPool)
    name = f"agent_facts_{uuid.uuid4().hex}"
    try:
        with engine.connect() as connection:
            connection.exec_driver_sql(f"CREATE DATABASE {name}")
    except OperationalError:
        if os.environ.get("CI") == "true":
            raise
        pytest.skip(f"no PostgreSQL at {SERVER.host}:{SERVER.port}")
    yield write_facts(SERVER.set(database=name))
    with engine.connect() as connection:
        connection.exec_driver_sql(f"DROP DATABASE {name} WITH (FORCE)")


def test_pg2_no_transaction_is_open_while_the_model_is_called(
    postgresql_facts: URL, scripted: Callable[..., ScriptedModel], tmp_path: Path
) -> None:
    watcher = create_engine(SERVER, isolation_level="AUTOCOMMIT", poolclass=NullPool)
    open_transactions: list[int] = []

    def look() -> None:
        time.sleep(0.05)
        with watcher.connect() as connection:
            counted = connection.execute(BUSY, {"name": postgresql_facts.database}).scalar_one()
        open_transactions.append(counted)

    model = scripted(
        calls(("get_frequent_itemsets", {})).during(look),
        calls(("get_itemset_detail", {"itemset_ids": [101]})).during(look),
        calls(("create_demand_item", candidate(itemset_ids=[999]))).during(look),
        calls(("create_demand_item", candidate())).during(look),
    )
    database = FactsDatabase(postgresql_facts)
    try:
        with database.snapshot() as snapshot:
            weights = read_weight_scores(snapshot, EXECUTION)
        desk = Desk(database, weights, tmp_path)
        outcome = desk.run(desk.proposer(model), 1)
    finally:
        database.close()

    assert len(outcome.accepted) == 1
    assert open_transactions == [0, 0, 0, 0]
