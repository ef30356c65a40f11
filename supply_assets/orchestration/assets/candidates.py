"""What the platform knows: the pool, the accounts, the pages. Each step advances every task of its batch."""

import dagster as dg
import pandas as pd

from resources.databases.supply_store.states import Stage
from resources.platform.configurable import ClockResource, SupplyStoreResource
from resources.platform.pools import CONTENT_PLATFORM
from resources.platform.views import bar_plot, frame_table
from supply_assets.orchestration.dagster_run import advance, batch_step
from supply_assets.orchestration.frames import candidate_frame, feature_frame, profile_frame
from supply_assets.orchestration.partitions import DEMAND_BATCHES
from supply_assets.orchestration.registry import presentation
from supply_assets.tasks.batch_report import report_batch

SHOWN_OF_CANDIDATES = ["task_id", "title", "account_name", "view_count", "publish_time", "url"]


@dg.asset(partitions_def=DEMAND_BATCHES, pool=CONTENT_PLATFORM, **presentation("candidate_pool"))
def candidate_pool(
    context: dg.AssetExecutionContext,
    supply_tasks: pd.DataFrame,
    supply_store: SupplyStoreResource,
    clock: ClockResource,
) -> dg.MaterializeResult[pd.DataFrame]:
    """RECALL for every task (S-020)."""
    task_ids = list(supply_tasks["task_id"])
    with batch_step(context, clock) as batch, supply_store.open() as store:
        outcome = advance(context, batch, store, supply_tasks, Stage.RECALL)
        with store.reading() as connection:
            frame = candidate_frame(connection, task_ids)
    by_round = frame["recall_round"].value_counts().sort_index()
    return dg.MaterializeResult(
        value=frame,
        metadata={
            "dagster/row_count": len(frame),
            "tasks": outcome.counts,
            "sample": frame_table(frame[SHOWN_OF_CANDIDATES]),
            "plot": bar_plot({f"round {name}": int(count) for name, count in by_round.items()}, "found in round"),
        },
    )


@dg.asset(
    partitions_def=DEMAND_BATCHES,
    deps=["candidate_pool"],
    pool=CONTENT_PLATFORM,
    **presentation("account_profiles"),
)
def account_profiles(
    context: dg.AssetExecutionContext,
    supply_tasks: pd.DataFrame,
    supply_store: SupplyStoreResource,
    clock: ClockResource,
) -> dg.MaterializeResult[pd.DataFrame]:
    """ACCOUNT_ENRICH and ACCOUNT_PROFILE for every task (S-021)."""
    task_ids = list(supply_tasks["task_id"])
    with batch_step(context, clock) as batch, supply_store.open() as store:
        outcome = advance(context, batch, store, supply_tasks, Stage.ACCOUNT_PROFILE)
        with store.reading() as connection:
            frame = profile_frame(connection, task_ids)
    known = int(frame["credibility_score"].notna().sum())
    return dg.MaterializeResult(
        value=frame,
        metadata={
            "dagster/row_count": len(frame),
            "with_history": known,
            "without_history": len(frame) - known,
            "tasks": outcome.counts,
            "sample": frame_table(frame),
        },
    )


@dg.asset(
    partitions_def=DEMAND_BATCHES,
    deps=["account_profiles"],
    pool=CONTENT_PLATFORM,
    **presentation("content_features"),
)
def content_features(
    context: dg.AssetExecutionContext,
    supply_tasks: pd.DataFrame,
    supply_store: SupplyStoreResource,
    clock: ClockResource,
) -> dg.MaterializeResult[pd.DataFrame]:
    """CONTENT_ENRICH for every task (S-021)."""
    task_ids = list(supply_tasks["task_id"])
    with batch_step(context, clock) as batch, supply_store.open() as store:
        outcome = advance(context, batch, store, supply_tasks, Stage.CONTENT_ENRICH)
        report = report_batch(store, task_ids, 0)
        with store.reading() as connection:
            frame = feature_frame(connection, task_ids)
    return dg.MaterializeResult(
        value=frame,
        metadata={
            "dagster/row_count": len(frame),
            "candidates": report.funnel["candidates"],
            "tasks": outcome.counts,
            "sample": frame_table(frame),
        },
    )
