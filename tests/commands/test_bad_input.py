"""Everything a user may get wrong on the command line: one line that names it, exit code 2, nothing left behind."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.commands.cli_runner import RUN_LOCAL, RUN_MYSQL, Cli
from tests.small_facts import FactWorld, good_candidate

EXECUTION = ("demand", "run", "--output", "local_json", "--execution-id")
USAGE = [
    ((*EXECUTION, "999"), "ExecutionNotUsable", "execution 999 does not exist"),
    ((*EXECUTION, "580"), "ExecutionNotUsable", "execution 580 has status 'failed'"),
    ((*EXECUTION, "583"), "ExecutionNotUsable", "execution 583 has status 'running'"),
    ((*EXECUTION, "0"), "UsageError", "--execution-id"),
    ((*EXECUTION, "-1"), "UsageError", "--execution-id"),
    ((*EXECUTION, "abc"), "UsageError", "--execution-id"),
    ((*EXECUTION, "1.5"), "UsageError", "--execution-id"),
    ((*EXECUTION, ""), "UsageError", "--execution-id"),
    ((*EXECUTION, str(10**30)), "UsageError", "--execution-id"),
    ((*RUN_LOCAL, "--count", "0"), "UsageError", "--count"),
    ((*RUN_LOCAL, "--count", "-1"), "UsageError", "--count"),
    ((*RUN_LOCAL, "--count", str(10**9)), "UsageError", "--count"),
    ((*RUN_LOCAL, "--count", "abc"), "UsageError", "--count"),
    ((*RUN_LOCAL, "--max-rounds", "0"), "UsageError", "--max-rounds"),
    ((*RUN_LOCAL, "--seed", "x"), "UsageError", "--seed"),
    ((*RUN_LOCAL, "--merge-level2", ""), "UsageError", "--merge-level2"),
    ((*RUN_LOCAL, "--merge-level2", "x" * 256), "UsageError", "--merge-level2"),
    ((*RUN_LOCAL, "--platform-type", ""), "UsageError", "--platform-type"),
    ((*RUN_LOCAL, "--output-root", ".."), "OutputRefused", "--output-root .. is outside"),
    ((*RUN_LOCAL, "--output-root", "/tmp/elsewhere"), "OutputRefused", "--output-root /tmp/elsewhere is outside"),
    ((*RUN_LOCAL, "--output-root", "test_output_data"), "OutputRefused", "--output-root"),
    ((*RUN_LOCAL, "--output-root", "link/x"), "OutputRefused", "--output-root link/x is outside"),
    ((*RUN_LOCAL, "--run-id", ".."), "OutputRefused", "run id '..'"),
    ((*RUN_LOCAL, "--run-id", "/"), "OutputRefused", "run id '/'"),
    ((*RUN_LOCAL, "--run-id", "../x"), "OutputRefused", "run id '../x'"),
    ((*RUN_LOCAL, "--run-id", "a b"), "OutputRefused", "run id 'a b'"),
    ((*RUN_LOCAL, "--run-id", " "), "OutputRefused", "run id ' '"),
    ((*RUN_LOCAL, "--run-id", "a\nb"), "OutputRefused", "run id 'a"),
    ((*RUN_LOCAL, "--run-id", "x" * 300), "OutputRefused", "run id 'xxx"),
    ((*RUN_LOCAL, "--run-id", "nope", "--resume"), "OutputRefused", "no run 'nope'"),
    ((*RUN_LOCAL, "--run-label", ""), "UsageError", "--run-label"),
    ((*RUN_LOCAL, "--run-label", "a b"), "UsageError", "--run-label"),
    ((*RUN_LOCAL, "--run-label", "a "), "UsageError", "--run-label"),
    ((*RUN_LOCAL, "--run-label", "a\n"), "UsageError", "--run-label"),
    ((*RUN_LOCAL, "--run-label", "猫"), "UsageError", "--run-label"),
    ((*RUN_LOCAL, "--run-label", "x" * 300), "UsageError", "--run-label"),
    ((*RUN_LOCAL, "--proposer", "bogus"), "UsageError", "--proposer"),
    ((*RUN_LOCAL, "--proposer", ""), "UsageError", "--proposer"),
    ((*RUN_LOCAL, "--proposer", "file:"), "UsageError", "--proposer"),
    ((*RUN_LOCAL, "--proposer", "rules", "stray"), "UsageError", "stray"),
    ((*RUN_LOCAL, "--no-such-flag"), "UsageError", "--no-such-flag"),
    (("demand", "run", "--execution-id", "581"), "UsageError", "--output"),
    (("demand", "run", "--output", "local_json"), "UsageError", "--execution-id"),
    (("demand", "run", "--output", "bogus", "--execution-id", "581"), "UsageError", "--output"),
    (("demand", "run", "--output", "", "--execution-id", "581"), "UsageError", "--output"),
    (("demand", "verify", "--execution-id", "abc"), "UsageError", "--execution-id"),
    (("demand", "bogus"), "UsageError", "bogus"),
    (("bogus",), "UsageError", "bogus"),
    (("db", "upgrade", "--dsn", "nonsense"), "SettingsError", "--dsn"),
]
PROPOSERS = [
    ("file:missing.jsonl", "UsageError", "missing.jsonl"),
    ("file:.", "UsageError", "DEMAND_PROPOSER_DIR"),
    ("file:/etc/passwd", "UsageError", "DEMAND_PROPOSER_DIR"),
    ("agent", "SettingsError", "DEMAND_LLM_MODEL"),
]


def left_behind(tmp_path: Path) -> list[str]:
    return sorted(path.name for path in tmp_path.iterdir() if path.name not in (".pattern2plan", "link"))


@pytest.mark.parametrize(
    ("arguments", "kind", "named"), USAGE, ids=lambda v: " ".join(v)[-40:] if isinstance(v, tuple) else ""
)
def test_d004_wrong_usage_is_one_line_that_names_it_and_leaves_nothing(
    cli: Cli, place: FactWorld, tmp_path: Path, arguments: tuple[str, ...], kind: str, named: str
) -> None:
    (tmp_path / "link").symlink_to(tmp_path.parent)
    done = cli(*arguments)
    assert done.code == 2
    assert done.error.startswith(f"{kind}: ")
    assert named in done.error
    assert " -> " in done.error or kind == "UsageError"
    assert left_behind(tmp_path) == []
    assert cli(*RUN_LOCAL, "--count", "2", "--run-id", "nope").code == 0


@pytest.mark.parametrize(("proposer", "kind", "named"), PROPOSERS)
def test_d013_a_proposer_that_cannot_start_leaves_no_run_behind(
    cli: Cli, place: FactWorld, tmp_path: Path, proposer: str, kind: str, named: str
) -> None:
    done = cli(*RUN_LOCAL, "--proposer", proposer, "--run-id", "run-1")
    assert done.code == 2
    assert done.error.startswith(f"{kind}: ")
    assert named in done.error
    assert left_behind(tmp_path) == []
    assert cli(*RUN_LOCAL, "--count", "2", "--run-id", "run-1").code == 0


def test_d061_a_run_id_that_exists_is_refused_and_the_run_is_not_touched(
    cli: Cli, place: FactWorld, tmp_path: Path
) -> None:
    cli(*RUN_LOCAL, "--count", "2", "--run-id", "run-1")
    files = {path: path.stat().st_mtime_ns for path in (tmp_path / "test_output_data").rglob("*")}
    for more in ((), ("--resume",)):
        done = cli(*RUN_LOCAL, "--run-id", "run-1", *more)
        assert done.code == 2
        assert done.error.startswith("OutputRefused: run")
    assert {path: path.stat().st_mtime_ns for path in (tmp_path / "test_output_data").rglob("*")} == files


def test_d015_an_empty_execution_falls_short_and_says_why(cli: Cli, place: FactWorld) -> None:
    done = cli(*EXECUTION, "585", "--json")
    assert done.code == 1
    assert (done.json["stop_reason"], done.json["counts"]["accepted"]) == ("no_facts", 0)


def test_d015_fewer_than_asked_is_exit_code_1_and_enough_is_0(cli: Cli, place: FactWorld) -> None:
    assert cli(*RUN_LOCAL, "--count", "2").code == 0
    assert cli(*RUN_LOCAL, "--count", "3").code == 1


@pytest.mark.parametrize("variable", ["local_json", "mysql_demand_content"])
def test_d065_the_variable_against_the_command_is_refused(
    cli: Cli, place: FactWorld, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    monkeypatch.setenv("DEMAND_OUTPUT_MODE", variable)
    done = cli(*(RUN_MYSQL if variable == "local_json" else RUN_LOCAL))
    assert done.code == 2
    assert f"SettingsError: DEMAND_OUTPUT_MODE is {variable}" in done.error
    assert left_behind(tmp_path) == []


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("DEMAND_OUTPUT_MODE", "both"),
        ("DEMAND_PATTERN_STATEMENT_TIMEOUT_S", "soon"),
        ("DEMAND_PATTERN_STATEMENT_TIMEOUT_S", "0"),
        ("DEMAND_PATTERN_STATEMENT_TIMEOUT_S", "nan"),
        ("DEMAND_CONNECT_TIMEOUT_S", "-1"),
        ("DEMAND_ITEMSET_DETAIL_MAX_IDS", "0"),
    ],
)
def test_d003_a_wrong_setting_is_named_by_its_variable(
    cli: Cli, place: FactWorld, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variable: str, value: str
) -> None:
    monkeypatch.setenv(variable, value)
    done = cli(*RUN_LOCAL)
    assert done.code == 2
    assert f"SettingsError: environment variable {variable}" in done.error
    assert left_behind(tmp_path) == []


def test_json_errors_are_an_object_on_standard_error(cli: Cli, place: FactWorld) -> None:
    for arguments in ((*EXECUTION, "999"), (*RUN_LOCAL, "--count", "abc"), (*RUN_LOCAL, "--run-id", "..")):
        done = cli(*arguments, "--json")
        assert (done.code, done.out) == (2, "")
        assert set(json.loads(done.err)) == {"error", "message", "fix"}


def test_json_answers_are_json_and_nothing_else(cli: Cli, place: FactWorld, tmp_path: Path) -> None:
    (tmp_path / ".pattern2plan" / "proposals").mkdir(parents=True)
    wide = tmp_path / ".pattern2plan" / "proposals" / "wide.jsonl"
    wide.write_text(json.dumps(good_candidate(reason="🫠神兵𠮷"), ensure_ascii=False))
    file = "file:wide.jsonl"
    for command in (
        (*RUN_LOCAL, "--proposer", file),
        (*RUN_MYSQL, "--proposer", file),
        ("demand", "verify"),
        ("doctor",),
        ("db", "upgrade"),
    ):
        assert isinstance(cli(*command, "--json").json, dict), command


def test_json_stays_json_where_a_write_is_repeated(cli: Cli, place: FactWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    from sqlalchemy.exc import OperationalError

    from demand_assets.outputs import demand_content as sink

    def deadlock_once(*arguments: object) -> None:
        monkeypatch.setattr(sink, "insert_rows", insert_rows)
        raise OperationalError("INSERT", {}, Exception(1213, "Deadlock found"))

    insert_rows = sink.insert_rows
    monkeypatch.setattr(sink, "insert_rows", deadlock_once)
    done = cli(*RUN_MYSQL, "--count", "2", "--json")
    assert done.code == 0
    assert done.json["published"] == {"inserted": 2, "skipped": 0}


def test_the_installed_command_itself_answers_in_one_line(place: FactWorld) -> None:
    command = Path(sys.executable).with_name("pattern2plan")
    if not command.exists():
        pytest.skip("the command is not installed beside this interpreter")
    arguments = [str(command), *EXECUTION, "999"]
    done = subprocess.run(arguments, capture_output=True, text=True, timeout=60, check=False, env=dict(os.environ))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith("ExecutionNotUsable: execution 999 does not exist; successful ones: ")
