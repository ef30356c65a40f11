"""A supply store that holds the sound batch: made once a session, copied for each test, and one on a real server."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy.engine import URL

from resources.databases.supply_store.engine import SupplyStore
from resources.databases.supply_store.migrate import upgrade
from tests.expectations.supply.supply_batch import fill
from tests.real_servers import MARIADB, temporary_database


@pytest.fixture(scope="session")
def filled_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An embedded store with the batch, to be copied."""
    path = tmp_path_factory.mktemp("supply") / "supply_store.db"
    store = SupplyStore(URL.create("sqlite", database=str(path)))
    upgrade(store)
    fill(store)
    store.close()
    return path


@pytest.fixture
def batch_store(filled_file: Path, tmp_path: Path) -> Iterator[SupplyStore]:
    """The batch in an embedded store of the test's own."""
    path = tmp_path / "supply_store.db"
    shutil.copy(filled_file, path)
    store = SupplyStore(URL.create("sqlite", database=str(path)))
    yield store
    store.close()


@pytest.fixture
def served_batch() -> Iterator[SupplyStore]:
    """The batch on MariaDB."""
    with temporary_database(MARIADB) as url:
        store = SupplyStore(url)
        upgrade(store)
        fill(store)
        yield store
        store.close()
