"""The two module entry points as programs of their own (D-004, D-061, D-063, D-065)."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from resources.databases.connections import open_store
from resources.databases.demand_store.migrate import upgrade
from resources.databases.demand_store.statements import read_rows_of_label
from resources.settings.demand import read_settings
from tests.small_facts import FactWorld

REPOSITORY = Path(__file__).resolve().parents[3]
LOCAL, MYSQL = "demand_assets.run_existing_execution_local", "demand_assets.run_existing_execution_mysql"


def run_module(module: str, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", module, *arguments],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env=os.environ | {"PYTHONPATH": str(REPOSITORY)} | environment,
    )


def all_flags(run_id: str) -> list[str]:
    fields = {
        "--execution-id": "581",
        "--merge-level2": "民生",
        "--platform-type": "piaoquan",
        "--count": "2",
        "--run-id": run_id,
        "--run-label": "label-1",
        "--output-root": f"test_output_data/{run_id}",
        "--proposer": "rules",
    }
    return [part for pair in fields.items() for part in pair] + ["--json"]


@pytest.fixture
def place(sqlite_world: FactWorld) -> FactWorld:
    upgrade(open_store(read_settings()))
    return sqlite_world


def test_d061_d063_each_entry_point_takes_all_flags_and_writes_its_own_mode(place: FactWorld, tmp_path: Path) -> None:
    with ThreadPoolExecutor(2) as pool:
        local, mysql = pool.map(lambda m: run_module(m, *all_flags(m[-5:])), (LOCAL, MYSQL))
    assert (local.returncode, mysql.returncode) == (0, 0), local.stderr + mysql.stderr
    assert json.loads(local.stdout)["output_mode"] == "local_json"
    assert json.loads(mysql.stdout)["output_mode"] == "mysql_demand_content"
    assert (tmp_path / "test_output_data" / "local" / "demand_content.json").is_file()
    assert not (tmp_path / "test_output_data" / "mysql" / "demand_content.json").exists()
    with open_store(read_settings()).reading() as connection:
        rows = read_rows_of_label(connection, "label-1")
    assert [row["merge_leve2"] for row in rows] == ["民生", "民生"]


def test_d065_the_entry_point_refuses_the_other_mode_and_takes_no_output_flag(place: FactWorld, tmp_path: Path) -> None:
    calls = [
        (MYSQL, ["--execution-id", "581"], {"DEMAND_OUTPUT_MODE": "local_json"}),
        (LOCAL, ["--execution-id", "581", "--output", "mysql_demand_content"], {}),
        (LOCAL, ["--execution-id", "999", "--json"], {}),
    ]
    with ThreadPoolExecutor(2) as pool:
        other_mode, flag, unknown = pool.map(lambda call: run_module(call[0], *call[1], **call[2]), calls)
    for result in (other_mode, flag, unknown):
        assert (result.returncode, result.stdout) == (2, "")
        assert len(result.stderr.strip().splitlines()) == 1, result.stderr
    assert other_mode.stderr.startswith("SettingsError: DEMAND_OUTPUT_MODE is local_json")
    assert flag.stderr.startswith("UsageError: --output")
    assert json.loads(unknown.stderr)["error"] == "ExecutionNotUsable"
    assert not (tmp_path / "test_output_data").exists()
