"""Intake, trace, replay and review over the small facts: both stores on each kind of database, a platform of cats."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy.engine import URL

from resources.databases.demand_store.engine import DemandStore
from resources.databases.supply_store.engine import SupplyStore
from tests.cat_corpus import cat_platform
from tests.real_servers import MARIADB, temporary_database
from tests.small_facts import FactWorld
from tests.supply_chain import HOME, HURRIED, SupplyChain, embedded_chain, empty_tables, finish_batch, make_tables

REAL = pytest.mark.real_server


@pytest.fixture(scope="session")
def empty_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The small facts and the tables of both stores, made once."""
    home = tmp_path_factory.mktemp("empty") / HOME
    with embedded_chain(home):
        return home


@pytest.fixture
def chain(empty_home: Path, tmp_path: Path) -> Iterator[SupplyChain]:
    """Facts and both stores in the embedded default."""
    shutil.copytree(empty_home, tmp_path / HOME)
    with embedded_chain(tmp_path / HOME) as place:
        yield place


@pytest.fixture(scope="session")
def mariadb_chain_url() -> Iterator[URL]:
    """A MariaDB database with the tables of both stores, of this session's own."""
    with temporary_database(MARIADB) as url:
        make_tables(url)
        yield url


@pytest.fixture
def mariadb_chain(
    sqlite_world: FactWorld, mariadb_chain_url: URL, monkeypatch: pytest.MonkeyPatch
) -> Iterator[SupplyChain]:
    """Embedded facts, both stores on MariaDB."""
    empty_tables(mariadb_chain_url)
    dsn = mariadb_chain_url.render_as_string(hide_password=False)
    monkeypatch.setenv("SUPPLY_STORE_MYSQL_DSN", dsn)
    monkeypatch.setenv("DEMAND_CONTENT_MYSQL_DSN", dsn)
    supply = SupplyStore(mariadb_chain_url)
    yield SupplyChain(sqlite_world, DemandStore(mariadb_chain_url), supply)
    supply.close()


@pytest.fixture(params=["chain", pytest.param("mariadb_chain", marks=REAL)])
def any_chain(request: pytest.FixtureRequest) -> SupplyChain:
    """The chain on each kind of database."""
    place: SupplyChain = request.getfixturevalue(request.param)
    return place


@pytest.fixture(scope="session")
def cat_address() -> Iterator[str]:
    """The platform of cats."""
    with cat_platform() as url:
        yield url


@pytest.fixture
def cats(cat_address: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """A worker's environment that asks the platform of cats; its address."""
    for name, value in {**HURRIED, "SUPPLY_PLATFORM_URL": cat_address}.items():
        monkeypatch.setenv(name, value)
    return cat_address


@pytest.fixture(scope="session")
def finished_home(cat_address: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A whole batch that was carried to its plans, as files; nobody writes to them."""
    home = tmp_path_factory.mktemp("finished") / HOME
    finish_batch(home, cat_address)
    return home


@pytest.fixture
def finished(finished_home: Path, tmp_path: Path) -> Iterator[SupplyChain]:
    """A copy of the finished batch."""
    shutil.copytree(finished_home, tmp_path / HOME)
    with embedded_chain(tmp_path / HOME) as place:
        yield place
