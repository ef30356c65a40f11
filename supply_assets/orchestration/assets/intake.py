"""Taking a batch in: proven rows or requests become snapshots and tasks, in one step (S-002, S-003)."""

from collections import Counter
from collections.abc import Iterator

import dagster as dg
import pandas as pd

from resources.databases.pattern_facts.executions import require_usable
from resources.foundation.errors import UsageError
from resources.platform.configurable import (
    ClockResource,
    DemandStoreResource,
    IdsResource,
    PatternFactsResource,
    SupplyStoreResource,
)
from resources.platform.pools import PATTERN_FACTS
from resources.platform.views import bar_plot, count_table, frame_table
from supply_assets.intake.intake import Intake, IntakeContext, existing_tasks, take_in_execution, take_in_requests
from supply_assets.orchestration.content_platform import ContentPlatformResource
from supply_assets.orchestration.dagster_run import BatchStep, SupplyRequestResource, batch_step, steps_of_run
from supply_assets.orchestration.frames import demand_frame, task_frame
from supply_assets.orchestration.partitions import DEMAND_BATCHES
from supply_assets.orchestration.registry import presentation
from supply_assets.standing.resume import resume_batch

DEMAND_CONTENT = dg.AssetKey("demand_content")
SNAPSHOTS = dg.AssetKey("demand_snapshots")
LOGGED = 50
RECALL_STEP = "candidate_pool"
NOTHING = "没有已发布的需求，运行到此为止，不做检查 (no demand is published: the run ends here, before the checks)"


@dg.multi_asset(
    name="take_in_demands",
    outs={
        "demand_snapshots": dg.AssetOut(**presentation("demand_snapshots")),
        "supply_tasks": dg.AssetOut(**presentation("supply_tasks"), is_required=False),
    },
    deps=[dg.AssetDep(DEMAND_CONTENT, partition_mapping=dg.IdentityPartitionMapping())],
    internal_asset_deps={"demand_snapshots": {DEMAND_CONTENT}, "supply_tasks": {SNAPSHOTS}},
    partitions_def=DEMAND_BATCHES,
    pool=PATTERN_FACTS,
)
def take_in_demands(
    context: dg.AssetExecutionContext,
    facts: PatternFactsResource,
    demand_store: DemandStoreResource,
    supply_store: SupplyStoreResource,
    content_platform: ContentPlatformResource,
    supply_request: SupplyRequestResource,
    clock: ClockResource,
    ids: IdsResource,
) -> Iterator[dg.MaterializeResult[pd.DataFrame]]:
    """Prove every published row of the batch against today's facts, whatever ran before (S-002).

    Where nothing is published there are no tasks, and all that would look at them is skipped. A run that goes on to
    recall is refused before the first task stands if no platform is named: later runs would take its tasks up.
    """
    with batch_step(context, clock) as batch, supply_store.open() as store:
        if RECALL_STEP in steps_of_run(context):
            content_platform.require()
        intake_context = IntakeContext(store, batch.clock, ids.ids(), batch.key, supply_request.options())
        intake = _take_in(context, batch, intake_context, supply_request, facts, demand_store)
        with store.reading() as connection:
            demands = demand_frame(connection, intake)
    _log_refusals(context, intake)
    by_rule = dict(Counter(refusal.rule_id for refusal in intake.refusals).most_common())
    refused = demands[demands["state"] == "refused"][["demand_id", "rule_id", "reason"]]
    yield dg.MaterializeResult(
        asset_key="demand_snapshots",
        value=demands,
        metadata={
            "dagster/row_count": len(demands),
            "taken": len(intake.tasks),
            "refused": len(intake.refusals),
            "refused_by_rule": count_table(by_rule, "rule_id"),
            "refusals": frame_table(refused, 25),
            "plot": bar_plot({"taken": len(intake.tasks), "refused": len(intake.refusals)}, "demands"),
        },
    )
    if not intake.tasks and not intake.refusals:
        context.log.warning(f"batch {batch.key}: {NOTHING}")
        return
    tasks = task_frame(intake.tasks)
    yield dg.MaterializeResult(
        asset_key="supply_tasks",
        value=tasks,
        metadata={
            "dagster/row_count": len(tasks),
            "new": intake.new,
            "known_with_other_plan_options": intake.other_options,
            "known": len(tasks) - intake.new,
            "tasks": frame_table(tasks, 25),
        },
    )


def _log_refusals(context: dg.AssetExecutionContext, intake: Intake) -> None:
    for refusal in intake.refusals[:LOGGED]:
        context.log.warning(f"refused demand_content {refusal.demand_id}: {refusal.rule_id} {refusal.reason}")


def _take_in(
    context: dg.AssetExecutionContext,
    batch: BatchStep,
    intake_context: IntakeContext,
    supply_request: SupplyRequestResource,
    facts: PatternFactsResource,
    demand_store: DemandStoreResource,
) -> Intake:
    if batch.execution_id is None:
        return _of_requests(intake_context, supply_request)
    if supply_request.request_file is not None:
        raise UsageError("a request file is for an adhoc- batch", "choose an adhoc- partition")
    with facts.open() as database:
        if supply_request.only_standing:
            intake = resume_batch(intake_context.store, demand_store.open(), database, batch.key)
        else:
            intake = take_in_execution(
                intake_context,
                demand_store.open(),
                database,
                batch.execution_id,
                lambda intake: context.log.info(f"{len(intake.tasks)} taken in, {len(intake.refusals)} refused"),
            )
        if not intake.tasks and not intake.refusals:
            require_usable(database, batch.execution_id)
        return intake


def _of_requests(intake_context: IntakeContext, supply_request: SupplyRequestResource) -> Intake:
    """The requests of the file; where none is named, the tasks that were made of it before."""
    if supply_request.only_standing or supply_request.request_file is None:
        known = existing_tasks(intake_context.store, intake_context.batch)
        if known.tasks or supply_request.only_standing:
            return known
    return take_in_requests(intake_context, supply_request.requests())
