"""The sensor that makes a demand batch of every execution whose demands were published; off until turned on.

It only registers the key: whether and when the batch runs is what the automation condition of the assets says.
"""

import dagster as dg

from resources.errors import UsageError
from supply_assets.batches import parse_batch_key
from supply_assets.partitions import DEMAND_BATCHES

DEMAND_CONTENT = dg.AssetKey("demand_content")
MAX_NEW_A_TICK = 50
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
    """New keys by set difference; says why where there is none."""
    published = context.instance.get_materialized_partitions(DEMAND_CONTENT)
    known = set(context.instance.get_dynamic_partitions(str(DEMAND_BATCHES.name)))
    fresh = sorted(key for key in published - known if _is_execution(context, key))
    if not fresh:
        return dg.SkipReason(f"no newly published execution among {len(published)}")
    now = fresh[:MAX_NEW_A_TICK]
    context.log.info(f"{len(now)} new demand batches, {len(fresh) - len(now)} wait for the next ticks")
    return dg.SensorResult(dynamic_partitions_requests=[DEMAND_BATCHES.build_add_request(now)])


def _is_execution(context: dg.SensorEvaluationContext, key: str) -> bool:
    try:
        return parse_batch_key(key) is not None
    except UsageError as error:
        context.log.warning(str(error))
        return False
