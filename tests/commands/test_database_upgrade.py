"""``pattern2plan db upgrade`` makes the tables of the stores it is asked for."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import create_engine, inspect

from tests.commands.cli_runner import Cli

HOME = Path(".pattern2plan")


def tables(path: Path) -> set[str]:
    return set(inspect(create_engine(f"sqlite:///{path}")).get_table_names()) if path.exists() else set()


def test_s040_both_stores_are_upgraded_by_default(cli: Cli) -> None:
    done = cli("db", "upgrade", "--json")
    assert [(store["store"], store["backend"]) for store in done.json["stores"]] == [
        ("demand", "sqlite"), ("supply", "sqlite"),
    ]  # fmt: skip
    assert "demand_content" in tables(HOME / "demand_store.db")
    assert "supply_task" in tables(HOME / "supply_store.db")
    assert cli("db", "upgrade").code == 0


@pytest.mark.parametrize(("store", "made", "missing"), [("demand", "demand", "supply"), ("supply", "supply", "demand")])
def test_s040_only_the_named_store_is_upgraded(cli: Cli, store: str, made: str, missing: str) -> None:
    assert cli("db", "upgrade", "--store", store).code == 0
    assert tables(HOME / f"{made}_store.db")
    assert not tables(HOME / f"{missing}_store.db")


def test_s040_one_dsn_takes_both_stores_into_one_database(cli: Cli, tmp_path: Path) -> None:
    assert cli("db", "upgrade", "--dsn", f"sqlite:///{tmp_path / 'one.db'}").code == 0
    assert {"demand_content", "supply_task", "supply_task_event"} <= tables(tmp_path / "one.db")
    assert not HOME.exists()


def test_s040_a_store_that_is_none_is_refused(cli: Cli) -> None:
    done = cli("db", "upgrade", "--store", "nonsense")
    assert done.code == 2
    assert "--store" in done.error
