"""What is read of each database and the gauges it becomes: the cheap first, so that a slow one costs no other."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta

from prometheus_client.core import GaugeMetricFamily
from sqlalchemy import Connection

from lineage.metrics.families import gauge, gauges
from resources.databases.demand_store.measures import published_count
from resources.databases.pattern_facts.measures import executions_by_status
from resources.databases.supply_store.measures import call_measures
from resources.databases.supply_store.measures import task_measures as measures
from resources.databases.supply_store.measures.outstanding import OutstandingTasks, outstanding_tasks
from resources.foundation.clock import epoch_ms
from supply_assets.normalisation.times import read_time
from supply_assets.stages.create_plan import PLAN_UNKNOWN

WINDOW = timedelta(hours=1)
Reading = Callable[[Connection, datetime], Iterator[GaugeMetricFamily]]


def supply_reading(connection: Connection, now: datetime) -> Iterator[GaugeMetricFamily]:
    """Tasks, leases, plans, calls of the last hour, candidates."""
    states = measures.tasks_by_state(connection)
    yield gauges("tasks", "Supply tasks by status and current stage.", ["status", "stage"], states)
    yield from _open_tasks(connection, now)
    failed = {(code,): number for code, number in measures.failed_by_code(connection).items()}
    yield gauges("tasks_failed", "Supply tasks that stand FAILED, by error code.", ["error_code"], failed)
    plans = {(status,): number for status, number in measures.plans_by_status(connection).items()}
    yield gauges("plans", "Crawler plans by status; INTENDED is written down and not yet made.", ["status"], plans)
    left = outstanding_tasks(connection, PLAN_UNKNOWN)
    yield gauges(
        "outstanding",
        "What is left to do, by kind: bindings that failed, tasks given up, failed, held, frozen or waiting.",
        ["kind"],
        {(kind,): sum(getattr(batch, kind) for batch in left) for kind in OutstandingTasks._fields[1:]},
    )
    yield from _calls(connection, now - WINDOW)
    selected = measures.selected_count(connection)
    yield gauge("selected_articles", "Articles that are selected, over all tasks.", selected)
    yield gauge("candidates", "Candidates in the pools of all tasks.", measures.candidate_count(connection))


def _open_tasks(connection: Connection, now: datetime) -> Iterator[GaugeMetricFamily]:
    made = measures.oldest_unfinished(connection)
    yield gauge(
        "oldest_unfinished_task_age_seconds",
        "Age of the oldest task that has neither ended nor failed; 0 where there is none.",
        0 if made is None else _age(made, now),
    )
    found = measures.open_tasks(connection, now)
    yield gauge("tasks_held", "Open tasks that a person holds: no plan is made.", found.held)
    yield gauge("tasks_frozen", "Open tasks whose demand today's facts do not prove: no plan is made.", found.frozen)
    leases = {("in_use",): found.leases_in_use, ("run_out",): found.leases_run_out}
    yield gauges("leases", "Leases of workers on tasks; run out are those of workers that are gone.", ["state"], leases)
    ran_out = found.oldest_run_out_ms
    yield gauge(
        "oldest_run_out_lease_age_seconds",
        "Seconds since the oldest lease ran out that nobody took over; 0 where there is none.",
        0 if ran_out is None else max(0, epoch_ms(now) - ran_out) / 1000,
    )


def _calls(connection: Connection, since: datetime) -> Iterator[GaugeMetricFamily]:
    yield gauges(
        "calls_last_hour",
        "Calls of the platform and the plan service that ended within the last hour.",
        ["tool", "provider", "outcome", "error_code"],
        {row[:4]: row.number for row in call_measures.calls_since(connection, since)},
    )
    yield gauges(
        "call_retries_last_hour",
        "Attempts that were repeated or handed to the next provider within the last hour.",
        ["tool", "provider", "error_code"],
        {row[:3]: row.number for row in call_measures.repeats_since(connection, since)},
    )
    yield gauges(
        "call_duration_last_hour_seconds",
        "Nearest-rank quantiles of how long the calls of the last hour took, repeats and pauses included.",
        ["tool", "quantile"],
        {
            (row.tool, str(percent / 100)): seconds
            for row in call_measures.durations_since(connection, since)
            for percent, seconds in zip(call_measures.PERCENTILES, row.seconds, strict=True)
        },
    )
    yield gauges(
        "breaker_open",
        "1 where the last thing said of a provider's breaker within the hour is that it opened, else 0.",
        ["tool", "provider"],
        {row[:2]: int(row.is_open) for row in call_measures.breakers_since(connection, since)},
    )


def demand_reading(connection: Connection, _now: datetime) -> Iterator[GaugeMetricFamily]:
    """Published rows."""
    yield gauge("demand_content_rows", "Published rows of demand_content.", published_count(connection))


def facts_reading(connection: Connection, now: datetime) -> Iterator[GaugeMetricFamily]:
    """Executions, and how old the newest is; one whose time cannot be read has no age."""
    found = executions_by_status(connection)
    numbers = {(row.status or "",): row.number for row in found}
    yield gauges("executions", "Executions of pattern mining by status.", ["status"], numbers)
    instants = [instant for row in found if (instant := _instant(row.newest, now)) is not None]
    if instants:
        says = "Age of the newest execution; times without a zone are Asia/Shanghai's."
        yield gauge("newest_execution_age_seconds", says, _age(max(instants), now))


def _instant(value: object, now: datetime) -> datetime | None:
    text = value.isoformat(sep=" ") if isinstance(value, datetime) else value
    return read_time(text, now=now).instant if isinstance(text, str) else None


def _age(then: datetime, now: datetime) -> float:
    return max(0.0, (now - then).total_seconds())
