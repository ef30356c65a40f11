"""Checks of a run that was wrongly asked for: each says so on the run's own partition.

Dagster shows a check that a failed run planned and never evaluated as red and without a partition, over the verdict of
the partition that was looked at before.
"""

from __future__ import annotations

import dagster as dg
from dagster import AssetCheckEvaluation, DagsterEvent, DagsterEventType

VERDICT = "verdict"
NOT_LOOKED_AT = "not looked at"
MOST_CHECKS = 500


def say_not_looked_at(context: dg.AssetExecutionContext, reason: str) -> None:
    """Record for each check that the run planned that nothing was evaluated, and why; a warning, never a pass."""
    if not context.has_partition_key:
        return
    run = context.run
    planned = context.instance.get_records_for_run(
        run.run_id, of_type=DagsterEventType.ASSET_CHECK_EVALUATION_PLANNED, limit=MOST_CHECKS
    ).records
    for record in planned:
        event = record.event_log_entry.dagster_event
        if event is None:
            continue
        key = event.asset_check_planned_data.asset_check_key
        evaluation = AssetCheckEvaluation(
            asset_key=key.asset_key,
            check_name=key.name,
            passed=False,
            severity=dg.AssetCheckSeverity.WARN,
            description=f"没有检查：{reason}",
            metadata={VERDICT: NOT_LOOKED_AT},
            partition=context.partition_key,
        )
        context.instance.report_dagster_event(
            DagsterEvent(
                event_type_value=DagsterEventType.ASSET_CHECK_EVALUATION.value,
                job_name=run.job_name,
                event_specific_data=evaluation,
                step_key=event.step_key,
            ),
            run.run_id,
        )


def was_not_looked_at(evaluation: AssetCheckEvaluation) -> bool:
    """Whether the check only says that its run was wrongly asked for, which the failed run says itself."""
    verdict = evaluation.metadata.get(VERDICT)
    return verdict is not None and verdict.value == NOT_LOOKED_AT
