"""The accounts of ``deploy/sql`` can do their work and nothing beyond it (D-002, D-063, S-030)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from sqlalchemy import create_engine, text
from sqlalchemy.engine import URL
from sqlalchemy.exc import DBAPIError

from resources.databases.demand_store.engine import DemandStore
from resources.databases.pattern_facts.doctor import diagnose
from resources.databases.pattern_facts.engine import FactsDatabase
from resources.databases.supply_store.engine import SupplyStore
from resources.databases.supply_store.events import read_events
from resources.databases.supply_store.tasks.tasks import read_task
from resources.foundation.clock import SystemClock
from resources.foundation.errors import FactsUnreadable
from supply_assets.review.review import Decision, Reviewer, review_candidate, review_task
from supply_assets.review.review_list import list_for_review
from tests.accounts import FILES, SECRET, mariadb_account, postgres_facts_reader, run_mariadb_file, run_postgres_file
from tests.cat_corpus import cat_platform
from tests.commands.cli_runner import Cli
from tests.lineage.metrics.numbers import Numbers
from tests.real_servers import MARIADB, POSTGRES, run_as_administrator, temporary_database
from tests.small_facts import FactWorld
from tests.supply_chain import HURRIED, SupplyChain, make_tables, of_post, request

pytestmark = pytest.mark.real_server
LI = Reviewer("Li", "looks odd")


@pytest.fixture(scope="module")
def owner() -> Iterator[URL]:
    """One MariaDB database with the tables of both stores and one more, as its owner sees it."""
    with temporary_database(MARIADB) as url:
        make_tables(url)
        asked(url, "CREATE TABLE of_others (id int)")
        yield url


@pytest.fixture(scope="module")
def platform() -> Iterator[str]:
    with cat_platform() as address:
        yield address


@pytest.fixture
def worker(owner: URL) -> Iterator[URL]:
    with mariadb_account("mysql_supply_worker.sql", owner) as url:
        yield url


@pytest.fixture
def chain(
    owner: URL, worker: URL, platform: str, sqlite_world: FactWorld, monkeypatch: pytest.MonkeyPatch
) -> Iterator[SupplyChain]:
    """The chain through the two writers' accounts."""
    with mariadb_account("mysql_demand_writer.sql", owner) as writer:
        environment = {
            **HURRIED,
            "SUPPLY_PLATFORM_URL": platform,
            "SUPPLY_STORE_MYSQL_DSN": dsn(worker),
            "DEMAND_CONTENT_MYSQL_DSN": dsn(writer),
        }
        for name, value in environment.items():
            monkeypatch.setenv(name, value)
        supply = SupplyStore(worker)
        yield SupplyChain(sqlite_world, DemandStore(writer), supply)
        supply.close()


def dsn(url: URL) -> str:
    return url.render_as_string(hide_password=False)


def asked(url: URL, statement: str) -> list[Any]:
    engine = create_engine(url)
    try:
        with engine.begin() as connection:
            found = connection.execute(text(statement))
            return [tuple(row) for row in found] if found.returns_rows else []
    finally:
        engine.dispose()


def refused(url: URL, statement: str) -> bool:
    """Whether the server says that the account may not; an error about values comes after the rights."""
    try:
        asked(url, statement)
    except DBAPIError as error:
        return "denied" in str(error.orig)
    return False


def may(url: URL) -> dict[str, set[str]]:
    """The rights of an account as the server lists them to it, by table; it has none beyond tables."""
    listed = "SELECT table_name, privilege_type FROM information_schema.table_privileges"
    beyond = "SELECT privilege_type FROM information_schema.{}_privileges"
    assert asked(url, beyond.format("user")) == [("USAGE",)]
    assert asked(url, beyond.format("schema")) == []
    rights: dict[str, set[str]] = {}
    for table, right in asked(url, listed):
        rights.setdefault(table, set()).add(right)
    return rights


READ_WRITE = {"SELECT", "INSERT", "UPDATE"}


def test_s041_the_writers_accounts_run_a_whole_batch_from_intake_to_plan(chain: SupplyChain, worker: URL) -> None:
    chain.publish(of_post("p1"))
    assert chain.run(chain.take_in(expected_count=4).tasks).counts == {"completed": 1}
    assert {row["plan_status"] for row in chain.tables()["supply_crawler_plan"]} == {"CREATED"}


def test_d063_each_writer_may_do_no_more_than_its_work(owner: URL, worker: URL) -> None:
    assert may(worker) == {
        "pattern2plan_evidence_key": {"SELECT", "INSERT"},
        "pattern2plan_task_index": READ_WRITE,
        "supply_account_profile": READ_WRITE,
        "supply_candidate_content": READ_WRITE,
        "supply_content_feature": READ_WRITE,
        "supply_content_score": READ_WRITE | {"DELETE"},
        "supply_crawler_plan": READ_WRITE,
        "supply_demand_snapshot": {"SELECT", "INSERT"},
        "supply_task": READ_WRITE,
        "supply_task_event": {"SELECT", "INSERT"},
        "supply_task_stage": READ_WRITE,
    }
    assert refused(worker, "DELETE FROM supply_candidate_content WHERE 1 = 0")
    assert refused(worker, "SELECT * FROM of_others")
    with mariadb_account("mysql_demand_writer.sql", owner) as writer:
        assert may(writer) == {"demand_content": READ_WRITE}


def test_s030_the_reviewer_decides_and_cannot_write_what_workers_write(chain: SupplyChain, owner: URL) -> None:
    other = chain.ask(request(demand_id=902, query="猫 治愈 家")).tasks[0].task_id
    with mariadb_account("mysql_reviewer.sql", owner) as url:
        store = SupplyStore(url)
        review_task(store, SystemClock(), other, Decision.HOLD, LI)
        assert chain.run([chain.task(other)]).counts == {"held": 1}
        review_task(store, SystemClock(), other, Decision.RELEASE, LI)
        candidate = int(list_for_review(store, other)[0]["candidate_id"])
        review_candidate(store, SystemClock(), candidate, Decision.REJECT, LI)
        assert other in {row["task_id"] for row in list_for_review(store, None)}
        review_task(store, SystemClock(), other, Decision.REJECT, LI)
        with store.reading() as connection:
            assert read_task(connection, other).status == "CANCELLED"
            decided = [
                event for event in read_events(connection, other, 99) if event.event_type == "MANUAL_INTERVENTION"
            ]
        store.close()
        assert len(decided) == 4
        assert may(url) == {
            "pattern2plan_task_index": {"SELECT", "UPDATE"},
            "supply_candidate_content": {"SELECT"},
            "supply_content_score": {"SELECT"},
            "supply_crawler_plan": {"SELECT"},
            "supply_demand_snapshot": {"SELECT"},
            "supply_task": {"SELECT", "UPDATE"},
            "supply_task_event": {"SELECT", "INSERT"},
            "supply_task_stage": {"SELECT", "UPDATE"},
        }
        assert refused(url, "UPDATE supply_candidate_content SET title = 'x' WHERE 1 = 0")
        assert refused(url, "DELETE FROM supply_candidate_content WHERE 1 = 0")


def test_the_metrics_reader_makes_the_page_and_writes_nothing(
    chain: SupplyChain, owner: URL, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    with mariadb_account("mysql_metrics_reader.sql", owner) as url:
        monkeypatch.setenv("SUPPLY_STORE_MYSQL_DSN", dsn(url))
        monkeypatch.setenv("DEMAND_CONTENT_MYSQL_DSN", dsn(url))
        done = Cli(monkeypatch, capfd)("metrics")
        assert (done.code, done.err) == (0, "")
        assert Numbers(done.out).up == {"demand": 1, "facts": 1, "supply": 1}
        assert set.union(*may(url).values()) == {"SELECT"}
        assert refused(url, "UPDATE supply_task SET status = 'x' WHERE 1 = 0")


def test_d002_the_facts_reader_reads_the_pattern_tables_and_can_write_nothing(postgres_world: FactWorld) -> None:
    postgres_world.alter("CREATE TABLE IF NOT EXISTS of_others (id int)")
    with postgres_facts_reader(postgres_world.url) as url:
        facts = FactsDatabase(url)
        diagnosis = diagnose(facts)
        facts.close()
        assert (diagnosis.usable, diagnosis.writable_tables, diagnosis.unreadable_tables) == (True, [], [])
        bare = create_engine(url)
        with bare.connect() as connection:
            shown = [connection.execute(text(f"SHOW {name}")).scalar() for name in ("statement_timeout",)]
            assert shown == ["5min"]
            assert connection.execute(text("SHOW default_transaction_read_only")).scalar() == "on"
        bare.dispose()
        for statement in ("DELETE FROM pattern_itemset", "CREATE TABLE mine (id int)", "SELECT * FROM of_others"):
            assert refused(url, f"SET SESSION CHARACTERISTICS AS TRANSACTION READ WRITE; COMMIT; BEGIN; {statement}")


def test_the_dagster_account_owns_its_database_and_nothing_else(postgres_world: FactWorld) -> None:
    name = f"p2p_dagster_{postgres_world.url.database}"
    try:
        for _ in range(2):
            run_postgres_file("postgres_dagster.sql", "postgres", "DAGSTER_PASSWORD", role=name, database=name)
        own = POSTGRES.set(username=name, password=SECRET, database=name)
        assert asked(own, "CREATE TABLE runs (id int)") == []
        with pytest.raises(DBAPIError, match="denied"):
            asked(own.set(database=postgres_world.url.database), "SELECT * FROM pattern_itemset")
        rights = "SELECT rolsuper, rolcreatedb, rolcreaterole FROM pg_roles WHERE rolname = current_user"
        assert asked(own, rights) == [(False, False, False)]
    finally:
        run_as_administrator(POSTGRES, f"DROP DATABASE IF EXISTS {name} WITH (FORCE)", f"DROP ROLE IF EXISTS {name}")


def test_a_file_that_is_run_again_takes_away_what_it_does_not_give(owner: URL) -> None:
    with mariadb_account("mysql_metrics_reader.sql", owner) as url:
        run_as_administrator(MARIADB, f"GRANT ALL ON {owner.database}.* TO {url.username}@'127.0.0.1'")
        assert not refused(url, "DELETE FROM supply_task WHERE 1 = 0")
        run_mariadb_file("mysql_metrics_reader.sql", str(url.username), str(owner.database))
        assert refused(url, "DELETE FROM supply_task WHERE 1 = 0")


def test_d003_no_file_holds_a_password() -> None:
    files = sorted(FILES.glob("*.sql"))
    assert len(files) >= 6
    for file in files:
        said = file.read_text()
        assert re.findall(r"(?i)(?:identified by|password) +'(?!, QUOTE\(@password\))[^;]*", said) == [], file.name


def test_facts_unreadable_names_what_the_role_lacks(postgres_world: FactWorld) -> None:
    with postgres_facts_reader(postgres_world.url) as url:
        postgres_world.alter(f"REVOKE SELECT ON pattern_itemset FROM {url.username}")
        facts = FactsDatabase(url)
        with pytest.raises(FactsUnreadable, match="pattern_itemset"), facts.snapshot() as snapshot:
            snapshot.execute(text("SELECT * FROM pattern_itemset"))
        facts.close()
