"""The asset that lists published rows which today's facts no longer prove (D-073), and its check."""

from collections.abc import Iterator

import dagster as dg
import pandas as pd

from demand_assets.evidence.drift import verify_published
from demand_assets.evidence.reproof import Drift
from demand_assets.orchestration.registry import presentation
from resources.platform.configurable import DemandStoreResource, PatternFactsResource
from resources.platform.failures import product_errors
from resources.platform.pools import PATTERN_FACTS
from resources.platform.views import bar_plot, count_table, frame_table

CHECK = "published_rows_close"


@dg.asset(
    deps=["demand_content"],
    check_specs=[
        dg.AssetCheckSpec(
            CHECK, asset="demand_content_drift", description="Every published row still closes against the facts."
        )
    ],
    pool=PATTERN_FACTS,
    **presentation("demand_content_drift"),
)
def demand_content_drift(
    context: dg.AssetExecutionContext, facts: PatternFactsResource, demand_store: DemandStoreResource
) -> Iterator[dg.MaterializeResult[pd.DataFrame]]:
    """One drift a row, the first ten thousand of them; an empty frame is what one wants to see."""
    with product_errors(context), facts.open() as database:
        report = verify_published(
            demand_store.open(), database, on_page=lambda r: context.log.info(f"{r.rows} rows proved")
        )
    frame = pd.DataFrame(report.drifts, columns=list(Drift._fields))
    numbers = {"rows": report.rows, "drifted_rows": report.drifted_rows}
    severity = dg.AssetCheckSeverity.ERROR if report.rows else dg.AssetCheckSeverity.WARN
    closes = dg.AssetCheckResult(
        check_name=CHECK,
        passed=report.rows > 0 and not report.drifts,
        severity=severity,
        metadata={**numbers, "verdict": "no rows" if not report.rows else "evaluated"},
    )
    yield dg.MaterializeResult(
        value=frame,
        metadata={
            "dagster/row_count": len(frame),
            **numbers,
            "drifts": frame_table(frame, 25),
            "drifts_left_out": report.left_out,
            "rows_by_rule": count_table(dict(report.rows_by_rule.most_common()), "rule_id"),
            "plot": bar_plot(dict(report.by_code.most_common()), "drifts by code"),
        },
        check_results=[closes],
    )
