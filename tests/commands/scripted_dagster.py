"""A webserver that answers what a backfill asks, over real HTTP, and whose runs do what a test says.

What a real webserver answers is tested on the running stack; here stands what cannot be brought about there at will.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from sandbox.platform.serving.serve import serve

KEYS = ("581", "582", "583")
CREATED_S = 1_800_000_000.0
Fields = dict[str, Any]


@dataclass
class ScriptedDagster:
    """Partitions by asset, runs oldest first; ``before_look`` is called before each look at the runs."""

    registered: dict[str, set[str]] = field(default_factory=lambda: {"demand_content": set(), "supply_results": set()})
    materialized: dict[str, set[str]] = field(default_factory=dict)
    runs: list[Fields] = field(default_factory=list)
    refused: set[str] = field(default_factory=set)
    before_look: Callable[[ScriptedDagster], None] = lambda _: None
    is_away: bool = False
    asked: Counter[str] = field(default_factory=Counter)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def add_run(self, half: str, key: str, status: str = "QUEUED", **tags: str) -> Fields:
        """A run of the backfill ``b``, the newest."""
        own = {"pattern2plan/backfill": "b", "pattern2plan/half": half, "dagster/partition": key, **tags}
        number = len(self.runs)
        created = CREATED_S + number
        run = {"runId": f"run-{number}", "jobName": half, "status": status, "creationTime": created, "endTime": None}
        self.runs.append(run | {"tags": own})
        return self.runs[-1]

    def of(self, half: str) -> list[tuple[str, str]]:
        """Key and status of each run of a half, oldest first."""
        found = [run for run in self.runs if run["tags"]["pattern2plan/half"] == half]
        return [(run["tags"]["dagster/partition"], run["status"]) for run in found]

    async def answer(self, request: Request) -> Response:
        """One GraphQL exchange."""
        asked = await request.json()
        with self.lock:
            if self.is_away:
                return Response("bad gateway", 502)
            name = next(name for name in _FIELDS if name in asked["query"])
            self.asked[name] += 1
            return JSONResponse({"data": {name: _FIELDS[name](self, asked["variables"])}})

    def _runs(self, wanted: Fields) -> Fields:
        self.before_look(self)
        tags = {tag["key"]: tag["value"] for tag in wanted["filter"]["tags"]}
        found = [run for run in reversed(self.runs) if tags.items() <= run["tags"].items()]
        as_asked = [run | {"tags": [{"key": k, "value": v} for k, v in run["tags"].items()]} for run in found]
        return {"__typename": "Runs", "results": as_asked}

    def _asset(self, wanted: Fields) -> Fields:
        (name,) = wanted["asset"]["path"]
        statuses = {"materializedPartitions": sorted(self.materialized.get(name, ())), "failedPartitions": []}
        keys = {"partitionKeys": sorted(self.registered[name]), "assetPartitionStatuses": statuses}
        return {"__typename": "AssetNode", "isMaterializable": True, **keys}

    def _add(self, wanted: Fields) -> Fields:
        asset = {"execution_id": "demand_content", "demand_batch": "supply_results"}[wanted["name"]]
        self.registered[asset].add(wanted["key"])
        return {"__typename": "AddDynamicPartitionSuccess"}

    def _launch(self, wanted: Fields) -> Fields:
        return {
            "__typename": "LaunchMultipleRunsResult",
            "launchMultipleRunsResult": [self._launched(params) for params in wanted["launches"]],
        }

    def _launched(self, params: Fields) -> Fields:
        tags = {tag["key"]: tag["value"] for tag in params["executionMetadata"]["tags"]}
        if tags["dagster/partition"] in self.refused:
            return {"__typename": "InvalidSubsetError", "message": "not of this job"}
        run = self.add_run(tags["pattern2plan/half"], tags["dagster/partition"])
        return {"__typename": "LaunchRunSuccess", "run": {"runId": run["runId"]}}

    def _terminate(self, wanted: Fields) -> Fields:
        for run in self.runs:
            if run["runId"] in wanted["runs"] and run["status"] in ("QUEUED", "STARTED"):
                run["status"] = "CANCELED"
        return {"__typename": "TerminateRunsResult", "terminateRunResults": []}


_FIELDS: dict[str, Callable[[ScriptedDagster, Fields], Fields]] = {
    "runsOrError": ScriptedDagster._runs,
    "assetNodeOrError": ScriptedDagster._asset,
    "addDynamicPartition": ScriptedDagster._add,
    "launchMultipleRuns": ScriptedDagster._launch,
    "terminateRuns": ScriptedDagster._terminate,
}


def end_all(dagster: ScriptedDagster) -> None:
    """Every run that waits succeeds before the next look."""
    for run in dagster.runs:
        if run["status"] == "QUEUED":
            run["status"] = "SUCCESS"


@contextmanager
def scripted_dagster() -> Iterator[tuple[ScriptedDagster, str]]:
    """The webserver and its address."""
    dagster = ScriptedDagster()
    with serve(Starlette(routes=[Route("/graphql", dagster.answer, methods=["POST"])])) as running:
        yield dagster, running.url


@dataclass
class Time:
    """Time that passes while somebody sleeps, and what happens meanwhile."""

    now: float = 0.0
    meanwhile: Callable[[float], None] = lambda _: None

    def sleep(self, seconds: float) -> None:
        self.now += seconds
        self.meanwhile(self.now)

    def monotonic(self) -> float:
        return self.now
