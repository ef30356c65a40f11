"""The command and the Dagster jobs are one run: the same files, byte for byte but for ids and times."""

from __future__ import annotations

import json
import re
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from demand_assets.outputs.run_folder import OWNER_FILE
from demand_assets.run.existing_execution import RunEnvironment, run_execution
from demand_assets.run.request import make_request
from resources.databases.demand_store.engine import DemandStore
from resources.databases.demand_store.migrate import upgrade
from resources.foundation.clock import FixedClock
from resources.settings.demand import OutputMode, read_settings
from tests.counting_ids import CountingIds
from tests.demand_assets.orchestration.conftest import CLOCK, Location, failure_text

ASKED: dict[str, Any] = {"count": 2, "run_label": "label-1", "merge_level2": "全局树"}
MODES: dict[str, OutputMode] = {
    "demand_local_json": "local_json",
    "demand_mysql_demand_content": "mysql_demand_content",
}
TIMES = re.compile(rb'"(started_at|finished_at)": "[^"]*"')


def files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def by_command(job: str) -> Path:
    around = RunEnvironment(
        read_settings(),
        clock=FixedClock(datetime.fromisoformat(CLOCK["config"]["fixed_at"])),
        ids=CountingIds("trace"),
    )
    return run_execution(
        MODES[job], make_request(execution_id=581, run_id="by-command", **ASKED), around
    ).run.folder.root


def neutral(name: str, content: bytes, trace_id: str, run_id: str) -> bytes:
    """Without what names the run and its time; hashes of files that carry them are compared by the files."""
    content = TIMES.sub(b'"\\1": ""', content).replace(trace_id.encode(), b"TRACE").replace(run_id.encode(), b"RUN")
    if name == "run_manifest.json":
        manifest = json.loads(content)
        manifest["files"] = sorted(manifest["files"])
        content = json.dumps(manifest, ensure_ascii=False, indent=2).encode()
    return content


@pytest.mark.parametrize("job", sorted(MODES))
def test_d061_d063_a_run_leaves_the_same_files_whoever_started_it(location: Location, job: str) -> None:
    store = DemandStore(read_settings().store_url())
    upgrade(store)
    result = location.run(job, "581", run_id="by-dagster", **ASKED)
    assert result.success, failure_text(result)
    if job == "demand_mysql_demand_content":
        with store.engine.begin() as connection:
            connection.execute(text("DELETE FROM demand_content"))
    command = files(by_command(job))
    dagster = files(location.place / "test_output_data" / "by-dagster")
    assert dagster.keys() == command.keys()
    owner = dagster.pop(OWNER_FILE).decode(), command.pop(OWNER_FILE).decode()
    assert owner == (result.run_id, "trace-1")
    for name in dagster:
        by_dagster = neutral(name, dagster[name], result.run_id, "by-dagster")
        assert by_dagster == neutral(name, command[name], "trace-1", "by-command"), name


def test_d061_a_folder_of_the_command_is_not_a_launchs_and_the_other_way_round(location: Location) -> None:
    by_command("demand_local_json")
    result = location.run("demand_local_json", "581", run_id="by-command", **ASKED)
    assert not result.success
    assert "run id 'by-command' exists already" in failure_text(result)


def test_d061_a_resumed_run_keeps_its_trace_id(location: Location) -> None:
    around = RunEnvironment(read_settings(), ids=CountingIds("trace"))
    request = make_request(execution_id=581, run_id="again", **ASKED)
    (run_execution("local_json", request, around).run.folder.path("run_manifest.json")).unlink()
    assert run_execution("local_json", request, around, resume=True).manifest["trace_id"] == "trace-1"
