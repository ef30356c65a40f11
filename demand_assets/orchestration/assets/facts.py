"""Assets that show what the facts hold before anything is proposed."""

import dagster as dg
import pandas as pd

from demand_assets.orchestration.dagster_run import DemandRequestResource, step_run
from demand_assets.orchestration.frames import itemset_frame, weight_frame
from demand_assets.orchestration.partitions import EXECUTIONS
from demand_assets.orchestration.registry import presentation
from demand_assets.outputs.weight_files import category_file, element_file
from demand_assets.run.prepare import store_weight_scores
from resources.databases.pattern_facts.listing import list_topic_itemsets
from resources.platform.configurable import DemandSettingsResource, PatternFactsResource, RunFoldersResource
from resources.platform.pools import PATTERN_FACTS
from resources.platform.views import frame_table


@dg.asset(partitions_def=EXECUTIONS, pool=PATTERN_FACTS, **presentation("pattern_itemsets"))
def pattern_itemsets(
    context: dg.AssetExecutionContext,
    facts: PatternFactsResource,
    demand_request: DemandRequestResource,
    run_folders: RunFoldersResource,
    demand_settings: DemandSettingsResource,
) -> dg.MaterializeResult[pd.DataFrame]:
    """Topic itemsets of the execution (D-004)."""
    with (
        step_run(context, demand_request, facts, run_folders, demand_settings) as (run, database),
        database.snapshot() as snapshot,
    ):
        frame = itemset_frame(list_topic_itemsets(snapshot, run.request.execution_id))
    execution = run.execution
    return dg.MaterializeResult(
        value=frame,
        metadata={
            "dagster/row_count": len(frame),
            "execution_status": execution.status,
            "merge_leve2": execution.merge_leve2,
            "platform_type": execution.platform_type,
            "note": "no facts: the execution has no topic itemset" if frame.empty else "ready",
            "largest_support": frame_table(frame.sort_values("support", ascending=False)),
        },
    )


@dg.asset(partitions_def=EXECUTIONS, pool=PATTERN_FACTS, **presentation("weight_scores"))
def weight_scores(
    context: dg.AssetExecutionContext,
    facts: PatternFactsResource,
    demand_request: DemandRequestResource,
    run_folders: RunFoldersResource,
    demand_settings: DemandSettingsResource,
) -> dg.MaterializeResult[pd.DataFrame]:
    """Weight scores of elements and categories (D-020), as a frame and as the files that the tools read."""
    with step_run(context, demand_request, facts, run_folders, demand_settings) as (run, database):
        weights = store_weight_scores(run, database)
    frame = weight_frame(weights)
    return dg.MaterializeResult(
        value=frame,
        metadata={
            "dagster/row_count": len(frame),
            "elements": len(weights.elements),
            "categories": len(weights.categories),
            "highest": frame_table(frame),
            "element_file": dg.MetadataValue.path(str(run.folder.path(element_file(weights.execution_id)))),
            "category_file": dg.MetadataValue.path(str(run.folder.path(category_file(weights.execution_id)))),
        },
    )
