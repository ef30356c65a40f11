"""D-002, PG1, PG7: only reading reaches the facts, in every transaction, and a dead connection is replaced."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from sqlalchemy import create_engine, event, text
from sqlalchemy.engine import URL

from demand_assets.decisions.decision_loop import Loop
from demand_assets.evidence.closure import Provenance
from demand_assets.evidence.reproof import Published, reprove
from demand_assets.evidence.weights import read_weight_scores
from demand_assets.proposers.rules import RulesProposer
from resources.databases.pattern_facts import tables
from resources.databases.pattern_facts.doctor import diagnose
from resources.databases.pattern_facts.engine import FactsDatabase
from resources.databases.pattern_facts.listing import list_successful_executions
from resources.foundation.errors import FactsUnreadable
from tests.accounts import postgres_facts_reader
from tests.real_servers import POSTGRES, temporary_database
from tests.small_facts import FactWorld

REAL = pytest.mark.real_server
READS = ("SELECT", "SHOW", "EXPLAIN", "WITH", "SET", "BEGIN", "PRAGMA", "DESCRIBE")
WRITES = [
    "INSERT INTO pattern_mining_config (id, execution_id, scope) VALUES (1, 581, 'topic')",
    "UPDATE pattern_itemset SET support = 1",
    "DELETE FROM pattern_itemset_post",
    "CREATE TABLE another (id INTEGER)",
    "DROP TABLE pattern_itemset",
    "ALTER TABLE pattern_itemset ADD COLUMN another INTEGER",
]


def whole_chain(facts: FactsDatabase) -> int:
    """Everything the demand half does with facts; the number of accepted demands."""
    with facts.snapshot() as snapshot:
        assert list_successful_executions(snapshot)
        weights = read_weight_scores(snapshot, 581)
    outcome = Loop(facts, 581, weights, Provenance("t"), 9, 9).run(RulesProposer(facts, 581, weights))
    published = [Published(str(d.seq), d.candidate.name, d.pack) for d in outcome.accepted]
    with facts.snapshot() as snapshot:
        assert reprove(snapshot, published) == []
    return len(outcome.accepted)


@pytest.mark.parametrize("write", WRITES)
def test_d002_a_write_through_the_resource_is_refused(world: FactWorld, write: str) -> None:
    with world.open() as facts:
        with pytest.raises(FactsUnreadable, match=r"(?i)read.?only"), facts.snapshot() as snapshot:
            snapshot.execute(text(write))
        assert whole_chain(facts) == 2


@pytest.mark.parametrize("write", ["CREATE TABLE another (id INTEGER)", WRITES[0]])
def test_d002_a_write_on_a_bare_connection_is_refused_too(world: FactWorld, write: str) -> None:
    with world.open() as facts, facts.engine.connect() as connection, pytest.raises(Exception, match=r"(?i)read.?only"):
        connection.execute(text(write))


def test_d002_only_reading_statements_are_sent(world: FactWorld) -> None:
    sent: list[str] = []
    with world.open() as facts:
        event.listen(facts.engine, "before_cursor_execute", lambda *arguments: sent.append(arguments[2]))
        whole_chain(facts)
        diagnose(facts)

    assert sent
    assert [statement for statement in sent if not statement.strip().upper().startswith(READS)] == []


@pytest.fixture
def reader(postgres_world: FactWorld) -> Iterator[URL]:
    """The small facts through the role that an operator makes, which has SELECT only."""
    with postgres_facts_reader(postgres_world.url) as url:
        yield url


@REAL
def test_d002_select_is_all_that_the_chain_needs(reader: URL) -> None:
    facts = FactsDatabase(reader)
    try:
        assert whole_chain(facts) == 2
        assert diagnose(facts).writable_tables == []
    finally:
        facts.close()


@REAL
def test_d002_a_run_writes_no_tuple() -> None:
    statement = text("SELECT sum(n_tup_ins + n_tup_upd + n_tup_del), count(*) FROM pg_stat_user_tables")

    def written(url: URL) -> tuple[int, int]:
        engine = create_engine(url)
        with engine.begin() as connection:
            connection.execute(text("SELECT pg_stat_force_next_flush()"))
        with engine.begin() as connection:
            found = connection.execute(statement).one()
        engine.dispose()
        return tuple(found)

    with temporary_database(POSTGRES) as url:
        world = FactWorld(url)
        world.fill()
        world.close()
        before = written(url)
        with world.open() as facts:
            whole_chain(facts)
            with facts.engine.connect() as connection:
                connection.execute(text("SELECT pg_stat_force_next_flush()"))

        assert written(url) == before
        assert before[0] > 0


def shown(facts: FactsDatabase, *names: str) -> list[str]:
    with facts.snapshot() as snapshot:
        return [snapshot.execute(text(f"SHOW {name}")).scalar_one() for name in names]


SETTINGS = ("default_transaction_read_only", "transaction_read_only", "transaction_isolation", "statement_timeout")
WANTED = ["on", "on", "repeatable read", "7500ms"]


@REAL
def test_d002_pg7_the_session_is_as_the_contract_says(postgres_world: FactWorld) -> None:
    facts = FactsDatabase(postgres_world.url, statement_timeout_s=7.5)
    try:
        assert shown(facts, *SETTINGS, "application_name") == [*WANTED, "pattern2plan"]
    finally:
        facts.close()


@REAL
def test_d002_a_connection_outside_a_snapshot_is_bounded_too(postgres_world: FactWorld) -> None:
    facts = FactsDatabase(postgres_world.url, statement_timeout_s=7.5)
    with facts.engine.connect() as connection:
        found = [connection.execute(text(f"SHOW {name}")).scalar_one() for name in SETTINGS]
    facts.close()

    assert found == ["on", "on", "read committed", "7500ms"]


@REAL
def test_pg7_each_transaction_says_it_anew(postgres_world: FactWorld) -> None:
    """A pooler may hand out a session that others have set otherwise."""
    facts = FactsDatabase(postgres_world.url, statement_timeout_s=7.5)
    with facts.engine.connect() as connection:
        pid = connection.execute(text("SELECT pg_backend_pid()")).scalar_one()
        connection.execute(text("SET SESSION default_transaction_read_only = off"))
        connection.execute(text("SET SESSION statement_timeout = 0"))
        connection.commit()
    try:
        assert shown(facts, *SETTINGS[1:]) == WANTED[1:]
        with facts.snapshot() as snapshot:
            assert snapshot.execute(text("SELECT pg_backend_pid()")).scalar_one() == pid
        with pytest.raises(FactsUnreadable, match="read-only"), facts.snapshot() as snapshot:
            snapshot.execute(text(WRITES[0]))
    finally:
        facts.close()


@REAL
def test_pg1_dead_idle_connections_are_replaced(postgres_world: FactWorld) -> None:
    other = create_engine(postgres_world.url)
    with postgres_world.open() as facts:
        with facts.snapshot() as first, facts.snapshot() as second:
            pids = {c.execute(text("SELECT pg_backend_pid()")).scalar_one() for c in (first, second)}
        for _ in range(3):
            with other.begin() as killer:
                for pid in pids:
                    killer.execute(text("SELECT pg_terminate_backend(:pid)"), {"pid": pid})
            assert whole_chain(facts) == 2
    other.dispose()


@REAL
def test_pg2_no_transaction_stays_open_after_reading(postgres_world: FactWorld) -> None:
    other = create_engine(postgres_world.url)
    ours = "application_name = 'pattern2plan' AND datname = current_database()"
    with postgres_world.open() as facts:
        whole_chain(facts)
        with other.begin() as looker:
            states = set(looker.execute(text(f"SELECT state FROM pg_stat_activity WHERE {ours}")).scalars())
    other.dispose()

    assert states == {"idle"}


def test_pg3_a_percent_sign_in_a_statement_is_no_placeholder(world: FactWorld) -> None:
    with world.open() as facts, facts.snapshot() as snapshot:
        statement = text("SELECT count(*) FROM pattern_itemset_item WHERE element_name LIKE '%50%%' -- % of all")
        assert snapshot.execute(statement).scalar_one() == 1
        named = tables.itemset_item.c.element_name
        found = snapshot.execute(tables.itemset_item.select().where(named == "降价50%")).all()

    assert [row.id for row in found] == [5]
