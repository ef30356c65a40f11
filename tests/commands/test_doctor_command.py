"""``pattern2plan doctor`` as a user meets it: what is missing has an exit code, and each line says what to do."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from resources.databases.connections import open_supply_store
from resources.databases.supply_store.migrate import upgrade as upgrade_supply
from resources.settings.supply import read_supply_settings
from tests.commands.cli_runner import Cli, Done
from tests.small_facts import FactWorld

NOWHERE = "http://127.0.0.1:1"


@pytest.fixture
def whole(place: FactWorld) -> FactWorld:
    """Facts and both stores, complete."""
    upgrade_supply(open_supply_store(read_supply_settings()))
    return place


def line(done: Done, beginning: str) -> str:
    [found] = [one for one in done.out.splitlines() if one.strip().startswith(beginning)]
    return found


def test_where_everything_is_there_it_ends_with_0(
    cli: Cli, whole: FactWorld, cat_address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SUPPLY_PLATFORM_URL", cat_address)
    done = cli("doctor")
    assert done.code == 0, done.out
    assert "->" not in done.out


def test_missing_tables_and_an_unnamed_platform_are_not_health(cli: Cli, sqlite_world: FactWorld) -> None:
    done = cli("doctor")
    assert done.code == 3
    for store in ("demand store:", "supply store:"):
        assert "-> run `pattern2plan db upgrade" in line(done, store)
    assert "set SUPPLY_PLATFORM_URL" in line(done, "platform, all by none:")
    assert cli("doctor", "--json").code == 3


def test_each_missing_thing_alone_is_enough(
    cli: Cli, whole: FactWorld, cat_address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert cli("doctor").code == 1
    monkeypatch.setenv("SUPPLY_PLATFORM_URL", cat_address)
    assert cli("doctor").code == 0
    with open_supply_store(read_supply_settings()).engine.begin() as connection:
        connection.exec_driver_sql("DROP TABLE supply_task_event")
    done = cli("doctor")
    assert done.code == 1
    assert "`pattern2plan db upgrade --store supply`" in line(done, "supply store:")
    whole.alter("DROP TABLE pattern_itemset_post")
    done = cli("doctor")
    assert done.code == 1
    assert "DEMAND_PATTERN_PG_DSN" in line(done, "missing table: pattern_itemset_post")


def test_a_platform_that_is_away_is_a_service_that_could_not_be_reached(
    cli: Cli, whole: FactWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SUPPLY_PLATFORM_URL", NOWHERE)
    done = cli("doctor")
    assert done.code == 3
    assert "-> start it, or correct its address" in line(done, "platform, weixin_search by house:")


def test_facts_that_are_away_hide_nothing_else(cli: Cli, place: FactWorld, tmp_path: Path) -> None:
    place.close()
    shutil.move(tmp_path / ".pattern2plan" / "facts.db", tmp_path / "elsewhere")
    done = cli("doctor")
    assert done.code == 3
    assert "pattern2plan sandbox load" in line(done, "facts: NOT reached:")
    assert "ready" in line(done, "demand store:")
