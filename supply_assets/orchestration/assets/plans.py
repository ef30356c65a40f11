"""From scores to plans, and the record that walks back from each article to its pattern."""

import dagster as dg
import pandas as pd

from lineage.trace import Chain, trace_tasks
from resources.databases.supply_store.states import Stage
from resources.platform.configurable import (
    ClockResource,
    DemandStoreResource,
    PatternFactsResource,
    SupplyStoreResource,
)
from resources.platform.pools import CONTENT_PLATFORM, PATTERN_FACTS
from resources.platform.views import bar_plot, count_table, frame_table, histogram
from supply_assets.orchestration.dagster_run import advance, batch_step
from supply_assets.orchestration.frames import plan_frame, result_frame, score_frame
from supply_assets.orchestration.partitions import DEMAND_BATCHES
from supply_assets.orchestration.registry import presentation
from supply_assets.tasks.batch_report import BatchReport, report_batch

TRACED_TASKS = 50
SHOWN_CHAINS = 40


@dg.asset(
    partitions_def=DEMAND_BATCHES,
    deps=["content_features"],
    pool=CONTENT_PLATFORM,
    **presentation("content_scores"),
)
def content_scores(
    context: dg.AssetExecutionContext,
    supply_tasks: pd.DataFrame,
    supply_store: SupplyStoreResource,
    clock: ClockResource,
) -> dg.MaterializeResult[pd.DataFrame]:
    """RANK for every task; one that falls short goes through another round of all stages first (S-025)."""
    task_ids = list(supply_tasks["task_id"])
    with batch_step(context, clock) as batch, supply_store.open() as store:
        outcome = advance(context, batch, store, supply_tasks, Stage.RANK)
        report = report_batch(store, task_ids, 0)
        with store.reading() as connection:
            frame = score_frame(connection, task_ids)
    passed = frame[frame["filter_status"] == "PASS"]
    by_filter = frame["filter_reason"].dropna().value_counts()
    return dg.MaterializeResult(
        value=frame,
        metadata={
            "dagster/row_count": len(frame),
            "tasks": outcome.counts,
            "selected": report.funnel["selected"],
            "shortfall": report.shortfall,
            "short_tasks": frame_table(_short_tasks(report), 25),
            "filtered": count_table({str(name): int(count) for name, count in by_filter.items()}, "filter_reason"),
            "score_distribution": histogram([float(value) for value in passed["total_score"]], "total of passed"),
            "plot": bar_plot(report.funnel, "funnel"),
        },
    )


@dg.asset(
    partitions_def=DEMAND_BATCHES,
    deps=["content_scores"],
    pool=CONTENT_PLATFORM,
    **presentation("crawler_plans"),
)
def crawler_plans(
    context: dg.AssetExecutionContext,
    supply_tasks: pd.DataFrame,
    supply_store: SupplyStoreResource,
    clock: ClockResource,
) -> dg.MaterializeResult[pd.DataFrame]:
    """CREATE_PLAN for every task (S-028)."""
    task_ids = list(supply_tasks["task_id"])
    with batch_step(context, clock) as batch, supply_store.open() as store:
        outcome = advance(context, batch, store, supply_tasks, Stage.CREATE_PLAN)
        with store.reading() as connection:
            frame = plan_frame(connection, task_ids)
    return dg.MaterializeResult(
        value=frame,
        metadata={
            "dagster/row_count": len(frame),
            "tasks": outcome.counts,
            "items": int(frame["input_count"].sum()),
            "plans": frame_table(frame, 25),
        },
    )


@dg.asset(
    partitions_def=DEMAND_BATCHES,
    deps=["crawler_plans"],
    pool=PATTERN_FACTS,
    **presentation("supply_results"),
)
def supply_results(
    context: dg.AssetExecutionContext,
    supply_tasks: pd.DataFrame,
    supply_store: SupplyStoreResource,
    demand_store: DemandStoreResource,
    facts: PatternFactsResource,
    clock: ClockResource,
) -> dg.MaterializeResult[pd.DataFrame]:
    """FINALIZE for every task, and the proved chain of the first ones (S-006, S-029)."""
    task_ids = list(supply_tasks["task_id"])
    with batch_step(context, clock) as batch, supply_store.open() as store, facts.open() as database:
        outcome = advance(context, batch, store, supply_tasks, Stage.FINALIZE)
        report = report_batch(store, task_ids, 0)
        chains = trace_tasks(task_ids[:TRACED_TASKS], store, demand_store.open(), database)
        with store.reading() as connection:
            frame = result_frame(connection, task_ids)
    return dg.MaterializeResult(
        value=frame,
        metadata={
            "dagster/row_count": len(frame),
            "tasks": outcome.counts,
            "shortfall": report.shortfall,
            "broken_chains": sum(not chain.closed for chain in chains),
            "trace": frame_table(_trace_table(chains), SHOWN_CHAINS),
            "results": frame_table(frame.drop(columns="result"), 25),
            "plot": bar_plot(report.funnel, "funnel"),
        },
    )


def _short_tasks(report: BatchReport) -> pd.DataFrame:
    rows = [
        (task.task_id, task.query, task.wanted, task.selected, task.passed, task.pool)
        for task in report.tasks
        if task.shortfall
    ]
    return pd.DataFrame(rows, columns=["task_id", "query", "wanted", "selected", "passed", "pool"])


def _trace_table(chains: list[Chain]) -> pd.DataFrame:
    """An article a row, from the plan to the category nodes; the first chains only."""
    rows = []
    for chain in chains:
        evidence = chain.evidence
        for article in chain.articles:
            rows.append(
                {
                    "crawler_plan_id": chain.plans[0]["crawler_plan_id"] if chain.plans else None,
                    "rank": article.rank_no,
                    "article": article.title,
                    "task_id": chain.task_id,
                    "demand_content_id": evidence.demand_content_id,
                    "itemset": ", ".join(map(str, evidence.itemset_ids)),
                    "source_post": evidence.source_post_id,
                    "categories": "; ".join(f"{node.id} {node.path}" for node in evidence.categories),
                    "closes": "yes" if chain.closed else "; ".join(chain.broken),
                }
            )
    columns = [
        "crawler_plan_id", "rank", "article", "task_id", "demand_content_id", "itemset", "source_post", "categories",
        "closes",
    ]  # fmt: skip
    return pd.DataFrame(rows, columns=columns)
