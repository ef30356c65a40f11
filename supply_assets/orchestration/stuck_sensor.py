"""The sensor that takes up again what stands still; off until turned on.

It asks for a run of the batch's own job that takes nothing in: the tasks that are there go on where they stopped.
"""

import time
from datetime import UTC, datetime
from typing import NamedTuple

import dagster as dg

from resources.databases.supply_store.tasks.stuck_tasks import PATIENCE_AFTER_FAILURE, StuckBatch, stuck_batches
from resources.foundation.errors import SettingsError, StoreUnwritable, UsageError
from resources.platform.configurable import ClockResource, SupplyStoreResource
from supply_assets.intake.batches import parse_batch_key
from supply_assets.orchestration.content_platform import ContentPlatformResource
from supply_assets.orchestration.jobs import batch_job, request_job
from supply_assets.orchestration.partitions import DEMAND_BATCHES
from supply_assets.orchestration.registry import ASSETS
from supply_assets.stages.create_plan import PLAN_UNKNOWN

MAX_BATCHES_A_TICK = 20
LOOKED_AT = 5_000
BUDGET_S = 20
LATEST_RUNS = 20
REASONS_SHOWN = 10
MOST_TRIES = 5
"""Runs in a row that move nothing, after which a batch waits for a person: what fails it does not pass by itself."""
UNFINISHED = [
    dg.DagsterRunStatus.QUEUED,
    dg.DagsterRunStatus.NOT_STARTED,
    dg.DagsterRunStatus.STARTING,
    dg.DagsterRunStatus.STARTED,
    dg.DagsterRunStatus.CANCELING,
]


class Waits(NamedTuple):
    """Pauses between runs that move nothing: ``first_s`` seconds after the first, twice as long after each further."""

    now: datetime
    first_s: float

    def left_s(self, tries: int, last_created_s: float) -> float:
        """Seconds until the next run may start, by when the last was created (s since 1970)."""
        return last_created_s + self.first_s * float(2 ** (tries - 1)) - self.now.timestamp()


@dg.sensor(
    jobs=[batch_job, request_job],
    minimum_interval_seconds=60,
    default_status=dg.DefaultSensorStatus.STOPPED,
    description=f"Runs batches again whose tasks stand still and are no longer worked on, at most {MAX_BATCHES_A_TICK} "
    "a tick. Held, frozen and cancelled ones wait for a person or for the facts.",
)
def stuck_tasks(
    context: dg.SensorEvaluationContext,
    supply_store: SupplyStoreResource,
    content_platform: ContentPlatformResource,
    clock: ClockResource,
) -> dg.SensorResult | dg.SkipReason:
    """One run a batch and standstill; says why where it asks for none."""
    try:
        stuck_after_s, now = content_platform.standstill_s(), clock.clock().now()
        with supply_store.open_for_a_tick() as store, store.reading() as connection:
            found = stuck_batches(connection, now, stuck_after_s, PLAN_UNKNOWN, LOOKED_AT)
    except (StoreUnwritable, SettingsError) as error:
        return dg.SkipReason(f"the supply store could not be read: {error}")
    if not found:
        return dg.SkipReason(f"no task has stood still for {stuck_after_s:.0f} s")
    start = int(context.cursor or 0) % len(found)
    waits = Waits(now, PATIENCE_AFTER_FAILURE * stuck_after_s)
    requests, left_alone, looked_at = _requests(context.instance, found[start:] + found[:start], waits)
    # What is left alone today stays in front for ever: the next tick begins behind it.
    cursor = str(start + looked_at)
    if not requests:
        context.update_cursor(cursor)
        return dg.SkipReason(f"{len(found)} batches stand still and none is run: {_first_reasons(left_alone)}")
    keys = [str(request.partition_key) for request in requests]
    known = set(context.instance.get_dynamic_partitions(str(DEMAND_BATCHES.name)))
    fresh = [key for key in keys if key not in known]
    context.log.info(
        f"{sum(batch.tasks for batch in found)} tasks of {len(found)} batches stand still: {keys} run again; "
        f"left alone: {_first_reasons(left_alone) or 'none'}"
    )
    return dg.SensorResult(
        run_requests=requests,
        dynamic_partitions_requests=[DEMAND_BATCHES.build_add_request(fresh)] if fresh else [],
        cursor=cursor,
    )


def _requests(
    instance: dg.DagsterInstance, found: list[StuckBatch], waits: Waits
) -> tuple[list[dg.RunRequest], list[str], int]:
    """A run for each batch that may have one, why the others may not, and how many batches were looked at."""
    deadline = time.monotonic() + BUDGET_S
    requests: list[dg.RunRequest] = []
    left_alone: list[str] = []
    for place, batch in enumerate(found):
        if len(requests) == MAX_BATCHES_A_TICK or time.monotonic() > deadline:
            left_alone.insert(0, f"{len(found) - place} more wait for the next ticks")
            return requests, left_alone, place
        try:
            execution_id = parse_batch_key(batch.batch)
        except UsageError as error:
            left_alone.append(error.message)
            continue
        tried = _tried(instance, batch, waits)
        if isinstance(tried, str):
            left_alone.append(f"{batch.batch} {tried}")
            continue
        job = batch_job if execution_id is not None else request_job
        requests.append(
            dg.RunRequest(
                run_key=f"{batch.batch}:{batch.moved_at:%Y%m%dT%H%M%S}:{tried}",
                partition_key=batch.batch,
                job_name=job.name,
                run_config={"resources": {"supply_request": {"config": {"only_standing": True}}}},
                tags={"stuck_tasks": str(batch.tasks)},
            )
        )
    return requests, left_alone, len(found)


def _tried(instance: dg.DagsterInstance, batch: StuckBatch, waits: Waits) -> int | str:
    """How many runs ended since the batch last moved, where it may have one more; else why it may not.

    A run works on it, a person ended the last (DG11), it would change nothing, or ``MOST_TRIES`` runs in a row moved
    nothing; between two of these is twice as long as before.
    """
    tags = {"dagster/partition": batch.batch}
    if instance.get_run_ids(dg.RunsFilter(statuses=UNFINISHED, tags=tags), limit=1):
        return "has an unfinished run"
    records = instance.get_run_records(dg.RunsFilter(tags=tags), limit=LATEST_RUNS)
    of_half = [record for record in records if _is_of_this_half(record.dagster_run)]
    if not of_half:
        return 0
    last = of_half[0]
    run, created = last.dagster_run, last.create_timestamp.timestamp()
    if run.status is dg.DagsterRunStatus.CANCELED or created * 1000 <= (batch.revoked_ms or 0):
        return f"was cancelled, last with run {run.run_id}: launch its partition when it shall go on"
    if run.is_success and created > batch.moved_at.replace(tzinfo=UTC).timestamp():
        return f"was left as it is by run {run.run_id}: see what it refused"
    moved = batch.moved_at.replace(tzinfo=UTC)
    tries = sum(record.create_timestamp > moved for record in of_half)
    if tries >= MOST_TRIES:
        return f"did not move in {tries} runs, last {run.run_id}: see why it failed, then launch its partition"
    left_s = waits.left_s(tries, last.create_timestamp.timestamp()) if tries else 0
    return f"is run again in {left_s:.0f} s" if left_s > 0 else tries


def _is_of_this_half(run: dg.DagsterRun) -> bool:
    """Partitions of both halves have the same keys; runs of single assets have no job of their own."""
    selected = {key.to_user_string() for key in run.asset_selection or ()}
    return run.job_name in (batch_job.name, request_job.name) or bool(selected & ASSETS.keys())


def _first_reasons(reasons: list[str]) -> str:
    shown = reasons[:REASONS_SHOWN]
    return "; ".join([*shown, *([f"and {len(reasons) - len(shown)} more"] if len(reasons) > len(shown) else [])])
