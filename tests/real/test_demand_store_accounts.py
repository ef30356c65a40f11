"""The table mode with accounts that may do no more than they must (D-002, D-063, D-064)."""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy.engine import URL

from demand_assets.run import existing_execution
from demand_assets.run.existing_execution import RunEnvironment, run_execution
from demand_assets.run.request import make_request
from resources.databases.demand_store.engine import DemandStore
from resources.databases.demand_store.migrate import upgrade
from resources.foundation.errors import StoreUnwritable
from resources.settings.demand import read_settings
from tests.accounts import SECRET, mariadb_account, postgres_facts_reader
from tests.commands.cli_runner import RUN_MYSQL, Done, start_cli
from tests.real_servers import MARIADB, run_as_administrator, temporary_database
from tests.resources.databases.demand_store.plain_rows import asked, changed, table_shape
from tests.small_facts import FactWorld

pytestmark = pytest.mark.real_server
WRITES = "SELECT coalesce(sum(n_tup_ins + n_tup_upd + n_tup_del), 0) FROM pg_stat_user_tables"
RIGHTS = "SELECT, INSERT, UPDATE"


@pytest.fixture
def store_owner() -> Iterator[URL]:
    """A MariaDB database with demand_content and another table, as its owner sees it."""
    with temporary_database(MARIADB) as url:
        upgrade(DemandStore(url))
        changed(url, "CREATE TABLE demand_task (id int)")
        yield url


@contextmanager
def account(owner: URL, rights: str) -> Iterator[URL]:
    """An account that lacks something: it holds these rights on demand_content alone."""
    name = f"p2p_w_{uuid.uuid4().hex[:12]}"
    run_as_administrator(
        MARIADB,
        f"CREATE USER {name}@'127.0.0.1' IDENTIFIED BY '{SECRET}'",
        f"GRANT {rights} ON {owner.database}.demand_content TO {name}@'127.0.0.1'",
    )
    try:
        yield owner.set(username=name, password=SECRET)
    finally:
        run_as_administrator(MARIADB, f"DROP USER {name}@'127.0.0.1'")


@pytest.fixture
def writer(store_owner: URL) -> Iterator[URL]:
    """The account of the contract, as an operator makes it."""
    with mariadb_account("mysql_demand_writer.sql", store_owner) as url:
        yield url


@pytest.fixture
def reader(postgres_world: FactWorld) -> Iterator[URL]:
    """The PostgreSQL role of an operator, which holds SELECT on the facts and nothing else."""
    with postgres_facts_reader(postgres_world.url) as url:
        yield url


@pytest.fixture
def servers(reader: URL, writer: URL, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """The environment of a run: facts by DSN, store by its group of variables."""
    environment = {
        "DEMAND_PATTERN_PG_DSN": reader.render_as_string(hide_password=False),
        "DEMAND_CONTENT_MYSQL_HOST": "127.0.0.1",
        "DEMAND_CONTENT_MYSQL_PORT": "3306",
        "DEMAND_CONTENT_MYSQL_USER": str(writer.username),
        "DEMAND_CONTENT_MYSQL_PASSWORD": SECRET,
        "DEMAND_CONTENT_MYSQL_DATABASE": str(writer.database),
    }
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    return environment


def run(*more: str, tmp_path: Path, servers: dict[str, str]) -> Done:
    return start_cli(tmp_path, (*RUN_MYSQL, "--count", "2", *more), servers).wait()


def test_d063_the_whole_mode_works_with_the_least_rights(
    servers: dict[str, str], store_owner: URL, postgres_world: FactWorld, tmp_path: Path
) -> None:
    writes_before = _writes(postgres_world.url)
    done = run("--run-id", "run-1", "--json", tmp_path=tmp_path, servers=servers)
    assert done.code == 0, done.err
    assert done.json["published"] == {"inserted": 2, "skipped": 0}
    assert asked(store_owner, "SELECT count(*) FROM demand_content") == [(2,)]
    assert asked(store_owner, "SELECT count(*) FROM demand_task") == [(0,)]
    assert _writes(postgres_world.url) == writes_before
    again = run("--run-id", "run-2", "--run-label", "run-1", "--json", tmp_path=tmp_path, servers=servers)
    assert again.json["published"] == {"inserted": 0, "skipped": 2}
    with_secret = [p for p in tmp_path.rglob("*") if p.is_file() and SECRET.encode() in p.read_bytes()]
    assert with_secret == []


def _writes(url: URL) -> Any:
    changed(url, "SELECT pg_stat_clear_snapshot()", "SELECT pg_stat_force_next_flush()")
    return asked(url, WRITES)


def test_d063_every_statement_is_on_the_one_table(
    servers: dict[str, str], store_owner: URL, monkeypatch: pytest.MonkeyPatch
) -> None:
    stores: list[DemandStore] = []

    def open_and_keep(settings: Any) -> DemandStore:
        stores.append(open_store(settings))
        return stores[-1]

    open_store = existing_execution.open_store
    monkeypatch.setattr(existing_execution, "open_store", open_and_keep)
    run_execution("mysql_demand_content", make_request(execution_id=581, count=2), RunEnvironment(read_settings()))
    effects = {effect for store in stores for effect in store.effects if not effect.startswith("DESCRIBE")}
    assert effects == {"SELECT demand_content", "INSERT demand_content", "UPDATE demand_content"}


def test_d063_a_table_of_theirs_with_more_columns_is_written_with_the_least_rights(
    servers: dict[str, str], store_owner: URL, tmp_path: Path
) -> None:
    changed(store_owner, "ALTER TABLE demand_content ADD operator varchar(32) NOT NULL DEFAULT 'x', ADD KEY (name(9))")
    shape = table_shape(store_owner)
    assert run(tmp_path=tmp_path, servers=servers).code == 0
    assert table_shape(store_owner) == shape
    assert asked(store_owner, "SELECT DISTINCT operator FROM demand_content") == [("x",)]


@pytest.mark.parametrize("missing", ["INSERT", "UPDATE", "SELECT"])
def test_d063_a_right_that_is_missing_is_said_and_nothing_stays(
    store_owner: URL, reader: URL, tmp_path: Path, missing: str
) -> None:
    rights = ", ".join(right for right in RIGHTS.split(", ") if right != missing)
    with account(store_owner, rights) as url:
        environment = {
            "PGVECTOR_DSN": reader.render_as_string(hide_password=False),
            "DEMAND_CONTENT_MYSQL_DSN": url.render_as_string(hide_password=False),
        }
        done = run("--run-id", "run-1", tmp_path=tmp_path, servers=environment)
        assert done.code == 3
        assert missing in done.error.upper()
        assert "demand_content" in done.error
        assert SECRET not in done.error
        assert asked(store_owner, "SELECT count(*) FROM demand_content") == [(0,)]


def test_d063_the_account_cannot_change_the_schema(servers: dict[str, str], writer: URL) -> None:
    with pytest.raises(StoreUnwritable, match="command denied"):
        upgrade(DemandStore(writer))


def test_d064_two_processes_with_one_label_double_nothing(
    servers: dict[str, str], store_owner: URL, tmp_path: Path
) -> None:
    arguments = [(*RUN_MYSQL, "--count", "2", "--run-id", f"run-{n}", "--run-label", "one", "--json") for n in range(4)]
    running = [start_cli(tmp_path, each, servers) for each in arguments]
    published = [each.wait().json["published"] for each in running]
    assert sorted(entry["inserted"] for entry in published) == [0, 0, 0, 2]
    assert asked(store_owner, "SELECT count(*) FROM demand_content") == [(2,)]


def test_d003_the_settings_of_the_run_print_no_secret(servers: dict[str, str]) -> None:
    settings = read_settings()
    printed = f"{settings!r} {settings} {settings.store_url()} {settings.facts_url()} {settings.model_dump()}"
    assert SECRET not in printed
    assert os.environ["DEMAND_CONTENT_MYSQL_PASSWORD"] == SECRET
