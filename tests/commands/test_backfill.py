"""Backfills: what is launched when, what a cancel leaves, and what is refused (DG2, DG11)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from commands.operations.backfills.cancel import NotCancelled, cancel
from commands.operations.backfills.progress import AGAIN, PATIENCE_S, CancelledMeanwhile, Watcher, follow, launch_first
from commands.operations.backfills.request import LONGEST_CONFIG, Asked, Backfill, read_changed_config
from commands.operations.backfills.status import BackfillStatus
from resources.dagster_api.client import DagsterApi
from resources.dagster_api.errors import DagsterUnreachable
from resources.foundation.errors import UsageError
from tests.commands.cli_runner import Cli
from tests.commands.scripted_dagster import KEYS, ScriptedDagster, Time, end_all, scripted_dagster
from tests.supply_chain import HOME, SupplyChain, ask, embedded_chain, request


class Desk:
    """Somebody at the command: the backfill ``b`` of three executions, time in a hurry, and what was said."""

    def __init__(self, dagster: ScriptedDagster, url: str) -> None:
        self.dagster = dagster
        self.api = DagsterApi(url)
        self.backfill = Backfill("b", Asked(first=581, last=583, only="all", half="both"), KEYS)
        self.time = Time()
        self.said: list[str] = []
        self.watcher = Watcher(lambda _: None, self.said.append, self.time.sleep, self.time.monotonic)

    def run(self, *, resumed: bool = False) -> BackfillStatus:
        before = launch_first(self.api, self.backfill, self.watcher, AGAIN if resumed else ())
        return follow(self.api, self.backfill, self.watcher, before)

    def cancel(self) -> tuple[int, int]:
        return cancel(self.api, "b", self.time.sleep, self.time.monotonic)


@pytest.fixture
def desk() -> Iterator[Desk]:
    with scripted_dagster() as (dagster, url):
        desk = Desk(dagster, url)
        with desk.api:
            yield desk


@pytest.fixture
def chain(tmp_path: Path) -> Iterator[SupplyChain]:
    with embedded_chain(tmp_path / HOME) as chain:
        yield chain


def test_each_supply_half_is_launched_when_its_demand_half_stands(desk: Desk) -> None:
    desk.dagster.materialized["demand_content"] = {"583"}
    desk.backfill = Backfill("b", desk.backfill.asked.model_copy(update={"only": "missing"}), KEYS)

    def one_fails(dagster: ScriptedDagster) -> None:
        for run in dagster.runs:
            if run["status"] == "QUEUED":
                is_bad = run["tags"]["dagster/partition"] == "582"
                run["status"] = "FAILURE" if is_bad else "SUCCESS"

    desk.dagster.before_look = one_fails
    assert desk.run().counts() == {
        "demand": {"succeeded": 1, "failed": 1, "stands": 1},
        "supply": {"succeeded": 2, "waiting": 1},
    }
    assert desk.dagster.of("demand") == [("581", "SUCCESS"), ("582", "FAILURE")]
    desk.dagster.before_look = end_all
    assert desk.run(resumed=True).is_done
    assert [key for key, _ in desk.dagster.of("supply")] == ["583", "581", "582"], "none twice"


def test_dg2_a_batch_removed_while_its_demand_half_runs_is_named_and_not_made_anew(desk: Desk) -> None:
    def removed(dagster: ScriptedDagster) -> None:
        if dagster.runs:
            dagster.registered["supply_results"].discard("582")
            end_all(dagster)

    desk.dagster.before_look = removed
    standing = desk.run()
    assert standing.counts() == {"demand": {"succeeded": 3}, "supply": {"succeeded": 2, "removed": 1}}
    assert str(standing.states["supply"]["582"]) == "removed"
    assert not standing.is_done
    assert desk.run(resumed=True).counts()["supply"] == {"succeeded": 2, "removed": 1}


def test_dg11_a_run_that_dagster_launches_anew_by_itself_is_waited_for(desk: Desk) -> None:
    def retried(dagster: ScriptedDagster) -> None:
        looks = dagster.asked["runsOrError"]
        for run in dagster.runs:
            if run["status"] == "QUEUED":
                is_lost = run["runId"] == "run-0"
                run["status"] = "FAILURE" if is_lost else "SUCCESS"
                run["tags"] |= {"dagster/will_retry": "true"} if is_lost else {}
        if looks == 5:
            dagster.runs[0]["tags"]["dagster/auto_retry_run_id"] = "retry"
            dagster.add_run("demand", "581")

    desk.dagster.before_look = retried
    desk.backfill = Backfill("b", desk.backfill.asked.model_copy(update={"half": "demand"}), KEYS)
    assert desk.run().is_done
    assert desk.dagster.of("demand")[-1] == ("581", "SUCCESS")


def test_a_launch_that_is_refused_does_not_stop_the_others(desk: Desk) -> None:
    desk.dagster.refused = {"582"}
    desk.dagster.before_look = end_all
    assert desk.run().counts() == {
        "demand": {"succeeded": 2, "waiting": 1},
        "supply": {"succeeded": 2, "waiting": 1},
    }
    assert "not of this job" in desk.said[0]


def test_a_webserver_that_is_away_for_four_minutes_is_told_once_and_waited_for(desk: Desk) -> None:
    def away(now: float) -> None:
        desk.dagster.is_away = now < PATIENCE_S - 60

    desk.time.meanwhile = away
    before = launch_first(desk.api, desk.backfill, desk.watcher)
    desk.dagster.before_look = end_all
    desk.dagster.is_away = True
    assert follow(desk.api, desk.backfill, desk.watcher, before).is_done
    assert len(desk.said) == 1

    desk.dagster.is_away = True
    desk.time.meanwhile = lambda _: None
    with pytest.raises(DagsterUnreachable):
        follow(desk.api, desk.backfill, desk.watcher, before)


def test_dg11_whoever_follows_a_backfill_launches_nothing_after_a_cancel(desk: Desk, chain: SupplyChain) -> None:
    """The demand halves end, nothing is unfinished, and a command elsewhere is about to launch the supply halves."""
    before = launch_first(desk.api, desk.backfill, desk.watcher)
    end_all(desk.dagster)
    elsewhere = Watcher(lambda _: None, desk.said.append, lambda _: None)
    outcome: list[str] = []

    def follow_elsewhere(now: float) -> None:
        if outcome:
            return
        try:
            follow(desk.api, desk.backfill, elsewhere, before)
        except CancelledMeanwhile:
            outcome.append("stopped")

    def cancelled_by_the_other(dagster: ScriptedDagster) -> None:
        # The one that follows looks again only after the one that cancels has seen what it launched.
        for run in dagster.runs:
            if run["status"] == "QUEUED" and dagster.asked["launchMultipleRuns"] > 1:
                run["status"] = "CANCELED"

    desk.time.meanwhile = follow_elsewhere
    desk.dagster.before_look = cancelled_by_the_other
    desk.cancel()
    assert outcome == ["stopped"]
    assert {status for _, status in desk.dagster.of("supply")} == {"CANCELED"}


def test_dg11_a_cancel_waits_for_the_retry_of_a_lost_run_and_ends_it(desk: Desk) -> None:
    desk.dagster.add_run("demand", "581", "FAILURE", **{"dagster/will_retry": "true"})

    def retried(now: float) -> None:
        if now == 8:
            desk.dagster.runs[0]["tags"]["dagster/auto_retry_run_id"] = "retry"
            desk.dagster.add_run("demand", "581")

    desk.time.meanwhile = retried
    assert desk.cancel() == (1, 0)
    assert desk.dagster.of("demand")[-1] == ("581", "CANCELED")


def test_dg11_a_cancel_that_cannot_end_a_run_says_so(desk: Desk) -> None:
    desk.dagster.add_run("demand", "581", "CANCELING")
    with pytest.raises(NotCancelled, match="1 runs are not over"):
        desk.cancel()


def test_dg11_a_cancel_takes_away_the_tasks_of_its_own_supply_runs_alone(desk: Desk, chain: SupplyChain) -> None:
    for number, key in enumerate(KEYS, start=1):
        ask(chain.supply, request(demand_id=number), batch=key)
    desk.dagster.add_run("demand", "583", "SUCCESS")
    desk.dagster.add_run("supply", "581", "SUCCESS")
    desk.dagster.add_run("supply", "582", "STARTED")
    assert desk.cancel() == (1, 1)
    revoked = {row["ext"]["batch"]: "revoked_ms" in row["ext"] for row in chain.tables()["supply_task"]}
    assert revoked == {"581": False, "582": True, "583": False}


def test_a_webserver_that_nobody_started_is_exit_code_3(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATTERN2PLAN_DAGSTER_URL", "http://127.0.0.1:1")
    monkeypatch.setenv("PATTERN2PLAN_DAGSTER_TOKEN", "s3cr3t")
    for command in (["backfill", "cancel", "b"], ["automation", "status"]):
        done = cli(*command)
        assert done.code == 3
        assert "does not answer" in done.err
        assert "s3cr3t" not in done.err


def test_a_config_that_fits_no_tag_is_refused_before_anything_is_launched(tmp_path: Path) -> None:
    file = tmp_path / "changed.json"
    room = LONGEST_CONFIG - len('{"demand": {"x": ""}, "supply": {}}')
    file.write_text(json.dumps({"demand": {"x": "x" * room}}, indent=40))
    assert len(read_changed_config(file).demand["x"]) == room
    file.write_text(json.dumps({"demand": {"x": "猫" * (room // 2)}}, ensure_ascii=False))
    with pytest.raises(UsageError, match="fit into a tag"):
        read_changed_config(file)
