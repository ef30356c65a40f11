"""Accounts on the real servers, made by the very files that an operator runs, and dropped with the block."""

from __future__ import annotations

import os
import subprocess
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy.engine import URL

from tests.real_servers import MARIADB, POSTGRES, run_as_administrator

FILES = Path(__file__).resolve().parent.parent / "deploy" / "sql"
SECRET = "s3cr3t-Zq9"
LOOPBACK = "127.0.0.1"


@contextmanager
def mariadb_account(file: str, owner: URL) -> Iterator[URL]:
    """The account of ``deploy/sql/<file>``; both stores are in the owner's database."""
    name = _name()
    run_mariadb_file(file, name, str(owner.database))
    try:
        yield owner.set(username=name, password=SECRET)
    finally:
        run_as_administrator(MARIADB, f"DROP USER {name}@'{LOOPBACK}'")


def run_mariadb_file(file: str, account: str, database: str) -> None:
    """The client on variables and the file, as the file's head says."""
    variables = {
        "password": SECRET,
        "account": account,
        "host": LOOPBACK,
        "supply_database": database,
        "demand_database": database,
    }
    given = "SET " + ", ".join(f"@{name}='{value}'" for name, value in variables.items()) + ";\n"
    command = ("mariadb", "--no-defaults", "-h", LOOPBACK, "-P", str(MARIADB.port), "-u", str(MARIADB.username))
    _run(command, os.environ, given + (FILES / file).read_text())


@contextmanager
def postgres_facts_reader(owner: URL) -> Iterator[URL]:
    """The account of ``deploy/sql/postgres_facts_reader.sql`` on the owner's facts."""
    role = _name()
    run_postgres_file("postgres_facts_reader.sql", str(owner.database), "FACTS_READER_PASSWORD", role=role)
    try:
        yield owner.set(username=role, password=SECRET)
    finally:
        run_as_administrator(POSTGRES.set(database=owner.database), f"DROP OWNED BY {role}")
        run_as_administrator(POSTGRES, f"DROP ROLE {role}")


def run_postgres_file(file: str, run_in: str, password_variable: str, **variables: str) -> None:
    """The client on the file, the password in the environment."""
    named = [part for name, value in variables.items() for part in ("-v", f"{name}={value}")]
    place = ("-h", LOOPBACK, "-p", str(POSTGRES.port), "-U", str(POSTGRES.username), "-d", run_in)
    command = ("psql", "-X", "-q", *place, *named, "-f", str(FILES / file))
    _run(command, os.environ | {password_variable: SECRET}, "")


def _run(command: tuple[str, ...], environment: os._Environ[str] | dict[str, str], given: str) -> None:
    done = subprocess.run(
        command, input=given, env=environment, text=True, capture_output=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    assert SECRET not in done.stdout + done.stderr


def _name() -> str:
    return f"p2p_{uuid.uuid4().hex[:12]}"
