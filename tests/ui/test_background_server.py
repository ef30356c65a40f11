"""``make ui`` as a script starts it in its background, with SIGINT ignored: cancel stops a run, SIGTERM the server."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from resources.databases.supply_store.states import TaskStatus
from tests.cat_corpus import cat_platform
from tests.resources.foundation.test_interrupts import IGNORING
from tests.supply_chain import HOME, HURRIED, SupplyChain, embedded_chain, of_post
from tests.ui.test_dagster_ui import free_port, wait_until_it_answers
from tests.ui.test_supply_ui import ADD_PARTITION, BATCH, LAUNCH, STATUS, Webserver

pytestmark = [pytest.mark.ui, pytest.mark.xdist_group("ui")]
SLOW = {"rules": [{"target": "*", "fault": "latency", "value": 500}]}
REPOSITORY = {"repositoryName": "__repository__", "repositoryLocationName": "supply"}
CANCEL = "mutation ($id: String!) { terminateRun(runId: $id) { __typename } }"


@pytest.fixture
def chain(tmp_path: Path) -> Iterator[SupplyChain]:
    with embedded_chain(tmp_path / HOME) as chain:
        chain.publish(of_post("p1"))
        yield chain


@pytest.fixture
def server(chain: SupplyChain, tmp_path: Path) -> Iterator[tuple[subprocess.Popen[bytes], Webserver]]:
    """The server in a session of its own, with a platform that takes its time."""
    port, log = free_port(), tmp_path / "ui.log"
    with cat_platform() as platform:
        httpx2.put(f"{platform}/admin/faults", json=SLOW).raise_for_status()
        process = subprocess.Popen(
            [*IGNORING, sys.executable, "-m", "commands.operations.dagster_ui", "--port", str(port)],
            cwd=tmp_path,
            env={**os.environ, **HURRIED, "SUPPLY_LEASE_S": "60", "SUPPLY_PLATFORM_URL": platform},
            stdout=log.open("wb"),
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            wait_until_it_answers(f"http://127.0.0.1:{port}", process, log)
            yield process, Webserver(f"http://127.0.0.1:{port}")
        finally:
            for pid in session_of(process.pid):
                os.kill(pid, signal.SIGKILL)
            process.wait()


def session_of(leader: int) -> list[int]:
    """Every living process of a session."""
    found = subprocess.run(["ps", "-o", "pid=,stat=", "-s", str(leader)], capture_output=True, text=True, check=False)
    entries = [line.split() for line in found.stdout.splitlines()]
    return [int(pid) for pid, state in entries if not state.startswith("Z")]


def wait_for(holds: Callable[[], Any], what: str) -> None:
    deadline = time.monotonic() + 120
    while not holds():
        assert time.monotonic() < deadline, what
        time.sleep(0.1)


def test_dg11_a_run_is_cancelled_and_the_server_ends_though_interrupts_are_ignored(
    server: tuple[subprocess.Popen[bytes], Webserver], chain: SupplyChain
) -> None:
    process, webserver = server
    webserver.ask(ADD_PARTITION, selector=REPOSITORY, name="demand_batch", key=BATCH)
    params = {
        "selector": {**REPOSITORY, "jobName": "supply_batch"},
        "executionMetadata": {"tags": [{"key": "dagster/partition", "value": BATCH}]},
    }
    run_id = webserver.ask(LAUNCH, params=params)["run"]["runId"]
    wait_for(lambda: TaskStatus.RUNNING in statuses(chain), "the run works on its task")
    assert webserver.ask(CANCEL, id=run_id)["__typename"] == "TerminateRunSuccess"
    wait_for(lambda: webserver.ask(STATUS, id=run_id)["status"] == "CANCELED", "the run is cancelled")
    wait_for(lambda: leases(chain) == [0], "its task is let go of")
    assert statuses(chain) == [TaskStatus.RUNNING], "and stands where it stood"
    process.terminate()
    assert process.wait(timeout=60) == 0
    wait_for(lambda: session_of(process.pid) == [], "daemon, webserver and code servers end with it")


def statuses(chain: SupplyChain) -> list[str]:
    return [row["status"] for row in chain.tables()["supply_task"]]


def leases(chain: SupplyChain) -> list[int]:
    return [row["ext"].get("lease", {}).get("until_ms", 0) for row in chain.tables()["supply_task"]]
