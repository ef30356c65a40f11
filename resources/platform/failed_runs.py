"""Which runs of a location ended since a moment, and what in them is worth an alert."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

import dagster as dg
from dagster import AssetCheckEvaluation, DagsterEventType, DagsterRun
from dagster_shared.error import SerializableErrorInfo

from resources.alerts.message import MOST_COUNTS, Alert, line
from resources.dagster_api.first_error import FIX, NOTHING, Failure, first_error
from resources.platform.unevaluated_checks import was_not_looked_at

ENDED = [dg.DagsterRunStatus.SUCCESS, dg.DagsterRunStatus.FAILURE, dg.DagsterRunStatus.CANCELED]
REPOSITORY, PARTITION, WILL_RETRY = ".dagster/repository", "dagster/partition", "dagster/will_retry"
MOST_EVENTS = 500


def ended_runs(instance: dg.DagsterInstance, location: str, since: float, limit: int) -> list[dg.RunRecord]:
    """Runs of the location whose record changed after ``since`` (seconds since 1970), in that order."""
    filters = dg.RunsFilter(
        statuses=ENDED,
        tags={REPOSITORY: f"__repository__@{location}"},
        updated_after=datetime.fromtimestamp(since, UTC),
    )
    return list(instance.get_run_records(filters, limit=limit, order_by="update_timestamp", ascending=True))


def alerts_of(instance: dg.DagsterInstance, location: str, run: DagsterRun) -> Iterator[Alert]:
    """The failed run itself, unless Dagster launches it anew, then each check that failed in it."""
    if run.status is dg.DagsterRunStatus.FAILURE and run.tags.get(WILL_RETRY) != "true":
        yield _failed_run(instance, location, run)
    events = instance.get_records_for_run(
        run.run_id, of_type=DagsterEventType.ASSET_CHECK_EVALUATION, limit=MOST_EVENTS
    ).records
    for event in events:
        evaluation = event.event_log_entry.asset_check_evaluation
        if evaluation is not None and not evaluation.passed and not was_not_looked_at(evaluation):
            yield _failed_check(location, run, evaluation)


def _failed_run(instance: dg.DagsterInstance, location: str, run: DagsterRun) -> Alert:
    partition = run.tags.get(PARTITION)
    error, fix = first_error(_failures(instance, run.run_id))
    error = error or NOTHING
    where = f" of {partition}" if partition else ""
    return Alert(
        kind="run_failed",
        text=line(f"run of {run.job_name}{where} failed: {error}"),
        location=location,
        run_id=run.run_id,
        job=run.job_name,
        partition=partition,
        error=line(error),
        what_to_do=line(fix) if fix else None,
        link=f"/runs/{run.run_id}",
    )


def _failures(instance: dg.DagsterInstance, run_id: str) -> Iterator[Failure]:
    records = instance.get_records_for_run(
        run_id, of_type={DagsterEventType.STEP_FAILURE, DagsterEventType.RUN_FAILURE}, limit=MOST_EVENTS
    ).records
    for record in records:
        event = record.event_log_entry.dagster_event
        if event is None or event.event_type is not DagsterEventType.STEP_FAILURE:
            yield Failure(None, told=record.event_log_entry.message)
            continue
        told, error = event.step_failure_data.user_failure_data, event.step_failure_data.error
        fix = told.metadata.get(FIX) if told else None
        yield Failure(
            event.step_key,
            (told.description or "") if told else "",
            tuple(cause.message for cause in _chain(error)),
            str(fix.value) if fix else None,
        )


def _chain(error: SerializableErrorInfo | None) -> Iterator[SerializableErrorInfo]:
    while error is not None:
        yield error
        error = error.cause


def _failed_check(location: str, run: DagsterRun, evaluation: AssetCheckEvaluation) -> Alert:
    asset, partition = evaluation.asset_key.to_user_string(), evaluation.partition or run.tags.get(PARTITION)
    named = {line(name): value.value for name, value in evaluation.metadata.items()}
    numbers = [(name, value) for name, value in named.items() if isinstance(value, int) and not isinstance(value, bool)]
    rules = evaluation.metadata.get("rule_ids_failed")
    where = f" of {partition}" if partition else ""
    return Alert(
        kind="check_failed",
        text=line(f"check {evaluation.check_name} on {asset}{where} failed: {evaluation.description or ''}"),
        location=location,
        run_id=run.run_id,
        job=run.job_name,
        partition=partition,
        asset=asset,
        check=evaluation.check_name,
        severity=evaluation.severity.value,
        rule_ids=line(str(rules.value)) if rules else None,
        counts=dict(numbers[:MOST_COUNTS]) or None,
        link=f"/assets/{asset}?view=checks&checkDetail={evaluation.check_name}",
    )
