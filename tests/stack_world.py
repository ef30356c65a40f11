"""The whole deployment for a test or a bench: databases of its own, the platform, the stack script, its GraphQL."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
from sqlalchemy import create_engine, text
from sqlalchemy.engine import URL

from resources.databases.demand_store.engine import DemandStore
from resources.databases.demand_store.migrate import upgrade as upgrade_demands
from resources.databases.supply_store.engine import SupplyStore
from resources.databases.supply_store.migrate import upgrade as upgrade_supply
from sandbox.facts.facts_load import load_facts
from tests.bench.platform_process import platform_process
from tests.many_executions import small_executions
from tests.own_redis import own_redis
from tests.real_servers import MARIADB, POSTGRES, temporary_database

ROOT = Path(__file__).resolve().parents[1]
JOBS = {"demand": ("demand_mysql_demand_content", "execution_id"), "supply": ("supply_batch", "demand_batch")}
SENSORS = {
    "demand": ("new_executions",),
    "supply": ("demand_batches", "supply_automation"),
}
ADD_PARTITION = """
mutation ($selector: RepositorySelector!, $name: String!, $key: String!) {
  addDynamicPartition(repositorySelector: $selector, partitionsDefName: $name, partitionKey: $key) { __typename }
}
"""
LAUNCH = """
mutation ($params: ExecutionParams!) {
  launchRun(executionParams: $params) { __typename ... on LaunchRunSuccess { run { runId } } ... on Error { message } }
}
"""
TERMINATE = """
mutation ($id: String!) { terminateRun(runId: $id) { __typename ... on Error { message } } }
"""
START_SENSOR = """
mutation ($selector: SensorSelector!) {
  startSensor(sensorSelector: $selector) { __typename ... on PythonError { message } }
}
"""
RUNS = """
query ($limit: Int!) {
  runsOrError(limit: $limit) {
    ... on Runs { results { runId jobName status startTime endTime creationTime tags { key value } } }
  }
}
"""


@dataclass(frozen=True)
class StackWorld:
    """A running stack and what stands around it."""

    home: Path
    address: str
    platform: str
    facts: URL
    stores: URL
    storage: URL
    environment: Mapping[str, str]

    def ask(self, query: str, **variables: Any) -> dict[str, Any]:
        """One GraphQL call; its only field."""
        answer = httpx2.post(f"{self.address}/graphql", json={"query": query, "variables": variables}, timeout=60)
        body = answer.json()
        assert "errors" not in body, body["errors"]
        (result,) = body["data"].values()
        found: dict[str, Any] = result
        return found

    def start_sensors(self) -> None:
        """What makes the chain run by itself."""
        for location, names in SENSORS.items():
            for name in names:
                selector = {**_repository(location), "sensorName": name}
                started = self.ask(START_SENSOR, selector=selector)
                assert started["__typename"] == "Sensor", started

    def launch(self, half: str, key: int) -> str:
        """A run of a half's job for one partition; its id."""
        job, partitions = JOBS[half]
        repository = _repository(half)
        self.ask(ADD_PARTITION, selector=repository, name=partitions, key=str(key))
        params = {
            "selector": {**repository, "jobName": job},
            "runConfigData": "{}",
            "executionMetadata": {"tags": [{"key": "dagster/partition", "value": str(key)}]},
        }
        launched = self.ask(LAUNCH, params=params)
        assert launched["__typename"] == "LaunchRunSuccess", launched
        return str(launched["run"]["runId"])

    def terminate(self, run_id: str) -> None:
        """As the button in the UI."""
        ended = self.ask(TERMINATE, id=run_id)
        assert ended["__typename"] == "TerminateRunSuccess", ended

    def status(self, run_id: str) -> str:
        return next(str(run["status"]) for run in self.runs() if run["runId"] == run_id)

    def slow_platform(self, milliseconds: float) -> None:
        """Every answer of the platform waits from now on."""
        rules = [{"target": "*", "fault": "latency", "value": milliseconds}] if milliseconds else []
        httpx2.put(f"{self.platform}/admin/faults", json={"rules": rules}, timeout=30).raise_for_status()

    def calls(self) -> dict[str, Any]:
        """How often the platform was asked, by endpoint."""
        counted: dict[str, Any] = httpx2.get(f"{self.platform}/admin/calls", timeout=30).json()
        return counted

    def runs(self, limit: int = 1000) -> list[dict[str, Any]]:
        """The runs, newest first; tags as a mapping."""
        found = self.ask(RUNS, limit=limit)["results"]
        return [run | {"tags": {tag["key"]: tag["value"] for tag in run["tags"]}} for run in found]

    def plans(self) -> list[dict[str, Any]]:
        """What the platform has."""
        plans: list[dict[str, Any]] = httpx2.get(f"{self.platform}/admin/plans", timeout=30).json()["plans"]
        return plans

    def add_executions(self, execution_ids: Iterable[int]) -> None:
        """New successful executions in the facts."""
        load_facts(small_executions(execution_ids), self.facts)

    def pids(self) -> dict[str, int]:
        """The stack's processes by name."""
        pids: dict[str, int] = json.loads((self.home / "processes.json").read_text())
        return pids

    def kill(self, name: str) -> None:
        """SIGKILL to a process of the stack and all its children."""
        os.killpg(self.pids()[name], signal.SIGKILL)

    def rows(self, statement: str) -> list[dict[str, Any]]:
        """Rows of the stores' database."""
        return rows_of(self.stores, statement)


def rows_of(url: URL, statement: str) -> list[dict[str, Any]]:
    """Rows that a statement gives."""
    engine = create_engine(url)
    with engine.connect() as connection:
        found = [dict(row) for row in connection.execute(text(statement)).mappings()]
    engine.dispose()
    return found


def wait_until(condition: Callable[[], Any], seconds: float, every: float = 0.5) -> Any:
    """What the condition gives as soon as it is true.

    Raises:
        AssertionError: it never was.
    """
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        found = condition()
        if found:
            return found
        time.sleep(every)
    raise AssertionError(f"{condition} was not true within {seconds} s")


@contextmanager
def stack_world(
    place: Path,
    execution_ids: Iterable[int] = (),
    *,
    celery_workers: int = 2,
    postgres: URL = POSTGRES,
    settings: Mapping[str, str] | None = None,
) -> Iterator[StackWorld]:
    """The stack over small executions, empty stores and a platform of made-up articles; sensors are off."""
    with ExitStack() as stack:
        facts = stack.enter_context(temporary_database(postgres))
        storage = stack.enter_context(temporary_database(postgres))
        stores = stack.enter_context(temporary_database(MARIADB))
        load_facts(small_executions(execution_ids), facts)
        _make_tables(stores)
        platform = stack.enter_context(platform_process(0, articles=4_000))
        port = _free_ports()
        environment = {
            **os.environ,
            "PATTERN2PLAN_HOME": str(place / ".pattern2plan"),
            "DEMAND_PATTERN_PG_DSN": _plain(facts),
            "DEMAND_CONTENT_MYSQL_DSN": _plain(stores),
            "SUPPLY_STORE_MYSQL_DSN": _plain(stores),
            "SUPPLY_PLATFORM_URL": platform,
            "SUPPLY_BACKOFF_S": "0.2",
            "SUPPLY_LEASE_S": "10",
            "DAGSTER_POSTGRES_URL": _plain(storage.set(drivername="postgresql+psycopg2")),
            "PATTERN2PLAN_BROKER": stack.enter_context(own_redis()),
            "PYTHONPATH": str(ROOT),
            "PYTHONWARNINGS": "ignore",
            **(settings or {}),
        }
        home = place / "stack"
        stack.enter_context(_running(place, home, port, celery_workers, environment))
        yield StackWorld(home, f"http://127.0.0.1:{port}", platform, facts, stores, storage, environment)


@contextmanager
def _running(place: Path, home: Path, port: int, workers: int, environment: Mapping[str, str]) -> Iterator[None]:
    place.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "deploy.stack", "--home", str(home), "--port", str(port)]
    process = subprocess.Popen(
        [*command, "--celery-workers", str(workers)],
        cwd=place,
        env=dict(environment),
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stdout is not None
    try:
        for line in process.stdout:
            if line.startswith("the UI is at"):
                break
        assert process.poll() is None, "the stack did not come up"
        yield
    finally:
        process.terminate()
        process.wait(timeout=60)


def _make_tables(url: URL) -> None:
    upgrade_demands(DemandStore(url))
    supply = SupplyStore(url)
    upgrade_supply(supply)
    supply.close()


def _plain(url: URL) -> str:
    return url.render_as_string(hide_password=False)


def _repository(location: str) -> dict[str, str]:
    return {"repositoryName": "__repository__", "repositoryLocationName": location}


def _free_ports() -> int:
    """The first of three ports in a row that nobody has."""
    for _ in range(50):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            first = int(probe.getsockname()[1])
        with ExitStack() as held:
            try:
                for port in (first, first + 1, first + 2):
                    held.enter_context(socket.socket()).bind(("127.0.0.1", port))
            except OSError:
                continue
            return first
    raise AssertionError("no three free ports in a row")
