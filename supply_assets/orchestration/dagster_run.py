"""What the steps of the supply location share: what a launch may ask for, the batch, and advancing its tasks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import dagster as dg
from pydantic import Field

from resources.databases.supply_store.engine import SupplyStore
from resources.databases.supply_store.states import Stage, TaskStatus
from resources.databases.supply_store.tasks.tasks import read_tasks
from resources.foundation.clock import Clock
from resources.foundation.errors import RunEnded, UsageError
from resources.platform.configurable import ClockResource
from resources.platform.failures import product_errors
from resources.platform.launch_fields import config_values, takes_config_of
from resources.settings.supply import read_supply_settings
from supply_assets.intake.batches import parse_batch_key
from supply_assets.intake.request import SupplyOptions, SupplyRequest, make_options, read_launched_requests
from supply_assets.tasks.batch_context import BatchContext
from supply_assets.tasks.batch_run import BatchOutcome, advance_batch
from supply_assets.tasks.task_run import ORDER, Advance

FIRST_OF_STEP: Mapping[Stage, Stage] = {Stage.RECALL: Stage.INIT, Stage.ACCOUNT_PROFILE: Stage.ACCOUNT_ENRICH}
"""The first stage of a step that is for two, by the last one."""


@takes_config_of(SupplyOptions)
class SupplyRequestResource(dg.ConfigurableResource):  # type: ignore[type-arg]
    """What a launch may ask for beside the fields of ``SupplyOptions``; the batch is the partition."""

    request_file: str | None = Field(
        default=None,
        description="JSON requests of an ad-hoc batch, a file below SUPPLY_REQUEST_DIR; without it the batch goes on.",
    )
    only_standing: bool = Field(default=False, description="Take nothing in: go on with the tasks of the batch.")

    def options(self) -> SupplyOptions:
        """The options of a run.

        Raises:
            UsageError: a field is outside what it takes.
        """
        return make_options(**config_values(self, SupplyOptions))

    def requests(self) -> list[SupplyRequest]:
        """Requests of an ad-hoc batch.

        Raises:
            UsageError: no file is named, or it lies outside ``SUPPLY_REQUEST_DIR`` or cannot be read.
        """
        if self.request_file is None:
            raise UsageError(
                "an adhoc- batch needs its requests",
                "in the launchpad: resources: {supply_request: {config: {request_file: PATH}}}",
            )
        return read_launched_requests(Path(self.request_file), read_supply_settings())


@dataclass(frozen=True)
class BatchStep:
    """The batch of a step: its key, its execution (``None`` for an ad-hoc one), time, and when the run was created."""

    key: str
    execution_id: int | None
    clock: Clock
    since: datetime | None = None


@contextmanager
def batch_step(context: dg.AssetExecutionContext, clock: ClockResource) -> Iterator[BatchStep]:
    """The step's batch; a product error inside becomes a failed step with one line and its fix.

    Raises:
        dg.Failure: any product error.
        dg.RetryRequested: a service could not be reached, and the step was tried less than three times.
    """
    with product_errors(context):
        since = _created(context)
        yield BatchStep(context.partition_key, parse_batch_key(context.partition_key), clock.clock(), since)


def _created(context: dg.AssetExecutionContext) -> datetime | None:
    """When the step's run was created; a run whose process outlived its cancellation begins no further step (DG11).

    Raises:
        RunEnded: the run is over for Dagster.
    """
    record = context.instance.get_run_record_by_id(context.run.run_id)
    if record is None:
        return None
    if record.dagster_run.is_finished:
        raise RunEnded(f"run {context.run.run_id} is {record.dagster_run.status.value} already", "start a new run")
    created: datetime = record.create_timestamp
    return created.astimezone(UTC)


def steps_of_run(context: dg.AssetExecutionContext) -> frozenset[str]:
    """Keys of the steps that the run is to execute; none where its plan was not kept."""
    plan = context.run.execution_plan_snapshot_id
    return frozenset(context.instance.get_execution_plan_snapshot(plan).step_keys_to_execute if plan else ())


def advance(
    context: dg.AssetExecutionContext, batch_context: BatchContext, task_ids: Sequence[str], through: Stage
) -> BatchOutcome:
    """Advance the tasks of the batch up to and with a stage, telling how far it is.

    A task that failed before the step's own stages is left as it is: every step of a run would try it again at once,
    and one bad minute would use up all its tries.
    """
    failed = _failed_before(batch_context.store, task_ids, FIRST_OF_STEP.get(through, through))
    if failed:
        context.log.warning(f"{through}: {len(failed)} tasks failed in an earlier step, which tries them again")
    in_work = [task_id for task_id in task_ids if task_id not in failed]
    step = max(1, len(in_work) // 10)

    def report(outcome: BatchOutcome) -> None:
        if len(outcome.standing) % step == 0 or len(outcome.standing) == outcome.wanted:
            context.log.info(f"{through}: {len(outcome.standing)}/{outcome.wanted} tasks, {outcome.counts}")

    outcome = advance_batch(batch_context, in_work, through, report)
    outcome.standing.update(dict.fromkeys(failed, Advance.FAILED))
    return outcome


def _failed_before(store: SupplyStore, task_ids: Sequence[str], first: Stage) -> set[str]:
    with store.reading() as connection:
        tasks = read_tasks(connection, task_ids)
    return {
        task.task_id
        for task in tasks.values()
        if task.status is TaskStatus.FAILED and ORDER.index(task.current_stage) < ORDER.index(first)
    }
