"""A path is a path: neither a template, nor a URL, nor markup, whatever characters stand in it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from commands.operations.dagster_home import write_local_instance
from resources.databases.connections import open_supply_store
from resources.databases.supply_store.migrate import MIGRATIONS
from resources.foundation.errors import UsageError
from resources.settings.supply import read_supply_settings
from tests.cat_corpus import cat_platform
from tests.commands.cli_runner import RUN_LOCAL, RUN_MYSQL, Cli
from tests.small_facts import FactWorld
from tests.supply_chain import HURRIED

ODD = "a%20b c#?'é%s{0}[b]"


@pytest.fixture
def odd_home(sqlite_world: FactWorld, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The small facts under a working folder and a home of odd names."""
    sqlite_world.close()
    home = tmp_path / ODD / "home%s"
    home.parent.mkdir()
    shutil.copytree(tmp_path / ".pattern2plan", home)
    monkeypatch.chdir(home.parent)
    for name, value in {**HURRIED, "PATTERN2PLAN_HOME": str(home)}.items():
        monkeypatch.setenv(name, value)
    return home


def test_al1_the_whole_chain_in_a_folder_of_an_odd_name(
    odd_home: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert cli("db", "upgrade").code == 0
    assert f"files: {odd_home.parent}" in cli(*RUN_LOCAL, "--count", "1").out
    assert cli(*RUN_MYSQL, "--count", "1").code == 0
    with cat_platform() as address:
        monkeypatch.setenv("SUPPLY_PLATFORM_URL", address)
        assert cli("supply", "run", "--execution-id", "581", "--expected-count", "1").code == 0
    assert cli("trace", "--demand-content-id", "1").code == 0
    assert {path.name for path in odd_home.iterdir()} == {"facts.db", "demand_store.db", "supply_store.db"}
    assert [path.name for path in odd_home.parent.parent.iterdir() if path.name != ".pattern2plan"] == [ODD]


def test_al1_migrations_are_found_in_a_checkout_of_an_odd_name(tmp_path: Path) -> None:
    moved = shutil.copytree(MIGRATIONS, tmp_path / "a%20b %(here)s %" / "migrations")
    store = open_supply_store(read_supply_settings())
    store.migrate(moved)
    assert store.has_tables()
    store.close()


@pytest.mark.parametrize("name", ["a%20b", "what?"])
def test_al1_a_home_that_dagster_would_misread_is_refused_before_anything_is_written(name: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="PATTERN2PLAN_HOME"):
        write_local_instance(tmp_path / name / "dagster")
    assert not (tmp_path / name).exists()


def test_al1_the_demo_says_so_too(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATTERN2PLAN_HOME", str(tmp_path / "a%20b"))
    assert cli("demo").code == 2
    assert not (tmp_path / "a%20b").exists()
