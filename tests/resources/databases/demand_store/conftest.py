"""A demand store on MariaDB, and plain rows for it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from sqlalchemy.engine import URL

from resources.databases.demand_store.engine import DemandStore
from resources.databases.demand_store.migrate import upgrade
from tests.real_servers import MARIADB, temporary_database


@pytest.fixture
def mariadb_url() -> Iterator[URL]:
    """A MariaDB database that holds nothing."""
    with temporary_database(MARIADB) as url:
        yield url


@pytest.fixture
def mariadb_store(mariadb_url: URL) -> DemandStore:
    """A MariaDB demand store with its table."""
    store = DemandStore(mariadb_url)
    upgrade(store)
    return store
