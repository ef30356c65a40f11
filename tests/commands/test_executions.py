"""``pattern2plan executions``: the ids that other commands ask for, and what an empty list says."""

from __future__ import annotations

import socket

import pytest

from resources.databases.connections import open_supply_store
from resources.databases.supply_store.migrate import upgrade
from resources.settings.supply import read_supply_settings
from tests.commands.cli_runner import RUN_MYSQL, Cli
from tests.small_facts import FactWorld


def test_d004_the_newest_come_first_with_their_numbers_and_times_have_a_zone(cli: Cli, place: FactWorld) -> None:
    assert cli(*RUN_MYSQL, "--count", "1").code == 0
    upgrade(open_supply_store(read_supply_settings()))
    assert cli("supply", "run", "--execution-id", "581", "--dry-run").code == 0
    found = {line["id"]: line for line in cli("executions", "--json").json}
    assert list(found) == sorted(found, reverse=True)
    assert found[580]["status"] == "failed"
    mined = found[581]
    assert (mined["itemsets"], mined["published"], mined["batch"], mined["tasks"]) == (3, 1, "581", {"PENDING": 1})
    assert mined["posts"] > 0
    assert mined["created_at"].endswith("+08:00")
    assert [line["id"] for line in cli("executions", "--json", "--limit", "1").json] == [max(found)]
    assert "581 (1 PENDING)" in cli("executions").out


@pytest.mark.parametrize(
    "asked", [("demand", "run", "--output", "local_json"), ("report",), ("supply", "run"), ("backfill",)], ids=" ".join
)
def test_whoever_leaves_an_execution_out_is_told_where_they_are_listed(
    cli: Cli, place: FactWorld, asked: tuple[str, ...]
) -> None:
    done = cli(*asked)
    assert done.code == 2
    assert "pattern2plan executions" in done.error


def test_a_list_without_entries_is_a_sentence_and_no_failure(cli: Cli, place: FactWorld) -> None:
    upgrade(open_supply_store(read_supply_settings()))
    done = cli("review", "list")
    assert (done.code, done.out.strip()) == (0, "nothing to review: every task has a plan")


def test_a_port_that_is_taken_is_the_same_trouble_for_every_server(
    cli: Cli, place: FactWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATTERN2PLAN_DESK_TOKEN", "a-token-of-sixteen-letters")
    upgrade(open_supply_store(read_supply_settings()))
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        for server in (("metrics", "serve"), ("review", "serve"), ("sandbox", "serve", "--articles", "10")):
            done = cli(*server, "--port", port)
            assert done.code == 2, server
            assert "AddressNotUsable" in done.err
