"""A backfill of 200 executions by two Celery workers, beside the same runs one after the other in one process."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import dagster as dg
import pytest

from demand_assets.definitions import build_defs
from demand_assets.orchestration.partitions import EXECUTIONS
from tests.real_servers import MARIADB, POSTGRES
from tests.stack_world import StackWorld, rows_of, stack_world

FIRST = 1001
EXECUTIONS_WANTED = 200
IN_PROCESS = 20
WORKERS = 2
JOB = "demand_mysql_demand_content"


def measure(place: Path) -> dict[str, Any]:
    """Seconds, runs a minute, overhead a run, and connections in use at most; the demand half of each execution.

    The runs in one process are measured over the first twenty executions, on the same servers.
    """
    last = FIRST + EXECUTIONS_WANTED - 1
    with stack_world(place / "backfill", range(FIRST, last + 1), celery_workers=WORKERS) as world:
        alone = _in_process(world)
        with _Connections(world) as connections:
            began = time.monotonic()
            command = ["backfill", "--from", str(FIRST), "--to", str(last), "--only", "all", "--half", "demand"]
            counts = json.loads(pattern2plan(world, *command, "--json").stdout)
            seconds = time.monotonic() - began
    return {
        "executions": EXECUTIONS_WANTED,
        "seconds": seconds,
        "runs_a_minute": EXECUTIONS_WANTED * 60 / seconds,
        "seconds_a_run_of_a_worker": WORKERS * seconds / EXECUTIONS_WANTED,
        "in_process_seconds_a_run": alone,
        "in_process_runs_a_minute": 60 / alone,
        "overhead_a_run_s": WORKERS * seconds / EXECUTIONS_WANTED - alone,
        "most_connections": connections.most,
        "outcome": counts,
    }


def pattern2plan(world: StackWorld, *arguments: str) -> subprocess.CompletedProcess[str]:
    """The command against the stack."""
    code = "import sys; from commands.app import run_command; sys.exit(run_command(sys.argv[1:]))"
    environment = {**world.environment, "PATTERN2PLAN_DAGSTER_URL": world.address}
    return subprocess.run(
        [sys.executable, "-c", code, *arguments], env=environment, capture_output=True, text=True, check=False
    )


def _in_process(world: StackWorld) -> float:
    """Seconds a run, by the job's own code in this process; the rows are of labels that nobody else uses."""
    job = build_defs().resolve_job_def(JOB)
    with pytest.MonkeyPatch.context() as patch, dg.DagsterInstance.ephemeral() as instance:
        for name, value in world.environment.items():
            patch.setenv(name, value)
        patch.chdir(world.home)
        keys = [str(FIRST + number) for number in range(IN_PROCESS + 1)]
        instance.add_dynamic_partitions(str(EXECUTIONS.name), keys)
        job.execute_in_process(instance=instance, partition_key=keys[0], run_config=_labelled(keys[0]))
        began = time.monotonic()
        for key in keys[1:]:
            assert job.execute_in_process(instance=instance, partition_key=key, run_config=_labelled(key)).success
        return (time.monotonic() - began) / IN_PROCESS


def _labelled(key: str) -> dict[str, Any]:
    return {"resources": {"demand_request": {"config": {"run_label": f"in-process-{key}"}}}}


class _Connections:
    """The most connections that were open at a time to each of the world's databases, looked at twice a second."""

    def __init__(self, world: StackWorld) -> None:
        self._asked = {
            "facts": (POSTGRES, _postgres(str(world.facts.database))),
            "dagster_storage": (POSTGRES, _postgres(str(world.storage.database))),
            "stores": (
                MARIADB.set(database="mysql"),
                f"SELECT COUNT(*) AS n FROM information_schema.processlist WHERE db = '{world.stores.database}'",
            ),
        }
        self.most = dict.fromkeys(self._asked, 0)
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._watch)

    def __enter__(self) -> _Connections:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._ended.wait(0.5):
            for name, (url, statement) in self._asked.items():
                self.most[name] = max(self.most[name], int(rows_of(url, statement)[0]["n"]))


def _postgres(database: str) -> str:
    return f"SELECT COUNT(*) AS n FROM pg_stat_activity WHERE datname = '{database}'"
