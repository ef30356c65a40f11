"""``pattern2plan review``: who decided what and why, from the command line (S-030)."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import httpx2
import pytest

from resources.databases.supply_store.engine import SupplyStore
from resources.databases.supply_store.states import Stage
from resources.settings.supply import read_supply_settings
from supply_assets.tasks.batch_context import open_batch_context
from supply_assets.tasks.batch_run import advance_batch
from tests.cat_corpus import MARKED_UP, cat_platform
from tests.commands.cli_runner import Cli
from tests.commands.loading import packages_after
from tests.supply_chain import HOME, HURRIED, SMALL, ask, embedded_chain, request

WHY = ("--by", "李编辑", "--reason", "标题与正文不符")


@pytest.fixture(scope="module")
def cat_address() -> Iterator[str]:
    """The platform of cats."""
    with cat_platform() as url:
        yield url


@pytest.fixture(scope="module")
def empty_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tables of the stores, made once."""
    home = tmp_path_factory.mktemp("empty") / HOME
    with embedded_chain(home):
        return home


@pytest.fixture
def store(empty_home: Path, cat_address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[SupplyStore]:
    """An empty supply store and a worker's environment."""
    for name, value in {**HURRIED, "SUPPLY_PLATFORM_URL": cat_address}.items():
        monkeypatch.setenv(name, value)
    shutil.copytree(empty_home, tmp_path / HOME)
    with embedded_chain(tmp_path / HOME) as chain:
        yield chain.supply


@pytest.fixture
def task_id(store: SupplyStore) -> str:
    """A task that was ranked and has no plan yet."""
    [task] = ask(store, request(query="[/猫] 治愈")).tasks
    with open_batch_context(read_supply_settings()) as around:
        advance_batch(replace(around, policy=SMALL), [task.task_id], Stage.RANK)
    return task.task_id


def run_again(cli: Cli, tmp_path: Path) -> tuple[int, dict[str, object]]:
    """The batch of the same request, by the command."""
    file = tmp_path / "requests.json"
    file.write_text(json.dumps(request(query="[/猫] 治愈").model_dump(mode="json")))
    done = cli("supply", "run", "--request", str(file), "--json")
    [task] = done.json["tasks"]
    return done.code, task


def links(cat_address: str, task_id: str) -> list[str]:
    plans = httpx2.get(f"{cat_address}/admin/plans").json()["plans"]
    return [content["url"] for plan in plans if plan["task_id"] == task_id for content in plan["contents"]]


def test_s030_a_held_task_waits_through_a_run_and_goes_on_when_it_is_released(
    cli: Cli, task_id: str, cat_address: str, tmp_path: Path
) -> None:
    held = cli("review", "hold", "--task-id", task_id, *WHY, "--json")
    assert (held.code, held.json) == (
        0, {"decision": "hold", "task_id": task_id, "candidate_id": None, "state": "HELD"},
    )  # fmt: skip
    code, task = run_again(cli, tmp_path)
    assert (code, task["task_id"], task["status"], task["review"]) == (1, task_id, "RANKED", "HELD")
    assert links(cat_address, task_id) == []
    released = cli("review", "release", "--task-id", task_id, *WHY)
    assert (released.code, released.out) == (0, f"RELEASED: {task_id}\n")
    code, task = run_again(cli, tmp_path)
    assert (code, task["status"]) == (0, "COMPLETED")
    assert len(links(cat_address, task_id)) == 3


def test_s030_a_rejected_candidate_is_replaced_by_the_next_best(
    cli: Cli, task_id: str, cat_address: str, tmp_path: Path
) -> None:
    listed = cli("review", "list", "--task-id", task_id, "--json").json
    first = listed[0]
    assert (first["rank"], first["selected"]) == (1, True)
    done = cli("review", "reject", "--candidate-id", str(first["candidate_id"]), *WHY)
    assert (done.code, done.out) == (0, f"REJECTED: candidate {first['candidate_id']}\n")
    code, _ = run_again(cli, tmp_path)
    assert (code, len(links(cat_address, task_id))) == (0, 3)
    assert first["url"] not in links(cat_address, task_id)
    after = {row["candidate_id"]: row for row in cli("review", "list", "--task-id", task_id, "--json").json}
    row = after[first["candidate_id"]]
    assert (row["flag"], row["filter"], row["why"]) == ("REJECTED", "manual_reject", "标题与正文不符 (李编辑)")


def test_s030_a_rejected_task_leaves_the_list_and_is_out_of_reach(cli: Cli, task_id: str, tmp_path: Path) -> None:
    assert [row["task_id"] for row in cli("review", "list", "--json").json] == [task_id]
    assert cli("review", "reject", "--task-id", task_id, *WHY).code == 0
    assert cli("review", "list", "--json").json == []
    late = cli("review", "accept", "--task-id", task_id, *WHY)
    assert late.code == 1
    assert late.error.startswith(f"ReviewRefused: task {task_id} is CANCELLED")
    code, task = run_again(cli, tmp_path)
    assert (code, task["status"]) == (1, "CANCELLED")


def test_s030_a_planned_task_is_out_of_reach(cli: Cli, task_id: str, tmp_path: Path) -> None:
    run_again(cli, tmp_path)
    late = cli("review", "hold", "--task-id", task_id, *WHY, "--json")
    assert late.code == 1
    assert json.loads(late.err)["error"] == "ReviewRefused"


def test_s030_a_person_sees_queries_and_titles_as_they_are_written(cli: Cli, task_id: str) -> None:
    tasks, candidates = cli("review", "list"), cli("review", "list", "--task-id", task_id)
    assert (tasks.code, candidates.code) == (0, 0)
    assert "[/猫] 治愈" in tasks.out
    assert MARKED_UP in candidates.out


@pytest.mark.usefixtures("store")
def test_s030_nothing_to_review_is_said(cli: Cli) -> None:
    assert "nothing to review" in cli("review", "list").out


USAGE = [
    (("hold", "--task-id", "t1"), "--by"),
    (("hold", "--task-id", "t1", "--by", "li"), "--reason"),
    (("hold", "--task-id", "t1", "--by", " ", "--reason", "why"), "--by"),
    (("hold", "--task-id", "t1", "--by", "li", "--reason", ""), "--reason"),
    (("hold", "--task-id", "t1", "--by", "li", "--reason", "\udcff"), "--reason"),
    (("hold", *WHY), "--task-id or --candidate-id"),
    (("hold", "--task-id", "t1", "--candidate-id", "1", *WHY), "--task-id or --candidate-id"),
    (("accept", "--candidate-id", "x", *WHY), "--candidate-id"),
    (("accept", "--candidate-id", "0", *WHY), "no candidate 0"),
    (("accept", "--candidate-id", str(2**70), *WHY), "no candidate"),
    (("release", "--task-id", "nope", *WHY), "no task nope"),
    (("list", "--task-id", "nope"), "no task nope"),
    (("approve", "--task-id", "t1", *WHY), "approve"),
]


@pytest.mark.usefixtures("store")
@pytest.mark.parametrize(("arguments", "named"), USAGE, ids=lambda value: ascii(value)[:40])
def test_s030_wrong_usage_is_one_line_that_names_it(cli: Cli, arguments: tuple[str, ...], named: str) -> None:
    done = cli("review", *arguments)
    assert (done.code, named in done.error) == (2, True), done.err


@pytest.mark.usefixtures("store")
@pytest.mark.parametrize("command", [("review", "release", *WHY), ("supply", "replay")], ids=" ".join)
def test_s030_an_id_that_no_store_can_hold_is_one_line(cli: Cli, command: tuple[str, ...]) -> None:
    done = cli(*command, "--task-id", "\udcff")
    assert done.code in (1, 2)
    assert "task_id" in done.error


def test_what_waits_is_listed_without_anything_heavy(task_id: str) -> None:
    for arguments in (("list",), ("list", "--task-id", task_id)):
        assert packages_after("review", *arguments) & {"dagster", "jieba", "numpy", "pandas", "scipy"} == set()
