"""Loading into servers: the same suite as on SQLite, in databases of its own that are dropped again."""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import create_engine
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import OperationalError
from sqlalchemy.pool import NullPool

from sandbox.facts.facts_load import load_facts
from sandbox.sample.facts_sample import Sample, sample_fact_base
from tests.sandbox.loading_suite import LoadingSuite

PUBLIC_FACTS = Path(__file__).parents[3] / "shared" / "data" / "pattern_v2"
POSTGRESQL = make_url("postgresql+psycopg://postgres@127.0.0.1:5432/postgres")
MARIADB = make_url("mysql+pymysql://root@127.0.0.1:3306/?charset=utf8mb4")

pytestmark = pytest.mark.real_server


def database_of_its_own(server: URL) -> Iterator[URL]:
    engine = create_engine(server, isolation_level="AUTOCOMMIT", poolclass=NullPool)
    name = f"sandbox_load_{uuid.uuid4().hex}"
    try:
        with engine.connect() as connection:
            connection.exec_driver_sql(f"CREATE DATABASE {name}")
    except OperationalError:
        if os.environ.get("CI") == "true":
            raise
        pytest.skip(f"no {server.get_backend_name()} server at {server.host}:{server.port}")
    try:
        yield server.set(database=name)
    finally:
        with engine.connect() as connection:
            connection.exec_driver_sql(f"DROP DATABASE {name}")


@pytest.fixture(scope="session")
def sample() -> Sample:
    return sample_fact_base()


class TestPostgresql(LoadingSuite):
    """COPY."""

    @pytest.fixture
    def url(self) -> Iterator[URL]:
        yield from database_of_its_own(POSTGRESQL)

    @pytest.mark.real_data
    def test_public_facts_load_in_seconds(self, url: URL) -> None:
        if not PUBLIC_FACTS.is_dir():
            pytest.skip("the public pattern_v2 data is not beside the checkout")

        assert load_facts(PUBLIC_FACTS, url).seconds < 60


class TestMariadb(LoadingSuite):
    """Multi-row inserts."""

    @pytest.fixture
    def url(self) -> Iterator[URL]:
        yield from database_of_its_own(MARIADB)

    def test_tables_compare_text_by_code_point(self, sample: Sample, url: URL) -> None:
        load_facts(sample.facts, url)

        engine = create_engine(url, poolclass=NullPool)
        with engine.connect() as connection:
            collations = connection.exec_driver_sql(
                "SELECT DISTINCT table_collation FROM information_schema.tables WHERE table_schema = DATABASE()"
            ).all()
        assert [tuple(row) for row in collations] == [("utf8mb4_bin",)]
