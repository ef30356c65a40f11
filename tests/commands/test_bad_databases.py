"""Databases that are down, slow, wrong or closed to the role: exit code 3, one line, no password (D-002 … D-042)."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import create_engine, text
from sqlalchemy.engine import URL

from tests.commands.cli_runner import RUN_LOCAL, RUN_MYSQL, Cli, Done
from tests.real_servers import MARIADB, POSTGRES, run_as_administrator, temporary_database
from tests.small_facts import FactWorld

REAL = pytest.mark.real_server
SECRET = "s3cr3t-Zq9"
FACTS, STORE = "DEMAND_PATTERN_PG_DSN", "DEMAND_CONTENT_MYSQL_DSN"


def plain(url: URL) -> str:
    return url.render_as_string(hide_password=False)


def refused(done: Done, code: int, tmp_path: Path) -> str:
    """The error line: no secret in it, and no run that claims to be one."""
    assert done.code == code, done.err
    assert SECRET not in done.error
    files = [path for path in (tmp_path / "test_output_data").rglob("*") if path.is_file()]
    assert [
        path.name for path in files if path.parent.parent.name == "test_output_data" and path.suffix == ".json"
    ] == []
    assert [path.name for path in files if path.suffix == ".partial"] == []
    return done.error


@pytest.fixture
def role() -> Iterator[str]:
    """A PostgreSQL role that may log in and nothing else."""
    name = f"p2p_role_{uuid.uuid4().hex[:12]}"
    with temporary_database(POSTGRES):
        run_as_administrator(POSTGRES, f"CREATE ROLE {name} LOGIN PASSWORD '{SECRET}'")
    yield name
    run_as_administrator(POSTGRES, f"DROP ROLE {name}")


@pytest.mark.parametrize(
    ("dsn", "code", "named"),
    [
        (f"not a dsn {SECRET}", 2, f"{FACTS} or PGVECTOR_DSN is not a database URL"),
        (f"postgresql://u:{SECRET}@h:notaport/d", 2, f"{FACTS} or PGVECTOR_DSN is not a database URL"),
        (f"oracle://u:{SECRET}@h/d", 2, "oracle"),
        (f"postgresql+nope://u:{SECRET}@h/d", 2, "nope"),
        (f"postgresql://u:{SECRET}@127.0.0.1:1/d", 3, "refused"),
        (f"host=127.0.0.1 port=1 user=u password={SECRET} dbname=d", 3, "refused"),
        (f"postgresql://u:{SECRET}@no-such-host.invalid/d", 3, "resolve host"),
        (f"mysql://u:{SECRET}@127.0.0.1:1/d", 3, "could not be read"),
    ],
)
def test_d003_a_facts_dsn_that_leads_nowhere(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, dsn: str, code: int, named: str
) -> None:
    monkeypatch.setenv(FACTS, dsn)
    assert named in refused(cli(*RUN_LOCAL), code, tmp_path)
    assert not (tmp_path / "test_output_data").exists()


def test_d003_a_port_that_is_no_number_in_a_facts_dsn(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(FACTS, f"host=127.0.0.1 port=x password={SECRET}")
    assert FACTS in refused(cli(*RUN_LOCAL), 2, tmp_path)


@pytest.mark.parametrize(
    ("dsn", "code"),
    [
        (f"not a dsn {SECRET}", 2),
        (f"postgresql://u:{SECRET}@127.0.0.1/d", 2),
        (f"mysql://u:{SECRET}@127.0.0.1:1/d", 3),
        (f"mysql://u:{SECRET}@no-such-host.invalid/d", 3),
    ],
)
def test_d003_a_store_dsn_that_leads_nowhere(
    cli: Cli, place: FactWorld, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, dsn: str, code: int
) -> None:
    monkeypatch.setenv(STORE, dsn)
    refused(cli(*RUN_MYSQL), code, tmp_path)
    refused(cli("demand", "verify"), code, tmp_path)
    assert not (tmp_path / "test_output_data").exists()


def test_d003_no_facts_at_all_names_the_command_that_makes_some(cli: Cli, tmp_path: Path) -> None:
    assert "pattern2plan demo" in refused(cli(*RUN_LOCAL), 3, tmp_path)


def test_d042_a_facts_file_that_is_no_database(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / ".pattern2plan").mkdir()
    (tmp_path / ".pattern2plan" / "facts.db").write_bytes(b"no database " * 100)
    assert "not a database" in refused(cli(*RUN_LOCAL), 3, tmp_path)


@REAL
@pytest.mark.parametrize("variable", [FACTS, STORE])
def test_d003_an_unknown_database_is_named(
    cli: Cli, place: FactWorld, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    server = POSTGRES if variable == FACTS else MARIADB
    with temporary_database(server) as url:
        gone = url
    monkeypatch.setenv(variable, plain(gone.set(password=SECRET if variable == FACTS else None)))
    assert str(gone.database) in refused(cli(*RUN_MYSQL), 3, tmp_path)


@REAL
@pytest.mark.parametrize("variable", [FACTS, STORE])
def test_d003_a_wrong_password_is_said_and_never_shown(
    cli: Cli, place: FactWorld, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    with temporary_database(MARIADB) as url:
        user = f"p2p_u_{uuid.uuid4().hex[:12]}"
        run_as_administrator(MARIADB, f"CREATE USER {user}@'127.0.0.1' IDENTIFIED BY 'right'")
        try:
            monkeypatch.setenv(variable, plain(url.set(username=user, password=SECRET)))
            assert "Access denied" in refused(cli(*RUN_MYSQL), 3, tmp_path)
        finally:
            run_as_administrator(MARIADB, f"DROP USER {user}@'127.0.0.1'")


@REAL
@pytest.mark.parametrize(
    "table", ["pattern_mining_execution", "pattern_mining_element", "pattern_itemset", "pattern_itemset_post"]
)
def test_d042_a_missing_table_is_named(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, postgres_world: FactWorld, table: str
) -> None:
    monkeypatch.setenv(FACTS, plain(postgres_world.url))
    postgres_world.alter(f"ALTER TABLE {table} RENAME TO hidden")
    try:
        assert table in refused(cli(*RUN_LOCAL, "--run-id", "run-1"), 3, tmp_path)
    finally:
        postgres_world.alter(f"ALTER TABLE hidden RENAME TO {table}")
    _next_run_is_fine(cli, tmp_path)


@REAL
@pytest.mark.parametrize("column", ["pattern_mining_execution.status", "pattern_itemset.absolute_support"])
def test_d042_a_missing_column_is_named(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, postgres_world: FactWorld, column: str
) -> None:
    table, name = column.split(".")
    monkeypatch.setenv(FACTS, plain(postgres_world.url))
    postgres_world.alter(f"ALTER TABLE {table} RENAME COLUMN {name} TO hidden")
    try:
        assert name in refused(cli(*RUN_LOCAL, "--run-id", "run-1"), 3, tmp_path)
    finally:
        postgres_world.alter(f"ALTER TABLE {table} RENAME COLUMN hidden TO {name}")
    _next_run_is_fine(cli, tmp_path)


@REAL
def test_d042_a_table_that_the_role_may_not_read_is_named(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, postgres_world: FactWorld, role: str
) -> None:
    monkeypatch.setenv(FACTS, plain(postgres_world.url.set(username=role, password=SECRET)))
    postgres_world.alter(
        f"GRANT SELECT ON ALL TABLES IN SCHEMA public TO {role}", f"REVOKE SELECT ON pattern_itemset_post FROM {role}"
    )
    try:
        line = refused(cli(*RUN_LOCAL, "--run-id", "run-1"), 3, tmp_path)
        assert "pattern_itemset_post" in line
        assert "GRANT SELECT" in line
        postgres_world.alter(f"GRANT SELECT ON pattern_itemset_post TO {role}")
        _next_run_is_fine(cli, tmp_path)
    finally:
        postgres_world.alter(f"DROP OWNED BY {role}")


@REAL
@pytest.mark.parametrize("table", ["pattern_mining_execution", "pattern_itemset_post"])
def test_d002_a_statement_that_takes_too_long_is_ended_and_said(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, postgres_world: FactWorld, table: str
) -> None:
    monkeypatch.setenv(FACTS, plain(postgres_world.url))
    monkeypatch.setenv("DEMAND_PATTERN_STATEMENT_TIMEOUT_S", "0.3")
    engine = create_engine(postgres_world.url)
    with engine.begin() as holder:
        holder.execute(text(f"LOCK TABLE {table} IN ACCESS EXCLUSIVE MODE"))
        line = refused(cli(*RUN_LOCAL, "--run-id", "run-1"), 3, tmp_path)
    engine.dispose()
    assert "DEMAND_PATTERN_STATEMENT_TIMEOUT_S" in line
    _next_run_is_fine(cli, tmp_path)


@pytest.mark.parametrize("table", ["pattern_itemset", "pattern_itemset_post"])
def test_d042_a_table_missing_from_the_embedded_facts(cli: Cli, place: FactWorld, tmp_path: Path, table: str) -> None:
    place.alter(f"ALTER TABLE {table} RENAME TO hidden")
    assert table in refused(cli(*RUN_LOCAL, "--run-id", "run-1"), 3, tmp_path)
    place.alter(f"ALTER TABLE hidden RENAME TO {table}")
    _next_run_is_fine(cli, tmp_path)


def _next_run_is_fine(cli: Cli, tmp_path: Path) -> None:
    """A run that was cut off may be resumed; one that left nothing starts anew."""
    more = ("--resume",) if (tmp_path / "test_output_data" / "run-1").exists() else ()
    done = cli(*RUN_LOCAL, "--count", "2", "--run-id", "run-1", *more)
    assert done.code == 0, done.err
    assert (tmp_path / "test_output_data" / "run-1" / "run_manifest.json").is_file()
