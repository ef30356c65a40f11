"""Fixtures that many rooms share: the small facts on each kind of database, the demand store, the real data."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
import structlog
from sqlalchemy.engine import URL

from resources.databases.demand_store.engine import DemandStore
from resources.databases.demand_store.migrate import upgrade
from resources.foundation.interrupts import obey
from tests.chain_fixtures import (  # noqa: F401  (fixtures that several rooms share)
    any_chain,
    cat_address,
    cats,
    chain,
    empty_home,
    finished,
    finished_home,
    mariadb_chain,
    mariadb_chain_url,
)
from tests.real_servers import MARIADB, POSTGRES, temporary_database
from tests.small_facts import FactWorld

obey()
"""Also a suite that a script started in its background tests what an interrupt does."""

REAL = pytest.mark.real_server
DATA = Path(__file__).resolve().parent.parent.parent / "shared" / "data"
VARIABLES = (
    "DEMAND_",
    "SUPPLY_",
    "PGVECTOR_",
    "CONTENT_SUPPLY_",
    "ARK_",
    "OPENROUTER_",
    "PATTERN2PLAN_",
    "DAGSTER_HOME",
)


@pytest.fixture(autouse=True)
def _own_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every test works in an empty folder; neither the machine's settings nor another test's logs reach it."""
    structlog.reset_defaults()
    monkeypatch.chdir(tmp_path)
    for name in list(os.environ):
        if name.startswith(VARIABLES):
            monkeypatch.delenv(name)


@pytest.fixture(scope="session")
def postgres_url() -> Iterator[URL]:
    """A PostgreSQL database of this session's own."""
    with temporary_database(POSTGRES) as url:
        yield url


@pytest.fixture(scope="session")
def mariadb_facts_url() -> Iterator[URL]:
    """A MariaDB database for facts, of this session's own."""
    with temporary_database(MARIADB) as url:
        yield url


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=REAL), pytest.param("mariadb", marks=REAL)])
def world(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[FactWorld]:
    """The small facts on each kind of database that facts can be read from."""
    urls = {"postgresql": "postgres_url", "mariadb": "mariadb_facts_url"}
    if request.param in urls:
        url = request.getfixturevalue(urls[request.param])
    else:
        url = URL.create("sqlite", database=str(tmp_path / "facts.db"))
    place = FactWorld(url)
    place.fill()
    yield place
    place.close()


@pytest.fixture
def sqlite_world(tmp_path: Path) -> Iterator[FactWorld]:
    """The small facts in the embedded default."""
    place = FactWorld(URL.create("sqlite", database=str(tmp_path / ".pattern2plan" / "facts.db")))
    (tmp_path / ".pattern2plan").mkdir(exist_ok=True)
    place.fill()
    yield place
    place.close()


@pytest.fixture
def postgres_world(postgres_url: URL) -> Iterator[FactWorld]:
    """The small facts on PostgreSQL."""
    place = FactWorld(postgres_url)
    place.fill()
    yield place
    place.close()


@pytest.fixture(params=["sqlite", pytest.param("mariadb", marks=REAL)])
def store_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[URL]:
    """An empty demand store with its table, on each kind of database."""
    if request.param == "sqlite":
        url = URL.create("sqlite", database=str(tmp_path / ".pattern2plan" / "demand_store.db"))
        upgrade(DemandStore(url))
        yield url
    else:
        with temporary_database(MARIADB) as url:
            upgrade(DemandStore(url))
            yield url


@pytest.fixture(scope="session")
def real_data() -> Path:
    """The folder of public data; tests that ask for it are marked ``real_data``."""
    if not DATA.is_dir():
        if os.environ.get("CI") == "true":
            pytest.fail("the public data are missing in CI")
        pytest.skip("the public data are not beside this checkout")
    return DATA
