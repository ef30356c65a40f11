"""The sensor that makes a demand batch of every execution whose demands were published; off until turned on.

It only registers the key: whether and when the batch runs is what the automation condition of the assets says.
"""

import dagster as dg

from resources.foundation import strict_json
from resources.foundation.errors import UsageError
from resources.settings.demand import OutputMode
from supply_assets.intake.batches import parse_batch_key
from supply_assets.orchestration.partitions import DEMAND_BATCHES

DEMAND_CONTENT = dg.AssetKey("demand_content")
LOCAL: OutputMode = "local_json"
MAX_NEW_A_TICK = 50
EVENTS_A_TICK = 500
REASONS_SHOWN = 10
SUPPLY_AUTOMATION = dg.AutomationConditionSensorDefinition(
    "supply_automation",
    target=dg.AssetSelection.all(),
    minimum_interval_seconds=20,
    default_status=dg.DefaultSensorStatus.STOPPED,
    description="Runs the assets of this location when their named condition holds: a batch when the blocking checks "
    "of its demands are green, demand_standing after each look at drift.",
)


@dg.sensor(
    name="demand_batches",
    target=dg.AssetSelection.assets("demand_snapshots", "supply_tasks"),
    minimum_interval_seconds=30,
    default_status=dg.DefaultSensorStatus.STOPPED,
    description=f"Registers a demand batch for each execution that was published, at most {MAX_NEW_A_TICK} a tick.",
)
def demand_batches(context: dg.SensorEvaluationContext) -> dg.SensorResult | dg.SkipReason:
    """New keys by set difference; says why where there is none.

    The cursor holds what was written to files alone, with the event that said so: such an execution has no rows yet.
    """
    instance = context.instance
    published = instance.get_materialized_partitions(DEMAND_CONTENT)
    unknown = published - set(instance.get_dynamic_partitions(str(DEMAND_BATCHES.name)))
    keys = _executions(context, unknown)
    if not keys:
        return dg.SkipReason(f"no newly published execution among {len(published)}")
    latest = instance.get_latest_storage_id_by_partition(DEMAND_CONTENT, dg.DagsterEventType.ASSET_MATERIALIZATION)
    in_files: dict[str, int] = strict_json.loads(context.cursor) if context.cursor else {}
    in_files = {key: event for key, event in in_files.items() if key in unknown and latest.get(key) == event}
    fresh = [key for key in keys if key not in in_files]
    looked_at = fresh[:MAX_NEW_A_TICK]
    without_rows = _without_rows(instance, looked_at)
    in_files |= {key: latest[key] for key in without_rows}
    now = [key for key in looked_at if key not in without_rows]
    waiting = f"{len(fresh) - len(looked_at)} wait for the next ticks, {len(in_files)} were written to files alone"
    if not now:
        context.update_cursor(strict_json.dumps(in_files))
        return dg.SkipReason(f"no newly published execution among {len(published)}: {waiting}")
    return dg.SensorResult(
        # It asks for no run, which Dagster calls a skip: this is what the tick then says.
        skip_reason=f"{len(now)} new demand batches are registered, {waiting}",
        dynamic_partitions_requests=[DEMAND_BATCHES.build_add_request(now)],
        cursor=strict_json.dumps(in_files),
    )


def _without_rows(instance: dg.DagsterInstance, keys: list[str]) -> set[str]:
    """Executions of which every materialization says that it wrote files; one query, and none is passed over unseen."""
    if not keys:
        return set()
    wanted = dg.AssetRecordsFilter(DEMAND_CONTENT, asset_partitions=keys)
    records = instance.fetch_materializations(wanted, limit=EVENTS_A_TICK).records
    if len(records) == EVENTS_A_TICK:
        return set()
    elsewhere = {record.partition_key for record in records if not _is_local(record)}
    return {str(record.partition_key) for record in records if record.partition_key not in elsewhere}


def _is_local(record: dg.EventLogRecord) -> bool:
    materialization = record.asset_materialization
    mode = materialization.metadata.get("output_mode") if materialization else None
    return mode is not None and mode.value == LOCAL


def _executions(context: dg.SensorEvaluationContext, keys: set[str]) -> list[str]:
    """Keys that name an execution, in order; the first of the others are told."""
    found, refused = [], []
    for key in sorted(keys):
        try:
            if parse_batch_key(key) is not None:
                found.append(key)
        except UsageError as error:
            refused.append(error.message)
    if refused:
        context.log.warning(f"{len(refused)} keys are passed over: {'; '.join(refused[:REASONS_SHOWN])}")
    return found
