"""From scores to plans, and the record that walks back from each article to its pattern."""

from typing import Any

import dagster as dg
import pandas as pd

from lineage.trace import Chain, chains_of_tasks, prove
from resources.databases.supply_store.states import Stage
from resources.platform.configurable import (
    ClockResource,
    DemandStoreResource,
    IdsResource,
    PatternFactsResource,
    SupplyStoreResource,
)
from resources.platform.pools import PATTERN_FACTS
from resources.platform.views import bar_plot, count_table, frame_table, histogram
from supply_assets.orchestration.assets.stage_asset import StageOutcome, StepResources, stage_asset, stage_step
from supply_assets.orchestration.content_platform import ContentPlatformResource
from supply_assets.orchestration.frames import plan_frame, result_frame, score_frame
from supply_assets.orchestration.partitions import DEMAND_BATCHES
from supply_assets.orchestration.registry import presentation
from supply_assets.tasks.batch_report import BatchReport

TRACED_TASKS = 50
SHOWN_CHAINS = 40


@stage_asset(Stage.RANK, score_frame, "content_features")
def content_scores(done: StageOutcome) -> dict[str, Any]:
    """RANK for every task; one that falls short goes through another round of all stages first (S-025)."""
    report = done.report()
    passed = done.frame[done.frame["filter_status"] == "PASS"]
    by_filter = done.frame["filter_reason"].dropna().value_counts()
    return {
        "selected": report.funnel["selected"],
        "shortfall": report.shortfall,
        "short_tasks": frame_table(_short_tasks(report), 25),
        "filtered": count_table({str(name): int(count) for name, count in by_filter.items()}, "filter_reason"),
        "score_distribution": histogram([float(value) for value in passed["total_score"]], "total of passed"),
        "plot": bar_plot(report.funnel, "funnel"),
    }


@stage_asset(Stage.CREATE_PLAN, plan_frame, "content_scores")
def crawler_plans(done: StageOutcome) -> dict[str, Any]:
    """CREATE_PLAN for every task (S-028)."""
    return {"items": int(done.frame["input_count"].sum()), "plans": frame_table(done.frame, 25)}


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
    content_platform: ContentPlatformResource,
    clock: ClockResource,
    ids: IdsResource,
) -> dg.MaterializeResult[pd.DataFrame]:
    """FINALIZE for every task, and the proved chain of the first ones (S-006, S-029)."""
    resources = StepResources(supply_store, content_platform, clock, ids)
    with stage_step(context, resources, supply_tasks, Stage.FINALIZE, result_frame) as done, facts.open() as database:
        report = done.report()
        chains = chains_of_tasks(done.task_ids[:TRACED_TASKS], done.store)
        prove(chains, demand_store.open(), database)
        return done.materialized(
            {
                "shortfall": report.shortfall,
                "broken_chains": sum(not chain.closed for chain in chains),
                "trace": frame_table(_trace_table(chains), SHOWN_CHAINS),
                "results": frame_table(done.frame.drop(columns="result"), 25),
                "plot": bar_plot(report.funnel, "funnel"),
            }
        )


def _short_tasks(report: BatchReport) -> pd.DataFrame:
    short = pd.DataFrame([task for task in report.tasks if task.shortfall])
    return short.reindex(columns=["task_id", "query", "wanted", "selected", "passed", "pool"])


def _trace_table(chains: list[Chain]) -> pd.DataFrame:
    """An article a row, from the plan to the category nodes; the first chains only."""
    rows = [
        {
            "crawler_plan_id": chain.plans[0]["crawler_plan_id"] if chain.plans else None,
            "rank": article.rank_no,
            "article": article.title,
            "task_id": chain.task_id,
            "demand_content_id": chain.evidence.demand_content_id,
            "itemset": ", ".join(map(str, chain.evidence.itemset_ids)),
            "source_post": chain.evidence.source_post_id,
            "categories": "; ".join(f"{node.id} {node.path}" for node in chain.evidence.categories),
            "closes": "yes" if chain.closed else "; ".join(chain.broken),
        }
        for chain in chains
        for article in chain.articles
    ]
    columns = [
        "crawler_plan_id", "rank", "article", "task_id", "demand_content_id", "itemset", "source_post", "categories",
        "closes",
    ]  # fmt: skip
    return pd.DataFrame(rows, columns=columns)
