"""Demand stores with their table: the embedded one, and one whose server takes "A" for "a"."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy.engine import URL

from resources.databases.demand_store.engine import DemandStore
from resources.databases.demand_store.migrate import upgrade
from tests.real_servers import MARIADB, run_as_administrator, temporary_database


@pytest.fixture
def embedded_store(tmp_path: Path) -> DemandStore:
    """The embedded demand store, empty; what it was sent so far is forgotten."""
    store = DemandStore(URL.create("sqlite", database=str(tmp_path / "store.db")))
    upgrade(store)
    store.effects.clear()
    return store


@pytest.fixture(params=["sqlite", pytest.param("mariadb", marks=pytest.mark.real_server)])
def lax_store_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[URL]:
    """An empty demand store whose ext_data, as others may have made it, knows neither case nor accents."""
    if request.param == "sqlite":
        url = URL.create("sqlite", database=str(tmp_path / "store.db"))
        upgrade(DemandStore(url))
        yield url
        return
    with temporary_database(MARIADB) as url:
        upgrade(DemandStore(url))
        lax = "longtext COLLATE utf8mb4_general_ci NOT NULL"
        run_as_administrator(MARIADB, f"ALTER TABLE {url.database}.demand_content MODIFY ext_data {lax}")
        yield url
