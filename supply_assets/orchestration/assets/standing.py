"""The asset that freezes open tasks whose demand no longer closes, and releases those that close again (D-073).

Its materialization only shows: what holds a task back is written in the store, under the task's lock.
"""

from collections.abc import Iterator

import dagster as dg
import pandas as pd

from expectations.engine.asset_checks import to_check_result
from expectations.engine.validation import RuleResult, SuiteResult, Verdict
from resources.platform.configurable import (
    ClockResource,
    DemandStoreResource,
    PatternFactsResource,
    SupplyStoreResource,
)
from resources.platform.failures import product_errors
from resources.platform.pools import PATTERN_FACTS
from resources.platform.views import bar_plot, count_table, frame_table
from supply_assets.orchestration.registry import STANDING, standing_presentation
from supply_assets.standing.freezing import FreezeReport, FrozenTask, freeze_open_demands

CHECK = "open_demands_close"
SAMPLE_ROWS = 5
FIX = (
    "see the drift of the demand in demand_content_drift: where the facts are wrong, mend them and materialize "
    "demand_standing, which releases the task; where the demand is, reject the task with `pattern2plan review reject` "
    "and publish the execution again"
)


@dg.asset(
    deps=[dg.AssetKey("demand_content_drift")],
    check_specs=[
        dg.AssetCheckSpec(CHECK, asset=STANDING, description="The demand of every open task closes against the facts.")
    ],
    pool=PATTERN_FACTS,
    **standing_presentation(),
)
def demand_standing(
    context: dg.AssetExecutionContext,
    facts: PatternFactsResource,
    demand_store: DemandStoreResource,
    supply_store: SupplyStoreResource,
    clock: ClockResource,
) -> Iterator[dg.MaterializeResult[pd.DataFrame]]:
    """One frozen task a row, at most a thousand; the demands are proved here, whatever the drift asset said."""
    with product_errors(context), facts.open() as database, supply_store.open() as store:
        report = freeze_open_demands(
            store,
            demand_store.open(),
            database,
            clock.clock(),
            lambda r: context.log.info(f"{r.tasks} open tasks looked at, {r.frozen} do not close"),
        )
    frame = pd.DataFrame(report.kept, columns=list(FrozenTask._fields))
    yield dg.MaterializeResult(
        value=frame,
        metadata={
            "dagster/row_count": len(frame),
            "open_tasks": report.tasks,
            "frozen": report.frozen,
            "newly_frozen": report.newly_frozen,
            "released": report.released,
            "frozen_by_rule": count_table(dict(report.by_rule.most_common()), "rule_id"),
            "frozen_tasks": frame_table(frame, 25),
            "frozen_left_out": report.left_out,
            "plot": bar_plot({"closing": report.tasks - report.frozen, "frozen": report.frozen}, "open tasks"),
        },
        check_results=[to_check_result(STANDING, _verdict(report))],
    )


def _verdict(report: FreezeReport) -> SuiteResult:
    """The check as the suites show theirs, a line a broken rule; no open task is "no rows", not green (D-071)."""
    says = "the demand of each open task closes"
    if not report.frozen:
        verdict = Verdict.PASSED if report.tasks else Verdict.NO_ROWS
        return SuiteResult(CHECK, [RuleResult("D-073", says, verdict, report.tasks, 0, [], "", FIX)])
    samples = {
        rule_id: [{"task_id": t.task_id, "reason": t.reason} for t in report.kept if t.rule_id == rule_id][:SAMPLE_ROWS]
        for rule_id in report.by_rule
    }
    return SuiteResult(
        CHECK,
        [
            RuleResult(rule_id, says, Verdict.BROKEN, report.tasks, frozen, samples[rule_id], "", FIX)
            for rule_id, frozen in report.by_rule.most_common()
        ],
    )
