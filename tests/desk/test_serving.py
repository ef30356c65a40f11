"""``pattern2plan review serve``: an address that cannot be listened on, and the pages over MariaDB."""

from __future__ import annotations

import socket
import sys

import pytest

from desk.review.tasks import listing, task_view
from resources.databases.supply_store.tasks.ext import set_ext
from resources.databases.supply_store.tasks.review_pages import Kind
from resources.settings.desk import TOKEN
from supply_assets.review.review import Decision, Reviewer, review_task
from tests.desk.conftest import NAME, SECRET
from tests.supply_chain import SupplyChain, request


@pytest.mark.parametrize("host", ["127.0.0.1", "no such host", "x" * 70])
def test_an_address_that_cannot_be_had_is_one_line(
    host: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
):
    from commands.app import run_command

    monkeypatch.setenv(TOKEN, SECRET)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        arguments = ["review", "serve", "--host", host, "--port", str(taken.getsockname()[1])]
        monkeypatch.setattr(sys, "argv", ["pattern2plan", *arguments])
        assert run_command(arguments) == 2
    *_, said = capfd.readouterr().err.splitlines()
    assert said.startswith("AddressNotUsable: ")
    assert "cannot be listened on" in said


def test_s030_tasks_are_listed_counted_and_shown_on_each_kind_of_database(any_chain: SupplyChain):
    clock = any_chain.clock
    held, failed, gone = any_chain.ask(*(request(demand_id=n, query=f"100%_{n}") for n in (1, 2, 3))).tasks
    review_task(any_chain.supply, clock, held.task_id, Decision.HOLD, Reviewer(NAME, "why"))
    review_task(any_chain.supply, clock, gone.task_id, Decision.REJECT, Reviewer(NAME, "why"))
    freeze = {"rule_id": "D-036"}
    any_chain.supply.write(lambda connection: set_ext(connection, failed.task_id, "frozen", freeze))
    for kind, text, expected in (
        (Kind.OPEN, "", [failed, held]),
        (Kind.HELD, "", [held]),
        (Kind.FROZEN, "", [failed]),
        (Kind.FAILED, "", []),
        (Kind.OPEN, "100%_2", [failed]),
        (Kind.OPEN, "100__", []),
        (Kind.OPEN, held.task_id, [held]),
    ):
        found = listing(any_chain.supply, kind, text, None)
        assert [task.task_id for task in found.page.tasks] == [task.task_id for task in expected]
    assert found.counts == {Kind.OPEN: 2, Kind.HELD: 1, Kind.FROZEN: 1, Kind.FAILED: 0}
    [older] = listing(any_chain.supply, Kind.OPEN, "", failed.id).page.tasks
    assert older.task_id == held.task_id
    view = task_view(any_chain.supply, gone.task_id)
    assert (view.is_open, [event.event_payload["decision"] for event in view.history]) == (False, ["reject"])
