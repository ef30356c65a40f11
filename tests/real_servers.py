"""The real servers on loopback: databases of unique names, made and dropped by the tests.

Without a server its tests are skipped by name; in CI (``CI=true``) a missing server is a failure.
"""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache

import pytest
from sqlalchemy import create_engine, text
from sqlalchemy.engine import URL
from sqlalchemy.exc import OperationalError

POSTGRES = URL.create("postgresql+psycopg", username="postgres", host="127.0.0.1", port=5432, database="postgres")
MARIADB = URL.create("mysql+pymysql", username="root", host="127.0.0.1", port=3306, query={"charset": "utf8mb4"})


def require(server: URL) -> None:
    """Skip the test by name where the server is missing; fail it in CI."""
    if _reachable(server):
        return
    message = f"no {server.get_backend_name()} server on {server.host}:{server.port}"
    if os.environ.get("CI") == "true":
        pytest.fail(message)
    pytest.skip(message)


@lru_cache
def _reachable(server: URL) -> bool:
    try:
        with _administrator(server).connect():
            return True
    except OperationalError:
        return False


def _administrator(server: URL):
    arguments = {"connect_timeout": 3}
    return create_engine(server, isolation_level="AUTOCOMMIT", connect_args=arguments)


def run_as_administrator(server: URL, *statements: str) -> None:
    """Run statements in autocommit on the server."""
    engine = _administrator(server)
    with engine.connect() as connection:
        for statement in statements:
            connection.execute(text(statement))
    engine.dispose()


@contextmanager
def temporary_database(server: URL) -> Iterator[URL]:
    """An empty database of a unique name; dropped with the block, whoever is still connected."""
    require(server)
    name = f"p2p_test_{uuid.uuid4().hex[:16]}"
    if server.get_backend_name() == "postgresql":
        create, drop = f"CREATE DATABASE {name}", f"DROP DATABASE IF EXISTS {name} WITH (FORCE)"
    else:
        create = f"CREATE DATABASE {name} CHARACTER SET utf8mb4 COLLATE utf8mb4_bin"
        drop = f"DROP DATABASE IF EXISTS {name}"
    run_as_administrator(server, create)
    try:
        yield server.set(database=name)
    finally:
        run_as_administrator(server, drop)
