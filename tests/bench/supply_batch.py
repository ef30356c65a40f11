"""A batch of 100 demands of a real execution against the platform at 20 ms, on PostgreSQL and MariaDB."""

from __future__ import annotations

import os
import time
from collections import Counter
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import Any, ClassVar

import httpx2

from demand_assets.run.existing_execution import RunEnvironment, run_execution
from demand_assets.run.request import make_request
from resources.calls.events import ToolEvent
from resources.databases.connections import open_facts, open_store, open_supply_store
from resources.databases.demand_store.migrate import upgrade as upgrade_demand_store
from resources.databases.supply_store.migrate import upgrade as upgrade_supply_store
from resources.foundation.clock import RandomIds, SystemClock
from resources.settings.demand import read_settings
from resources.settings.supply import read_supply_settings
from sandbox.facts.facts_load import load_facts
from supply_assets.intake.intake import IntakeContext, take_in_execution
from supply_assets.intake.request import make_options
from supply_assets.tasks import batch_run
from supply_assets.tasks.batch_context import open_batch_context
from supply_assets.tasks.batch_report import report_batch
from supply_assets.tasks.event_buffer import EventBuffer
from tests.bench.platform_process import platform_process
from tests.real_servers import MARIADB, POSTGRES, temporary_database

EXECUTION = 581
DEMANDS = 100
PARTS = 5
LATENCY_S = 0.02


class TimedBuffer(EventBuffer):
    """An event buffer that keeps when calls were on their way."""

    spans: ClassVar[list[tuple[float, float]]] = []
    open_calls: ClassVar[dict[str, float]] = {}
    calls: ClassVar[Counter[str]] = Counter()

    def record(self, event: ToolEvent) -> None:
        now = time.perf_counter()
        if event.event_type == "TOOL_CALL":
            self.open_calls[event.request_id] = now
            self.calls[event.tool] += 1
        elif event.event_type == "TOOL_RESULT" and event.request_id in self.open_calls:
            self.spans.append((self.open_calls.pop(event.request_id), now))
        super().record(event)


class CpuByParts:
    """Our own CPU seconds, user and system, over each fifth of a batch as its tasks end."""

    def __init__(self) -> None:
        self._marks = [time.process_time()]

    def __call__(self, outcome: batch_run.BatchOutcome) -> None:
        if len(outcome.standing) * PARTS >= len(self._marks) * outcome.wanted:
            self._marks.append(time.process_time())

    def a_task(self) -> float:
        """Of the median fifth: what is read once a process falls into the first."""
        return median(later - earlier for earlier, later in pairwise(self._marks)) * PARTS / DEMANDS


def measure(real_data: Path, folder: Path) -> dict[str, Any]:
    """Wall seconds, our CPU in all and a task, calls by tool, share of the wall time without a call on its way."""
    with (
        temporary_database(POSTGRES) as facts_url,
        temporary_database(MARIADB) as store_url,
        platform_process(LATENCY_S * 1000, corpus=real_data / "wechat") as platform,
    ):
        os.environ |= {
            "DEMAND_PATTERN_PG_DSN": facts_url.render_as_string(hide_password=False),
            "DEMAND_CONTENT_MYSQL_DSN": store_url.render_as_string(hide_password=False),
            "SUPPLY_STORE_MYSQL_DSN": store_url.render_as_string(hide_password=False),
            "SUPPLY_PLATFORM_URL": platform,
            "PATTERN2PLAN_HOME": str(folder),
        }
        load_facts(real_data / "pattern_v2", facts_url)
        upgrade_demand_store(open_store(read_settings()))
        upgrade_supply_store(open_supply_store(read_supply_settings()))
        _publish(folder)
        return _batch(platform)


def _publish(folder: Path) -> None:
    request = make_request(execution_id=EXECUTION, count=DEMANDS, run_label="bench")
    here = Path.cwd()
    os.chdir(folder)
    try:
        run_execution("mysql_demand_content", request, RunEnvironment(read_settings()))
    finally:
        os.chdir(here)


def _batch(platform: str) -> dict[str, Any]:
    settings = read_supply_settings()
    store = open_supply_store(settings)
    taking = IntakeContext(store, SystemClock(), RandomIds(), str(EXECUTION), make_options())
    facts = open_facts(read_settings())
    batch_run.EventBuffer = TimedBuffer  # type: ignore[misc]
    started = time.perf_counter()
    intake = take_in_execution(taking, open_store(read_settings()), facts, EXECUTION)
    intake_s = time.perf_counter() - started
    task_ids = [task.task_id for task in intake.tasks]
    started, cpu = time.perf_counter(), time.process_time()
    parts = CpuByParts()
    with open_batch_context(settings) as around:
        outcome = batch_run.advance_batch(around, task_ids, on_progress=parts)
    wall, cpu = time.perf_counter() - started, time.process_time() - cpu
    report = report_batch(store, task_ids, len(intake.refusals))
    on_platform = httpx2.get(f"{platform}/admin/plans", timeout=30).json()["created"]
    facts.close()
    store.close()
    calls = sum(TimedBuffer.calls.values())
    return {
        "demands": DEMANDS,
        "intake_s": intake_s,
        "wall_s": wall,
        "cpu_s": cpu,
        "cpu_s_a_task": parts.a_task(),
        "calls": dict(TimedBuffer.calls),
        "calls_times_latency_by_concurrency_s": calls * LATENCY_S / settings.tool_concurrency,
        "share_outside_http": 1 - _covered(TimedBuffer.spans) / wall,
        "standing": outcome.counts,
        "funnel": report.funnel,
        "shortfall": report.shortfall,
        "plans_on_platform": on_platform,
    }


def _covered(spans: list[tuple[float, float]]) -> float:
    """Seconds in which at least one span was open."""
    covered, end = 0.0, 0.0
    for start, stop in sorted(spans):
        covered += max(0.0, stop - max(start, end))
        end = max(end, stop)
    return covered
