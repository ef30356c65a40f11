"""A sandbox on loopback for the session, a store with its tables on each kind of database, settings in a hurry."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import httpx2
import pytest
from sqlalchemy.engine import URL

from resources.databases.supply_store.engine import SupplyStore
from resources.databases.supply_store.migrate import upgrade
from resources.databases.supply_store.tables import metadata
from sandbox.platform.app import build_app
from sandbox.platform.corpus.generated import generate
from sandbox.platform.serving.serve import serve
from tests.real_servers import MARIADB, temporary_database
from tests.supply_assets.tasks.interposed import Interposed
from tests.supply_assets.tasks.workers import Workers
from tests.supply_assets.tasks.world import Platform, World

HURRIED = {
    "SUPPLY_BACKOFF_S": "0.01",
    "SUPPLY_RETRY_AFTER_CAP_S": "0.5",
    "SUPPLY_TOOL_TIMEOUT_S": "20",
    "SUPPLY_LEASE_S": "20",
}


@pytest.fixture(scope="session")
def running_platform() -> Iterator[Platform]:
    """A sandbox over a small generated corpus."""
    app = Interposed(build_app(generate(1_500, 40, 0)))
    with serve(app) as running, httpx2.Client(base_url=running.url) as client:  # type: ignore[arg-type]
        yield Platform(client, app)


@pytest.fixture
def platform(running_platform: Platform) -> Platform:
    """The sandbox as at its start."""
    running_platform.reset()
    return running_platform


@pytest.fixture(scope="session")
def workers() -> Iterator[Workers]:
    """Processes that can be killed and stopped."""
    with Workers() as workers:
        yield workers


@pytest.fixture(scope="session")
def mariadb_task_url() -> Iterator[URL]:
    """A MariaDB database with the supply tables, of this session's own."""
    with temporary_database(MARIADB) as url:
        _with_store(url, upgrade)
        yield url


@pytest.fixture
def sqlite_task_url(tmp_path: Path) -> URL:
    """An embedded store with the supply tables."""
    url = URL.create("sqlite", database=str(tmp_path / ".pattern2plan" / "supply_store.db"))
    _with_store(url, upgrade)
    return url


@pytest.fixture(params=["sqlite", pytest.param("mariadb", marks=pytest.mark.real_server)])
def supply_url(request: pytest.FixtureRequest) -> URL:
    """An empty supply store with its tables, on each kind of database."""
    if request.param == "sqlite":
        embedded: URL = request.getfixturevalue("sqlite_task_url")
        return embedded
    url: URL = request.getfixturevalue("mariadb_task_url")
    _with_store(url, _empty)
    return url


@pytest.fixture
def both_worlds(supply_url: URL, platform: Platform, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    """Platform and store, on each kind of database."""
    yield from _world(supply_url, platform, monkeypatch)


@pytest.fixture
def world(sqlite_task_url: URL, platform: Platform, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    """Platform and embedded store."""
    yield from _world(sqlite_task_url, platform, monkeypatch)


@pytest.fixture
def server_world(mariadb_task_url: URL, platform: Platform, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    """Platform and a store on MariaDB."""
    _with_store(mariadb_task_url, _empty)
    yield from _world(mariadb_task_url, platform, monkeypatch)


def _world(url: URL, platform: Platform, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    for name, value in environment(url, platform).items():
        monkeypatch.setenv(name, value)
    store = SupplyStore(url)
    yield World(platform, store, url)
    store.close()


def environment(url: URL, platform: Platform) -> dict[str, str]:
    """The settings of a worker."""
    place = (
        {"PATTERN2PLAN_HOME": str(Path(url.database or "").parent)}
        if url.get_backend_name() == "sqlite"
        else {"SUPPLY_STORE_MYSQL_DSN": url.render_as_string(hide_password=False)}
    )
    return {**HURRIED, **place, "SUPPLY_PLATFORM_URL": platform.url}


def _with_store(url: URL, work: Callable[[SupplyStore], None]) -> None:
    store = SupplyStore(url)
    work(store)
    store.close()


def _empty(store: SupplyStore) -> None:
    for table in reversed(metadata.sorted_tables):
        store.write(lambda connection, table=table: connection.execute(table.delete()))
