"""A supply store with its tables, on each kind of database; the server's tables are made once and emptied a test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy.engine import URL

from resources.databases.supply_store.engine import SupplyStore
from resources.databases.supply_store.migrate import upgrade
from resources.databases.supply_store.tables import metadata
from tests.real_servers import MARIADB, temporary_database

REAL = pytest.mark.real_server


@pytest.fixture
def empty_mariadb_url() -> Iterator[URL]:
    """A MariaDB database that holds nothing."""
    with temporary_database(MARIADB) as url:
        yield url


@pytest.fixture(scope="session")
def mariadb_supply_url() -> Iterator[URL]:
    """A MariaDB database with the tables, of this session's own."""
    with temporary_database(MARIADB) as url:
        _upgrade(url)
        yield url


@pytest.fixture(params=["sqlite", pytest.param("mariadb", marks=REAL)])
def supply_url(request: pytest.FixtureRequest, tmp_path: Path) -> URL:
    """An empty supply store with its tables."""
    if request.param == "mariadb":
        url: URL = request.getfixturevalue("mariadb_supply_url")
        _empty(url)
        return url
    url = URL.create("sqlite", database=str(tmp_path / ".pattern2plan" / "supply_store.db"))
    _upgrade(url)
    return url


@pytest.fixture
def supply(supply_url: URL) -> Iterator[SupplyStore]:
    """The supply store of ``supply_url``."""
    store = SupplyStore(supply_url)
    yield store
    store.close()


@pytest.fixture
def mariadb_supply(mariadb_supply_url: URL) -> Iterator[SupplyStore]:
    """An empty supply store on MariaDB."""
    _empty(mariadb_supply_url)
    store = SupplyStore(mariadb_supply_url)
    yield store
    store.close()


def _upgrade(url: URL) -> None:
    store = SupplyStore(url)
    upgrade(store)
    store.close()


def _empty(url: URL) -> None:
    store = SupplyStore(url)
    for table in reversed(metadata.sorted_tables):
        store.write(lambda connection, table=table: connection.execute(table.delete()))
    store.close()
