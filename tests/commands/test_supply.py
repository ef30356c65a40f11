"""``pattern2plan supply`` as a user meets it: batches, dry runs, replays, refusals, a platform that is away."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from functools import partialmethod
from pathlib import Path
from typing import Any

import httpx2
import pytest

from resources.databases.connections import open_store
from resources.settings.demand import read_settings
from supply_assets.stages.policy import SupplyPolicy
from tests.cat_corpus import MARKED_UP, cat_platform
from tests.commands.cli_runner import RUN_MYSQL, Cli, Done
from tests.small_facts import FactWorld
from tests.supply_chain import HOME, HURRIED, embedded_chain

CATS = {"demand_id": 7, "query": "猫 治愈", "expected_count": 2}
NOWHERE = "http://127.0.0.1:1"
OF_TABLE = ("supply", "run", "--execution-id", "581", "--expected-count", "2")


@pytest.fixture(scope="module")
def cat_address() -> Iterator[str]:
    """The platform of cats."""
    with cat_platform() as url:
        yield url


@pytest.fixture(scope="module")
def empty_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The small facts and the tables of both stores, made once."""
    home = tmp_path_factory.mktemp("empty") / HOME
    with embedded_chain(home):
        return home


@pytest.fixture
def stores(empty_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FactWorld]:
    """The small facts and both stores, empty; nobody has named a platform."""
    for name, value in HURRIED.items():
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("SUPPLY_PLATFORM_URL", raising=False)
    shutil.copytree(empty_home, tmp_path / HOME)
    with embedded_chain(tmp_path / HOME) as chain:
        yield chain.facts


@pytest.fixture
def place(stores: FactWorld, cat_address: str, monkeypatch: pytest.MonkeyPatch) -> FactWorld:
    """The same with the platform of cats."""
    httpx2.post(f"{cat_address}/admin/reset").raise_for_status()
    monkeypatch.setenv("SUPPLY_PLATFORM_URL", cat_address)
    return stores


@pytest.fixture
def published(cli: Cli, stores: FactWorld) -> list[int]:
    """Rows of execution 581."""
    assert cli(*RUN_MYSQL, "--count", "2").code == 0
    return [1, 2]


def file_of(tmp_path: Path, *requests: dict[str, Any]) -> str:
    path = tmp_path / "requests.json"
    path.write_text(json.dumps(requests, ensure_ascii=False))
    return str(path)


def plans_on(address: str) -> int:
    created: int = httpx2.get(f"{address}/admin/plans").json()["created"]
    return created


def lines(done: Done) -> list[str]:
    assert "Traceback" not in done.err + done.out
    return done.err.splitlines()


@pytest.mark.usefixtures("place", "published")
def test_s001_a_published_execution_becomes_plans_and_again_the_same(cli: Cli, cat_address: str) -> None:
    first = cli(*OF_TABLE, "--json")
    assert (first.code, first.json["by_status"]) == (0, {"COMPLETED": 2}), first.err
    assert (first.json["refused"], first.json["refusals"], first.json["shortfall"]) == (0, [], 0)
    assert first.json["funnel"]["demands"] == first.json["funnel"]["plans"] == plans_on(cat_address) == 2
    again = cli(*OF_TABLE, "--json")
    assert (again.code, again.json) == (0, first.json)
    assert plans_on(cat_address) == 2
    forced = cli(*OF_TABLE, "--force", "--json")
    assert forced.code == 0
    old, new = ({task["task_id"] for task in done.json["tasks"]} for done in (first, forced))
    assert old.isdisjoint(new)
    assert plans_on(cat_address) == 4


@pytest.mark.usefixtures("place", "published")
def test_s001_a_person_sees_each_task_with_its_plan(cli: Cli) -> None:
    done = cli(*OF_TABLE)
    assert done.code == 0
    assert "COMPLETED" in done.out
    assert "2/2" in done.out
    assert "cp-" in done.out
    assert "demands 2  tasks 2" in done.out
    assert lines(done)[-1] == "tasks 2/2: 2 completed"


@pytest.mark.usefixtures("place")
def test_s001_a_file_of_requests_becomes_plans(cli: Cli, tmp_path: Path, cat_address: str) -> None:
    file = file_of(tmp_path, CATS, {"demand_id": 8, "query": "[/猫] 治愈", "expected_count": 1})
    done = cli("supply", "run", "--request", file)
    assert done.code == 0, done.err
    assert "[/猫] 治愈" in done.out
    assert plans_on(cat_address) == 2


@pytest.mark.usefixtures("place", "published")
def test_s028_the_kind_of_plan_and_what_it_is_bound_to_are_chosen(cli: Cli, cat_address: str) -> None:
    assert cli(*OF_TABLE, "--plan-type", "BY_ACCOUNT", "--produce-plan-id", "pp-1").code == 0
    plans = httpx2.get(f"{cat_address}/admin/plans").json()["plans"]
    assert [(plan["plan_type"], plan["produce_plan_ids"]) for plan in plans] == [("BY_ACCOUNT", ["pp-1"])] * 2


@pytest.mark.usefixtures("place", "published")
def test_s002_a_refused_row_is_named_and_the_others_are_planned(cli: Cli, cat_address: str) -> None:
    with open_store(read_settings()).engine.begin() as connection:
        connection.exec_driver_sql("UPDATE demand_content SET score = 0.1 WHERE id = 1")
    done = cli(*OF_TABLE, "--json")
    assert (done.code, done.json["funnel"]["demands"], plans_on(cat_address)) == (1, 2, 1)
    [refusal] = done.json["refusals"]
    assert (refusal["demand_id"], refusal["rule_id"]) == (1, "D-021")
    assert lines(done)[0].startswith("refused demand_content 1: D-021 row_differs: score is 0.1")


@pytest.mark.usefixtures("stores", "published")
def test_s001_a_dry_run_takes_in_and_calls_nobody(cli: Cli) -> None:
    first, again = cli(*OF_TABLE, "--dry-run", "--json"), cli(*OF_TABLE, "--dry-run")
    assert (first.code, first.json) == (0, {"tasks": 2, "new": 2, "refused": 0, "refusals": []})
    assert (again.code, again.out) == (0, "2 tasks, 0 of them new; 0 demands refused\n")
    waiting = cli("review", "list", "--json").json
    assert {row["status"] for row in waiting} == {"PENDING"}


@pytest.mark.usefixtures("stores", "published")
def test_s002_a_dry_run_that_refuses_a_row_says_so(cli: Cli) -> None:
    with open_store(read_settings()).engine.begin() as connection:
        connection.exec_driver_sql("UPDATE demand_content SET name = '狗' WHERE id = 2")
    done = cli(*OF_TABLE, "--dry-run", "--json")
    assert (done.code, done.json["tasks"], done.json["refused"]) == (1, 1, 1)
    assert done.json["refusals"][0]["rule_id"] == "D-041"


@pytest.mark.usefixtures("stores")
@pytest.mark.parametrize("arguments", [OF_TABLE, (*OF_TABLE, "--dry-run"), (*OF_TABLE, "--run-label", "nobody")])
def test_s001_no_demand_at_all_is_said_and_is_no_success(
    cli: Cli, arguments: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SUPPLY_PLATFORM_URL", NOWHERE)
    done = cli(*arguments)
    assert done.code == 1
    assert "there is no demand to take in" in lines(done)[0]


USAGE = [
    ((), "--execution-id or --request"),
    (("--execution-id", "581", "--request", "x.json"), "--execution-id or --request"),
    (("--execution-id", "0"), "demand batch '0'"),
    (("--execution-id", "-1"), "demand batch '-1'"),
    (("--execution-id", "x"), "--execution-id"),
    (("--execution-id", str(2**70)), "demand batch"),
    (("--execution-id", "581", "--expected-count", "0"), "--expected-count"),
    (("--execution-id", "581", "--expected-count", "201"), "--expected-count"),
    (("--execution-id", "581", "--expected-count", "many"), "--expected-count"),
    (("--execution-id", "581", "--plan-type", "BY_MAGIC"), "--plan-type"),
    (("--execution-id", "581", "--produce-plan-id", ""), "--produce-plan-id"),
    (("--execution-id", "581", "--produce-plan-id", "\udcff"), "--produce-plan-id"),
    (("--request", "missing.json"), "missing.json"),
    (("--request", "."), "request file ."),
    (("--bogus",), "--bogus"),
]


@pytest.mark.usefixtures("stores")
@pytest.mark.parametrize(("arguments", "named"), USAGE, ids=lambda value: ascii(value)[-40:])
def test_s001_wrong_usage_is_one_line_that_names_it(cli: Cli, arguments: tuple[str, ...], named: str) -> None:
    done = cli("supply", "run", *arguments)
    assert (done.code, named in done.error) == (2, True), done.error
    assert done.error.startswith("UsageError: ")


@pytest.mark.usefixtures("stores")
@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"query": " "}, "request 1: query"),
        ({"platform": "douyin"}, "request 1: platform"),
        ({"expected_count": 201}, "request 1: expected_count"),
        ({"colour": "red"}, "request 1: colour"),
    ],
)
def test_s001_a_refused_request_is_one_line_with_its_field(
    cli: Cli, tmp_path: Path, change: dict[str, Any], named: str
) -> None:
    arguments = ("supply", "run", "--request", file_of(tmp_path, CATS | change))
    plain, structured = cli(*arguments), cli(*arguments, "--json")
    assert (plain.code, structured.code) == (2, 2)
    assert named in plain.error
    error = json.loads(structured.err)
    assert (error["error"], named in error["message"], structured.out) == ("UsageError", True, "")
    assert cli("review", "list", "--json").json == []


@pytest.mark.usefixtures("stores", "published")
def test_s013a_no_platform_is_a_settings_error_that_names_the_fix(cli: Cli) -> None:
    done = cli(*OF_TABLE)
    assert done.code == 2
    assert done.error.startswith("SettingsError: SUPPLY_PLATFORM_URL is not set")
    assert "pattern2plan sandbox serve" in done.error


@pytest.mark.usefixtures("place", "published")
def test_s005_a_platform_that_is_away_fails_the_tasks_and_the_next_run_completes_them(
    cli: Cli, cat_address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SUPPLY_PLATFORM_URL", NOWHERE)
    away = cli(*OF_TABLE, "--json")
    assert (away.code, away.json["by_status"]) == (3, {"FAILED": 2})
    for task in away.json["tasks"]:
        assert (task["stage"], task["error_code"]) == ("RECALL", "connection_error")
        assert "search failed" in task["error_message"]
    *logged, closing = [json.loads(line) for line in lines(away) if line.startswith("{")]
    assert {entry["error_code"] for entry in logged if entry["event"] != "breaker"} == {"connection_error"}
    assert closing["error"] == "PlatformUnreachable"
    assert "of 2 tasks 2 failed (2 with connection_error), 0 wait; 0 plans and 0 candidates stand" in closing["message"]
    assert "run the same command again" in closing["fix"]
    monkeypatch.setenv("SUPPLY_PLATFORM_URL", cat_address)
    back = cli(*OF_TABLE, "--json")
    assert (back.code, back.json["by_status"], plans_on(cat_address)) == (0, {"COMPLETED": 2}, 2)
    assert [task["task_id"] for task in back.json["tasks"]] == [task["task_id"] for task in away.json["tasks"]]


def test_a_platform_that_is_away_is_one_line_a_cause_however_many_tasks(
    cli: Cli, stores: FactWorld, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SUPPLY_PLATFORM_URL", NOWHERE)
    monkeypatch.setattr(SupplyPolicy, "__init__", partialmethod(SupplyPolicy.__init__, breaker_waits=0))
    requests = [{**CATS, "demand_id": number} for number in range(1, 41)]
    done = cli("supply", "run", "--request", file_of(tmp_path, *requests))

    assert done.code == 3
    said = lines(done)
    assert len([line for line in said if not line.startswith("tasks ")]) <= 15, said
    assert said[-1].startswith("PlatformUnreachable: the content platform could not be reached: of 40 tasks 40 failed")
    assert any(re.fullmatch(r"connection_error: \d+ more log lines, not written", line) for line in said)


@pytest.mark.usefixtures("published")
@pytest.mark.parametrize("mode", [(), ("--json",)])
def test_s002_facts_that_cannot_be_read_take_nothing_in(
    cli: Cli, stores: FactWorld, mode: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SUPPLY_PLATFORM_URL", NOWHERE)
    stores.alter("DROP TABLE pattern_itemset_post")
    done = cli(*OF_TABLE, *mode)
    assert (done.code, done.out) == (3, "")
    assert "FactsUnreadable" in lines(done)[0]
    assert "pattern_itemset_post" in lines(done)[0]
    assert cli("review", "list", "--json").json == []


@pytest.mark.usefixtures("sqlite_world")
@pytest.mark.parametrize(
    "arguments",
    [
        ("supply", "run", "--request", "requests.json"),
        ("supply", "replay", "--task-id", "t1"),
        ("review", "list"),
        ("review", "hold", "--task-id", "t1", "--by", "li", "--reason", "why"),
        ("trace", "--post-id", "p1"),
    ],
    ids=lambda arguments: " ".join(arguments[:2]),
)
def test_s040_a_store_without_tables_is_one_line_that_names_the_fix(
    cli: Cli, tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    file_of(tmp_path, CATS)
    done = cli(*arguments)
    assert done.code == 3
    assert done.error.startswith("StoreUnwritable: ")
    assert "pattern2plan db upgrade" in done.error


@pytest.fixture
def ranked(place: FactWorld, cli: Cli, tmp_path: Path) -> str:
    """A task that was carried through."""
    done = cli("supply", "run", "--request", file_of(tmp_path, CATS | {"query_expansion": ["瞬间"]}), "--json")
    assert done.code == 0, done.err
    task_id: str = done.json["tasks"][0]["task_id"]
    return task_id


def test_s027_a_replay_needs_no_platform_and_shows_both_rankings(
    cli: Cli, ranked: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SUPPLY_PLATFORM_URL")
    same = cli("supply", "replay", "--task-id", ranked, "--json")
    assert (same.code, same.json["moved"]) == (0, 0)
    assert all(row["stored_rank"] == row["new_rank"] for row in same.json["rows"])
    weights = '{"relevance": 0, "popularity": 1, "quality": 0, "account": 0, "elder": 0}'
    other = cli("supply", "replay", "--task-id", ranked, "--weights", weights, "--score-version", "[/v2]", "--json")
    assert (other.code, other.json["new_version"], other.json["moved"] > 0) == (0, "[/v2]", True)


def test_s027_a_person_sees_titles_as_they_are_written(cli: Cli, ranked: str) -> None:
    done = cli("supply", "replay", "--task-id", ranked, "--score-version", "[/v2]")
    assert done.code == 0
    assert MARKED_UP in done.out
    assert "beside [/v2]: 0 of" in done.out


@pytest.mark.parametrize(
    ("weights", "named"),
    [
        ("{", "not strict JSON"),
        ("[]", "not a JSON object"),
        ("{}", "relevance is missing"),
        ('{"relevance": 1, "popularity": 1, "quality": 0, "account": 0, "elder": 0}', "= 2, not 1"),
        ('{"relevance": NaN, "popularity": 1, "quality": 0, "account": 0, "elder": 0}', "NaN"),
        ('{"relevance": -1, "popularity": 2, "quality": 0, "account": 0, "elder": 0}', "relevance"),
        ('{"beauty": 1}', "'beauty' is no part"),
    ],
)
def test_s027_weights_that_are_none_are_refused_by_name(cli: Cli, stores: FactWorld, weights: str, named: str) -> None:
    done = cli("supply", "replay", "--task-id", "t1", "--weights", weights)
    assert (done.code, named in done.error) == (2, True), done.error


def test_s027_a_task_that_is_not_there_is_named(cli: Cli, stores: FactWorld) -> None:
    done = cli("supply", "replay", "--task-id", "nope")
    assert (done.code, done.error.startswith("NoSuchTask: there is no task nope")) == (2, True)


@pytest.mark.usefixtures("stores", "published")
def test_s003_without_a_platform_nothing_is_taken_in(cli: Cli) -> None:
    done = cli(*OF_TABLE)
    assert (done.code, "nothing was written" in done.err) == (2, True), done.err
    assert cli("review", "list", "--json").json == []


@pytest.mark.usefixtures("stores", "published")
def test_s003_forcing_twice_makes_no_second_set_while_the_first_is_open(cli: Cli) -> None:
    counts = [cli(*OF_TABLE, "--force", "--dry-run", "--json").json["new"] for _ in range(2)]
    assert counts == [2, 0]


@pytest.mark.usefixtures("place", "published")
def test_s003_a_batch_that_is_done_needs_no_platform(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    first = cli(*OF_TABLE, "--json")
    monkeypatch.delenv("SUPPLY_PLATFORM_URL")
    again = cli(*OF_TABLE, "--json")
    assert (first.code, again.code, again.json) == (0, 0, first.json)
    assert "all 2 tasks of the batch are done" in again.err
    assert cli(*OF_TABLE, "--force").code == 2


@pytest.mark.usefixtures("stores")
def test_s003_a_file_of_requests_names_its_batch(cli: Cli, tmp_path: Path) -> None:
    done = cli("supply", "run", "--request", file_of(tmp_path, CATS), "--dry-run")
    assert done.err.startswith("batch adhoc-")
