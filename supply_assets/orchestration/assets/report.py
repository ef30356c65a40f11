"""The report of a batch as an asset: one page beside the frames, and the same numbers in the UI."""

from collections.abc import Sequence
from pathlib import Path

import dagster as dg
import pandas as pd

from lineage.report.numbers import Report, Sources, gather_report
from lineage.report.page import render
from lineage.report.records import Records
from resources.platform.configurable import (
    ClockResource,
    DemandStoreResource,
    PatternFactsResource,
    RunFoldersResource,
    SupplyStoreResource,
)
from resources.platform.parquet_io import ParquetIOManager
from resources.platform.pools import PATTERN_FACTS
from resources.platform.views import bar_plot, count_table, frame_table
from supply_assets.orchestration.dagster_run import BatchStep, batch_step
from supply_assets.orchestration.partitions import DEMAND_BATCHES
from supply_assets.orchestration.registry import presentation

SHOWN = 25


@dg.asset(
    partitions_def=DEMAND_BATCHES,
    deps=["supply_results"],
    pool=PATTERN_FACTS,
    **presentation("execution_report"),
)
def execution_report(
    context: dg.AssetExecutionContext,
    supply_store: SupplyStoreResource,
    demand_store: DemandStoreResource,
    facts: PatternFactsResource,
    clock: ClockResource,
    io_manager: dg.ResourceParam[ParquetIOManager],
    run_folders: RunFoldersResource,
) -> dg.MaterializeResult[None]:
    """The whole batch in one file that a person opens; it reads, and changes nothing."""
    # Records are read from a disk: of frames elsewhere the page says that nothing is recorded.
    records = Records(Path(str(io_manager.frames)), run_folders.root())
    with batch_step(context, clock) as batch, supply_store.open() as store:
        report = gather_report(batch.key, Sources(store, demand_store.open(), facts.open, records), batch.clock)
        page = io_manager.write_report(f"{batch.key}.html", render(report).encode(), context.run.run_id)
    steps = {step.name: step.number for step in (*report.demand_steps, *report.supply_steps)}
    funnel = {name: number for name, number in steps.items() if number is not None}
    return dg.MaterializeResult(
        metadata={
            "dagster/row_count": report.chains.articles,
            "page": dg.MetadataValue.path(str(page)),
            "open": _way_to(io_manager.desk.report_link(batch.key), batch),
            "state": str(report.state),
            "broken_chains": len(report.chains.broken),
            "published_rows": None if report.demand is None else report.demand.rows,
            "broken_rows": report.broken_rows,
            "funnel": count_table(funnel, "step"),
            "funnel_by_label": frame_table(_label_table(report), SHOWN),
            "not_recorded": [name for name in steps if name not in funnel],
            "plot": bar_plot(funnel, "funnel"),
            **_tables(report),
        },
    )


def _way_to(link: str | None, batch: BatchStep) -> dg.UrlMetadataValue | dg.TextMetadataValue:
    """A link that a browser can follow, where a desk is named; else the command that writes the page anew."""
    if link is not None:
        return dg.MetadataValue.url(link)
    named = f"--batch {batch.key}" if batch.execution_id is None else f"--execution-id {batch.execution_id}"
    return dg.MetadataValue.text(f"pattern2plan report {named} --html report.html")


def _label_table(report: Report) -> pd.DataFrame:
    return pd.DataFrame([{"run_label": found.label, **dict(found.steps)} for found in report.by_label])


def _tables(report: Report) -> dict[str, dg.TableMetadataValue]:
    supply, demand = report.supply, report.demand
    verdicts = [] if demand is None else [(v.rule_id, v.holds, v.breaks, "; ".join(v.first)) for v in demand.verdicts]
    rejected = {} if demand is None or demand.decisions is None else demand.decisions.rejected_by_code
    broken = [(chain.task_id, "; ".join(chain.broken)) for chain in report.chains.kept if not chain.closed]
    calls = [(c.duration_ms, c.tool, c.provider, c.outcome, c.task_id, c.request_id) for c in supply.slowest]
    tools = [tuple(tool) for tool in supply.tools]
    return {
        "closure": _table(verdicts, ["rule_id", "holds", "breaks", "first"]),
        "rejected": count_table(rejected, "reject_code"),
        "refused_at_intake": count_table(supply.refused_by_rule or {}, "rule_id"),
        "filtered": count_table(dict(list(supply.filtered.items())[:SHOWN]), "filter_reason"),
        "tasks_by_status": count_table(supply.batch.by_status, "status"),
        "errors": count_table(dict(list(supply.errors.items())[:SHOWN]), "error_code"),
        "stopped": _table([tuple(one) for one in supply.stopped], ["task_id", "query", "state", "said", "by", "at"]),
        "broken": _table(broken, ["task_id", "broken"]),
        "tools": _table(tools, ["tool", "calls", "errors", "median_ms", "p95_ms", "slowest_ms"]),
        "slowest_calls": _table(calls, ["duration_ms", "tool", "provider", "outcome", "task_id", "request_id"]),
    }


def _table(rows: Sequence[tuple[object, ...]], columns: list[str]) -> dg.TableMetadataValue:
    return frame_table(pd.DataFrame(rows, columns=columns), SHOWN)
