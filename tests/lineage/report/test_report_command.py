"""``pattern2plan report``: the page whole or not at all, the numbers, and an exit code that says whether all holds."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.commands.cli_runner import Cli
from tests.supply_chain import SupplyChain


@pytest.fixture
def cli(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Cli:
    """The command in this process."""
    return Cli(monkeypatch, capfd)


def test_s006_a_closed_execution_ends_with_0_and_a_page(cli: Cli, finished: SupplyChain, tmp_path: Path) -> None:
    (tmp_path / "new").mkdir()
    done = cli("report", "--execution-id", "581", "--html", str(tmp_path / "new" / "page.html"))
    assert done.code == 0
    assert done.out.startswith("581: 3 demands → 3 plans, 12 articles, all chains close\n")
    assert "proposed not recorded here" in done.out
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["page.html"]
    page = (tmp_path / "new" / "page.html").read_text()
    assert page.startswith("<!doctype html>")
    assert all(f"demand_content {row_id}" in page for row_id in (1, 2, 3))


def test_s014_bodies_that_the_sandbox_wrote_are_said_to_be_no_real_ones(
    cli: Cli, finished: SupplyChain, tmp_path: Path
) -> None:
    numbers = cli("report", "--execution-id", "581", "--json", "--html", str(tmp_path / "page.html"))
    invented = numbers.json["supply"]["selected_with_invented_body"]
    assert invented == 12, "the platform of cats knows titles alone"
    assert f"{invented} selected articles have a body that the sandbox wrote" in (tmp_path / "page.html").read_text()


def test_s006_a_broken_chain_ends_with_1_and_its_reason(cli: Cli, finished: SupplyChain) -> None:
    finished.alter_json("supply_task", "ext", 1, lambda ext: ext | {"source_evidence": {"[bold]": 1}})
    done = cli("report", "--execution-id", "581")
    assert done.code == 1
    assert "broken: 1 of 3 chains" in done.out
    assert "BROKEN" in done.out
    numbers = cli("report", "--execution-id", "581", "--json")
    assert (numbers.code, numbers.json["state"], numbers.json["chains"]["broken"]) == (1, "broken", 1)


def test_s001_a_batch_of_requests_is_named_by_its_key(cli: Cli, finished: SupplyChain) -> None:
    done = cli("report", "--batch", "adhoc-test", "--json")
    assert (done.code, done.json["demand"], done.json["chains"]["chains"]) == (0, None, 1)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--execution-id", "9"], "no execution 9"),
        (["--batch", "adhoc-none"], "no task of batch"),
        (["--execution-id", "0"], "demand batch '0'"),
        (["--batch", "../x"], "demand batch '../x'"),
        ([], "--execution-id or --batch"),
    ],
)
def test_what_is_not_there_ends_with_2_and_no_page(
    cli: Cli, finished: SupplyChain, tmp_path: Path, arguments: list[str], said: str
) -> None:
    done = cli("report", *arguments, "--html", str(tmp_path / "page.html"))
    assert done.code == 2
    assert said in done.error
    assert not (tmp_path / "page.html").exists()


def test_a_page_never_takes_the_place_of_what_is_no_file(cli: Cli, finished: SupplyChain, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for place in (tmp_path / "pipe", tmp_path):
        done = cli("report", "--execution-id", "581", "--html", str(place))
        assert done.code == 2
        assert "no regular file" in done.error
    assert (tmp_path / "pipe").is_fifo()


def test_d042_facts_that_are_down_end_with_3(cli: Cli, finished: SupplyChain, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DEMAND_PATTERN_PG_DSN", "postgresql://reader:secret@127.0.0.1:1/facts")
    done = cli("report", "--execution-id", "581")
    assert done.code == 3
    assert "secret" not in done.err
