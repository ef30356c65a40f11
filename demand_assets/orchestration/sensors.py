"""The sensor on new successful executions (field reports DG4, DG5, DG7, DG8, DG10, DG16); off until turned on.

It compares the set of successful executions with the set it has asked runs for, so that neither a late commit nor an
execution that completes out of order is lost to a watermark. The cursor holds, for each execution, a short hash of
``updated_at``: an execution that is delivered again under another time gets a new run.
"""

import zlib
from typing import NamedTuple

import dagster as dg

from demand_assets.orchestration.jobs import mysql_job
from demand_assets.orchestration.partitions import EXECUTIONS
from resources.databases.pattern_facts.listing import list_successful_executions
from resources.foundation import strict_json
from resources.foundation.errors import FactsUnreadable, SettingsError, UsageError
from resources.foundation.ids import execution_key
from resources.platform.configurable import PatternFactsResource

MAX_NEW_A_TICK = 50
REASONS_SHOWN = 10


class Delivery(NamedTuple):
    """One successful execution as delivered: its partition key and the version of this delivery."""

    key: str
    version: str


@dg.sensor(
    job=mysql_job,
    minimum_interval_seconds=30,
    default_status=dg.DefaultSensorStatus.STOPPED,
    description=f"Registers new successful executions and starts one run each, at most {MAX_NEW_A_TICK} a tick.",
)
def new_executions(context: dg.SensorEvaluationContext, facts: PatternFactsResource) -> dg.SensorResult | dg.SkipReason:
    """One run an execution and delivery; says why where it asks for none."""
    try:
        with facts.open_for_a_tick() as database, database.snapshot() as snapshot:
            found = list_successful_executions(snapshot)
    except (FactsUnreadable, SettingsError) as error:
        return dg.SkipReason(f"the facts could not be read, the cursor stays where it was: {error}")
    asked: dict[str, str] = strict_json.loads(context.cursor) if context.cursor else {}
    deliveries, refused = _deliveries(found)
    if refused:
        context.log.warning(f"{len(refused)} executions are passed over: {'; '.join(refused[:REASONS_SHOWN])}")
    fresh = [delivery for delivery in deliveries if asked.get(delivery.key) != delivery.version]
    if not fresh:
        return dg.SkipReason(_nothing_new(len(deliveries)))
    now = fresh[:MAX_NEW_A_TICK]
    waiting = len(fresh) - len(now)
    context.log.info(f"{len(now)} new executions, {waiting} wait for the next ticks, {len(asked)} were asked before")
    return dg.SensorResult(
        run_requests=[_run_request(delivery) for delivery in now],
        dynamic_partitions_requests=[EXECUTIONS.build_add_request([delivery.key for delivery in now])],
        cursor=strict_json.dumps(asked | dict(now)),
    )


def _deliveries(found: list[tuple[int, str | None]]) -> tuple[list[Delivery], list[str]]:
    """Each execution once, with the latest version; ids that cannot be keys, with the reason."""
    versions: dict[str, str] = {}
    refused = []
    for execution_id, updated_at in found:
        try:
            versions[execution_key(execution_id)] = f"{zlib.crc32((updated_at or '').encode()):08x}"
        except UsageError as error:
            refused.append(str(error))
    return [Delivery(key, version) for key, version in versions.items()], refused


def _run_request(delivery: Delivery) -> dg.RunRequest:
    label = f"execution_{delivery.key}_{delivery.version}"
    return dg.RunRequest(
        run_key=f"{delivery.key}:{delivery.version}",
        partition_key=delivery.key,
        run_config={"resources": {"demand_request": {"config": {"run_label": label}}}},
        tags={"execution_id": delivery.key, "delivery": delivery.version},
    )


def _nothing_new(known: int) -> str:
    if known == 0:
        return "there is no successful execution yet"
    return (
        f"no new successful execution among {known}; to run one again, change its updated_at, "
        "reset this sensor's cursor and delete the old runs, or launch the job for its partition"
    )
