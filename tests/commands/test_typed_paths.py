"""A path that is misspelled makes no folder and no file, whichever command is given it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.commands.cli_runner import Cli
from tests.small_facts import FactWorld

MISSPELLED = "no/such/folder"
READING = [
    ("executions",),
    ("review", "list"),
    ("report", "--execution-id", "581"),
    ("trace", "--post-id", "p1"),
    ("demand", "verify"),
    ("demand", "run", "--execution-id", "581", "--output", "mysql_demand_content"),
    ("supply", "run", "--execution-id", "581", "--dry-run"),
]


@pytest.mark.parametrize("command", [*READING, ("db", "upgrade"), ("sandbox", "load")], ids=" ".join)
def test_a_home_below_a_folder_that_is_not_there_is_not_made(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATTERN2PLAN_HOME", str(tmp_path / MISSPELLED))
    done = cli(*command)
    assert done.code in (2, 3), done.err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("command", READING, ids=" ".join)
def test_a_home_that_is_misspelled_is_not_made_by_a_command_that_reads(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATTERN2PLAN_HOME", str(tmp_path / ".patern2plan"))
    assert cli(*command).code == 3
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("variable", ["DEMAND_CONTENT_MYSQL_DSN", "SUPPLY_STORE_MYSQL_DSN", "DEMAND_PATTERN_PG_DSN"])
def test_a_sqlite_file_in_a_folder_that_is_not_there_is_refused_by_its_variable(
    cli: Cli, place: FactWorld, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    monkeypatch.setenv(variable, f"sqlite:///{tmp_path / MISSPELLED}/x.db")
    done = cli("executions")
    assert done.code == 2
    assert variable in done.error
    assert not (tmp_path / "no").exists()


@pytest.mark.parametrize(
    "command",
    [
        ("report", "--execution-id", "581", "--html", f"{MISSPELLED}/report.html"),
        ("metrics", "--textfile", f"{MISSPELLED}/numbers.prom"),
        ("sandbox", "load", "--dsn", f"sqlite:///{MISSPELLED}/facts.db"),
        ("sandbox", "serve", "--articles", "10", "--port", "0", "--plans", f"{MISSPELLED}/plans.jsonl"),
    ],
    ids=lambda command: command[-2],
)
def test_an_output_in_a_folder_that_is_not_there_is_refused_before_any_work(
    cli: Cli, place: FactWorld, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...]
) -> None:
    monkeypatch.chdir(tmp_path)
    done = cli(*command)
    assert done.code == 2, done.err
    assert "folder" in done.err
    assert not (tmp_path / "no").exists()
