"""Loading into SQLite: the suite of every database, and what only a file can do."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from sqlalchemy.engine import URL, make_url

from resources.foundation.errors import SettingsError, UsageError
from sandbox.facts.fact_columns import FactBaseInvalid
from sandbox.facts.facts_load import load_facts
from sandbox.facts.writable_facts import FactsUnwritable
from sandbox.sample.facts_sample import Sample
from tests.sandbox.loading_suite import LoadingSuite, expected, only, stored

REPOSITORY = Path(__file__).parents[2]
PUBLIC_FACTS = REPOSITORY.parent / "shared" / "data" / "pattern_v2"
KILLED_LOAD = """
import os, sys
from sqlalchemy.engine import make_url
from sandbox.facts.facts_load import load_facts
from sandbox.sample.facts_sample import sample_fact_base

def die(table, done, total):
    if table == "pattern_itemset_post" and done:
        os._exit(9)

load_facts(sample_fact_base().facts, make_url(sys.argv[1]), progress=die)
"""


@pytest.fixture
def url(tmp_path: Path) -> URL:
    return URL.create("sqlite", database=str(tmp_path / "new folder" / "facts.db"))


class TestSqlite(LoadingSuite):
    """Every behaviour of loading, in a SQLite file whose folder does not exist yet."""


def test_a_killed_load_leaves_no_row(sample: Sample, url: URL) -> None:
    died = subprocess.run([sys.executable, "-c", KILLED_LOAD, str(url)], cwd=REPOSITORY, check=False)

    assert died.returncode == 9
    assert not any(stored(url).values())
    load_facts(sample.facts, url)
    assert stored(url) == expected(sample.facts)


def test_a_folder_that_is_no_fact_base_leaves_no_file(tmp_path: Path, url: URL) -> None:
    with pytest.raises(FactBaseInvalid, match=r"has no pattern_mining_execution\.parquet"):
        load_facts(tmp_path, url)

    assert not Path(url.database or "").exists()


def test_refuses_a_fact_base_without_executions(sample: Sample, url: URL) -> None:
    with pytest.raises(UsageError, match="holds no execution"):
        load_facts(only(sample.facts), url)


@pytest.mark.parametrize("address", ["sqlite://", "sqlite:///:memory:"])
def test_refuses_a_database_in_memory(sample: Sample, address: str) -> None:
    with pytest.raises(UsageError, match="in memory"):
        load_facts(sample.facts, make_url(address))


def test_refuses_a_database_facts_are_not_kept_in(sample: Sample) -> None:
    with pytest.raises(SettingsError, match="'oracle'"):
        load_facts(sample.facts, make_url("oracle://u@h/d"))


def test_a_table_of_another_shape_is_a_typed_error(sample: Sample, tmp_path: Path) -> None:
    file = tmp_path / "facts.db"
    with sqlite3.connect(file) as connection:
        connection.execute("CREATE TABLE pattern_mining_config (id INTEGER)")

    with pytest.raises(FactsUnwritable, match="refused"):
        load_facts(sample.facts, URL.create("sqlite", database=str(file)))


@pytest.mark.parametrize("driver", ["postgresql+psycopg", "mysql+pymysql"])
def test_an_unreachable_server_is_named_without_its_address(sample: Sample, driver: str) -> None:
    with pytest.raises(FactsUnwritable, match="could not be reached") as refusal:
        load_facts(sample.facts, make_url(f"{driver}://somebody:secret@127.0.0.1:1/facts"))

    assert not any(part in str(refusal.value) for part in ("somebody", "secret", "127.0.0.1"))


@pytest.mark.real_data
def test_public_facts_load(url: URL) -> None:
    if not PUBLIC_FACTS.is_dir():
        pytest.skip("the public pattern_v2 data is not beside the checkout")

    report = load_facts(PUBLIC_FACTS, url)

    assert report.execution_ids == (580, 581, 583, 584, 585)
    assert report.rows["pattern_itemset_post"] == 601_057
    assert report.rows["pattern_mining_element"] == 523_771
