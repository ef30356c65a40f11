"""The sensor that takes up again what stands still; off until turned on.

It asks for a run of the batch's own job that takes nothing in: the tasks that are there go on where they stopped.
"""

import time

import dagster as dg

from resources.clock import SystemClock
from resources.configurable import SupplyStoreResource
from resources.errors import SettingsError, StoreUnwritable, UsageError
from resources.supply_settings import read_supply_settings
from resources.supply_store.stuck_tasks import PATIENCE_AFTER_FAILURE, StuckBatch, stuck_batches
from supply_assets.batches import parse_batch_key
from supply_assets.jobs import batch_job, request_job
from supply_assets.partitions import DEMAND_BATCHES
from supply_assets.stages.create_plan import PLAN_UNKNOWN

MAX_BATCHES_A_TICK = 20
LOOKED_AT = 200
BUDGET_S = 20
UNFINISHED = [
    dg.DagsterRunStatus.QUEUED,
    dg.DagsterRunStatus.NOT_STARTED,
    dg.DagsterRunStatus.STARTING,
    dg.DagsterRunStatus.STARTED,
    dg.DagsterRunStatus.CANCELING,
]


@dg.sensor(
    jobs=[batch_job, request_job],
    minimum_interval_seconds=60,
    default_status=dg.DefaultSensorStatus.STOPPED,
    description=f"Runs batches again whose tasks stand still and are no longer worked on, at most {MAX_BATCHES_A_TICK} "
    "a tick. Held and frozen tasks wait for a person or for the facts.",
)
def stuck_tasks(
    context: dg.SensorEvaluationContext, supply_store: SupplyStoreResource
) -> dg.SensorResult | dg.SkipReason:
    """One run a batch and standstill; says why where it asks for none."""
    try:
        settings = read_supply_settings()
        with supply_store.open_for_a_tick() as store, store.reading() as connection:
            now = SystemClock().now()
            found = stuck_batches(connection, now, settings.stuck_after_s, PLAN_UNKNOWN, LOOKED_AT)
    except (StoreUnwritable, SettingsError) as error:
        return dg.SkipReason(f"the supply store could not be read: {error}")
    if not found:
        return dg.SkipReason(f"no task has stood still for {settings.stuck_after_s:.0f} s")
    # The same standstill is tried again after a while: a run may have failed before it touched a task.
    period = int(now.timestamp() // (PATIENCE_AFTER_FAILURE * settings.stuck_after_s))
    requests = _requests(context, found, period)
    if not requests:
        return dg.SkipReason(f"{len(found)} batches stand still and have a run already")
    keys = [str(request.partition_key) for request in requests]
    known = set(context.instance.get_dynamic_partitions(str(DEMAND_BATCHES.name)))
    fresh = [key for key in keys if key not in known]
    context.log.info(
        f"{sum(batch.tasks for batch in found)} tasks of {len(found)} batches stand still: {keys} run again"
    )
    return dg.SensorResult(
        run_requests=requests,
        dynamic_partitions_requests=[DEMAND_BATCHES.build_add_request(fresh)] if fresh else [],
    )


def _requests(context: dg.SensorEvaluationContext, found: list[StuckBatch], period: int) -> list[dg.RunRequest]:
    deadline = time.monotonic() + BUDGET_S
    requests: list[dg.RunRequest] = []
    for batch in found:
        if len(requests) == MAX_BATCHES_A_TICK or time.monotonic() > deadline:
            break
        try:
            execution_id = parse_batch_key(batch.batch)
        except UsageError as error:
            context.log.warning(str(error))
            continue
        if _has_a_run(context.instance, batch.batch):
            continue
        job = batch_job if execution_id is not None else request_job
        requests.append(
            dg.RunRequest(
                run_key=f"{batch.batch}:{batch.moved_at:%Y%m%dT%H%M%S}:{period}",
                partition_key=batch.batch,
                job_name=job.name,
                run_config={"resources": {"supply_request": {"config": {"only_standing": True}}}},
                tags={"stuck_tasks": str(batch.tasks)},
            )
        )
    return requests


def _has_a_run(instance: dg.DagsterInstance, batch: str) -> bool:
    filters = dg.RunsFilter(statuses=UNFINISHED, tags={"dagster/partition": batch})
    return bool(instance.get_run_ids(filters, limit=1))
