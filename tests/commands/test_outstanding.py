"""What is left to do is listed, and has a command: ``pattern2plan status`` and ``pattern2plan supply bind``."""

from __future__ import annotations

import pytest
from sqlalchemy import update

from resources.databases.supply_store.tables import supply_crawler_plan
from tests.commands.cli_runner import Cli
from tests.supply_chain import SupplyChain

BATCH = "581"


@pytest.fixture
def cli(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Cli:
    return Cli(monkeypatch, capfd)


def lose_a_binding(chain: SupplyChain) -> str:
    """The first plan of the batch of 581 says that its binding failed."""
    task = next(row for row in chain.tables()["supply_task"] if row["ext"]["batch"] == BATCH)
    said = {"produce_plan_id": "produce-1", "produce_bind_status": "FAILED", "plan_status": "BIND_FAILED"}
    statement = update(supply_crawler_plan).where(supply_crawler_plan.c.task_id == task["task_id"]).values(**said)
    chain.supply.write(lambda connection: connection.execute(statement))
    return str(task["task_id"])


def test_s028_nothing_left_to_do_is_said_and_ends_with_0(finished: SupplyChain, cli: Cli) -> None:
    done = cli("supply", "bind")
    assert (done.code, done.out) == (0, "no binding failed: nothing is left to offer\n")
    listed = cli("status", "--json")
    assert listed.code == 0
    assert [line for line in listed.json if line["kind"] != "not_taken_in"] == []


@pytest.mark.usefixtures("cats")
def test_s028_a_binding_that_failed_is_listed_with_the_command_that_offers_it_again(
    finished: SupplyChain, cli: Cli
) -> None:
    task_id = lose_a_binding(finished)
    (left,) = [line for line in cli("status", "--json").json if line["kind"] == "unbound"]
    assert left == {
        "batch": BATCH,
        "kind": "unbound",
        "number": 1,
        "command": f"pattern2plan supply bind --batch {BATCH}",
    }
    dry = cli("supply", "bind", "--dry-run", "--json")
    assert (dry.code, [one["task_id"] for one in dry.json["to_offer"]], dry.json["offered"]) == (0, [task_id], [])

    done = cli("supply", "bind", "--batch", BATCH)

    assert (done.code, "1 of 1 bound" in done.out) == (0, True), done.err
    assert cli("supply", "bind", "--json").json == {"to_offer": [], "offered": []}


def test_s028_without_a_platform_no_binding_is_offered(finished: SupplyChain, cli: Cli) -> None:
    lose_a_binding(finished)
    done = cli("supply", "bind")
    assert (done.code, "SUPPLY_PLATFORM_URL" in done.err) == (2, True)
