"""Many tasks against a platform on which every fault strikes at once: how they end, and whether anything is doubled.

``python -m tests.bench.fault_run [tasks]`` prints one JSON document of three runs: every switch at a fifth, so that
nine calls of ten are struck and breakers hardly ever close (they are not waited for); a fifth of all calls struck; and
every switch at a fifth of the calls for plans alone, so that every task comes that far.
"""

from __future__ import annotations

import itertools
import json
import logging
import multiprocessing
import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import httpx2
import structlog
from sqlalchemy import select
from sqlalchemy.engine import URL

from resources.databases.supply_store.engine import SupplyStore
from resources.databases.supply_store.migrate import upgrade
from resources.databases.supply_store.tables import metadata
from resources.databases.supply_store.tasks.tasks import TaskRow, read_tasks
from resources.foundation.clock import RandomIds, SystemClock
from resources.settings.supply import read_supply_settings
from sandbox.platform.app import build_app
from sandbox.platform.corpus.generated import generate
from sandbox.platform.serving.faults import EVERYWHERE, FaultConfig, FaultName, FaultRule, Target
from sandbox.platform.serving.serve import serve
from sandbox.sample.vocabulary import STORYLINES
from supply_assets.intake.intake import IntakeContext, take_in_requests
from supply_assets.intake.request import SupplyOptions, SupplyRequest
from supply_assets.stages.policy import SupplyPolicy
from supply_assets.tasks.batch_context import open_batch_context
from supply_assets.tasks.batch_run import advance_batch

TASKS, EXPECTED, ROUNDS, RATE = 200, 5, 5, 0.2
STRIKING = (
    FaultName.HANG,
    FaultName.RATE_LIMIT,
    FaultName.SERVER_ERROR,
    FaultName.BROKEN_JSON,
    FaultName.ERROR_CODE,
    FaultName.FREQ_CONTROL,
    FaultName.DROP_BEFORE,
    FaultName.DROP_AFTER,
    FaultName.SLOW_AFTER,
)
"""Switches that can take the answer of any call away; the others wait, change it, or strike some tools alone."""
PLAN_CALLS = (Target.PLAN_CREATE, Target.PLAN_FIND, Target.PLAN_BIND)
VERIFY_MARK = "环境异常"
CALL_S, LONGER_S = 1.0, 3.0
MEASURES = {
    FaultName.LATENCY: 20.0,
    FaultName.HANG: LONGER_S,
    FaultName.SLOW_AFTER: LONGER_S,
    FaultName.RATE_LIMIT: 0.01,
}
CONTENT = ("supply_candidate_content", "supply_account_profile", "supply_content_feature", "supply_crawler_plan")
WORKER = {
    "SUPPLY_BACKOFF_S": "0.01",
    "SUPPLY_TOOL_TIMEOUT_S": str(CALL_S),
    "SUPPLY_TOOL_CONCURRENCY": "16",
    "SUPPLY_TASK_CONCURRENCY": "16",
    "SUPPLY_LEASE_S": "120",
}
PATIENT = SupplyPolicy(plan_backoff_s=0.01, plan_pause_cap_s=0.05)
HASTY = replace(PATIENT, breaker_waits=0)


def measure(
    tasks: int = TASKS, rate: float = RATE, policy: SupplyPolicy = HASTY, targets: Sequence[str] = (EVERYWHERE,)
) -> dict[str, Any]:
    """Advance tasks under every fault at ``rate``, at most five times, then once without; seconds and counts."""
    rules = [
        FaultRule(target=target, fault=name, rate=rate, value=MEASURES.get(name))
        for target in targets
        for name in FaultName
        if target == EVERYWHERE or name in STRIKING or name is FaultName.LATENCY
    ]
    if Target.PLAN_CREATE in targets:
        rules.append(FaultRule(target=Target.PLAN_CREATE, fault=FaultName.IGNORE_OPERATION_ID, rate=rate))
    with tempfile.TemporaryDirectory() as folder, _platform(FaultConfig(seed=11, rules=tuple(rules))) as url:
        os.environ.update(WORKER | {"PATTERN2PLAN_HOME": folder, "SUPPLY_PLATFORM_URL": url})
        store = SupplyStore(URL.create("sqlite", database=str(Path(folder) / "supply_store.db")))
        upgrade(store)
        task_ids = _take_in(store, tasks)
        started = time.monotonic()
        rounds = _rounds(store, task_ids, policy)
        taken = time.monotonic() - started
        with httpx2.Client(base_url=url) as admin:
            under_faults = {"rounds": rounds, "wall_s": round(taken, 1)} | _figures(store, admin, task_ids)
            calls = admin.get("/admin/calls").json()
            admin.put("/admin/faults", json={"seed": 0, "rules": []}).raise_for_status()
            with open_batch_context(read_supply_settings()) as around:
                advance_batch(replace(around, policy=policy), task_ids)
            afterwards = _figures(store, admin, task_ids)
        store.close()
    return {
        "tasks": tasks,
        "rate_of_each_switch": round(rate, 4),
        "calls": sum(calls["endpoints"].values()),
        "faults_that_struck": calls["faults"],
        "under_faults": under_faults,
        "after_the_faults": afterwards,
    }


@contextmanager
def _platform(faults: FaultConfig) -> Iterator[str]:
    """The address of a platform in a process of its own, so that it does not slow its callers down."""
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe()
    process = context.Process(target=_serve, args=(there, faults), daemon=True)
    process.start()
    yield here.recv()
    here.send("end")
    process.join()


def _serve(line: Connection, faults: FaultConfig) -> None:
    logging.disable(logging.CRITICAL)
    with serve(build_app(generate(5_000, 100, 0), faults=faults)) as platform:
        line.send(platform.url)
        line.recv()


def _take_in(store: SupplyStore, tasks: int) -> list[str]:
    words = [(*story.core, *story.optional) for story in STORYLINES]
    pairs = [pair for story in words for pair in itertools.combinations(story, 2)]
    queries = list(itertools.islice(itertools.cycle(dict.fromkeys(" ".join(pair) for pair in pairs)), tasks))
    requests = [
        SupplyRequest(demand_id=number, query=query, expected_count=EXPECTED)
        for number, query in enumerate(queries, start=1)
    ]
    taking = IntakeContext(
        store, SystemClock(), RandomIds(), "adhoc-faults", SupplyOptions(produce_plan_id="produce-1")
    )
    return [task.task_id for task in take_in_requests(taking, requests).tasks]


def _rounds(store: SupplyStore, task_ids: Sequence[str], policy: SupplyPolicy) -> int:
    """Runs of the batch until one changes nothing, at most five."""
    before: list[Any] = []
    for number in range(1, ROUNDS + 1):
        with open_batch_context(read_supply_settings()) as around:
            advance_batch(replace(around, policy=policy), task_ids)
        now = [(task.status, task.current_stage, task.retry_count) for task in _tasks(store, task_ids)]
        sys.stderr.write(f"round {number}: {dict(Counter(str(status) for status, _, _ in now))}\n")
        if now == before:
            return number
        before = now
    return ROUNDS


def _tasks(store: SupplyStore, task_ids: Sequence[str]) -> list[TaskRow]:
    with store.reading() as connection:
        return list(read_tasks(connection, task_ids).values())


def _figures(store: SupplyStore, admin: httpx2.Client, task_ids: Sequence[str]) -> dict[str, Any]:
    tasks = _tasks(store, task_ids)
    plans = Counter(plan["task_id"] for plan in admin.get("/admin/plans").json()["plans"])
    with store.reading() as connection:
        stored = [
            str(dict(row)) for name in CONTENT for row in connection.execute(select(metadata.tables[name])).mappings()
        ]
    return {
        "by_status": dict(Counter(str(task.status) for task in tasks)),
        "by_error_code": dict(Counter(f"{task.current_stage} {task.error_code}" for task in tasks if task.error_code)),
        "failed_without_code_or_message": sum(
            task.status == "FAILED" and not (task.error_code and task.error_message) for task in tasks
        ),
        "leases_not_given_back": sum(task.ext["lease"]["owner"] is not None for task in tasks),
        "plans_on_platform": sum(plans.values()),
        "tasks_with_two_plans": sum(number > 1 for number in plans.values()),
        "verify_pages_stored": sum(VERIFY_MARK in row for row in stored),
    }


def main() -> None:
    """The three runs."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
    tasks = int(sys.argv[1]) if len(sys.argv) > 1 else TASKS
    report = {
        "every_switch_at_a_fifth": measure(tasks),
        "a_fifth_of_all_calls": measure(tasks, 1 - (1 - RATE) ** (1 / len(STRIKING)), PATIENT),
        "every_switch_at_a_fifth_of_the_plan_calls": measure(tasks, RATE, PATIENT, PLAN_CALLS),
    }
    sys.stdout.write(json.dumps(report, indent=2) + "\n")


if __name__ == "__main__":
    main()
