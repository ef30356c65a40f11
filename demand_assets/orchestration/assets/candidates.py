"""Proposing and deciding: one step, because proposing goes on until enough candidates are accepted (D-015)."""

from collections.abc import Iterator

import dagster as dg
import pandas as pd

from demand_assets.decisions.decision_loop import Outcome
from demand_assets.orchestration.dagster_run import DemandRequestResource, step_run
from demand_assets.orchestration.frames import candidate_frame, rejected_frame, validated_frame, weights_of
from demand_assets.orchestration.partitions import EXECUTIONS
from demand_assets.orchestration.registry import output
from demand_assets.proposers.proposer import StopReason
from demand_assets.run.decide import decide
from demand_assets.run.identity import Run
from demand_assets.run.proposer_choice import make_proposer
from demand_assets.run.publish import finish_without_facts
from resources.platform.configurable import (
    ClockResource,
    DemandSettingsResource,
    DemandStoreResource,
    PatternFactsResource,
    RunFoldersResource,
)
from resources.platform.pools import PATTERN_FACTS
from resources.platform.views import bar_plot, count_table, frame_table

NO_FACTS = "这次执行没有主题项集，运行到此为止，不做检查 (no topic itemset: the run ends here, before the checks)"
SHOWN_OF_REJECTS = ["seq", "reject_code", "reject_reason", "reject_codes"]
ITEMSETS, WEIGHTS = dg.AssetKey("pattern_itemsets"), dg.AssetKey("weight_scores")
CANDIDATES = dg.AssetKey("candidate_demands")


@dg.multi_asset(
    name="propose_and_decide",
    outs={
        "candidate_demands": output("candidate_demands"),
        "validated_demands": output("validated_demands", is_required=False),
        "rejected_demands": output("rejected_demands"),
    },
    deps=["pattern_itemsets"],
    internal_asset_deps={
        "candidate_demands": {ITEMSETS, WEIGHTS},
        "validated_demands": {CANDIDATES},
        "rejected_demands": {CANDIDATES},
    },
    partitions_def=EXECUTIONS,
    pool=PATTERN_FACTS,
)
def propose_and_decide(
    context: dg.AssetExecutionContext,
    weight_scores: pd.DataFrame,
    facts: PatternFactsResource,
    demand_request: DemandRequestResource,
    run_folders: RunFoldersResource,
    demand_settings: DemandSettingsResource,
    demand_store: DemandStoreResource,
    clock: ClockResource,
) -> Iterator[dg.MaterializeResult[pd.DataFrame]]:
    """Ask the proposer until ``count`` demands are accepted; keep every candidate with its verdict.

    The run of an execution without itemsets is finished here: what would look at its demands is skipped, not warned of.
    """
    with step_run(context, demand_request, facts, run_folders, demand_settings) as (run, database):
        weights = weights_of(weight_scores, run.request.execution_id)
        proposer = make_proposer(run, database, weights, demand_settings.settings(), demand_settings.model)
        outcome = decide(run, database, weights, proposer, lambda outcome: context.log.info(_progress(run, outcome)))
        if outcome.stop_reason is StopReason.NO_FACTS:
            context.log.warning(f"execution {run.request.execution_id}: {NO_FACTS}")
            finish_without_facts(run, database, weights, demand_settings.settings(), clock.clock(), demand_store.open())
    _log_rejects(context, outcome)
    as_proposed, closed, ledger = _results(outcome, run.request.count)
    yield as_proposed
    if outcome.stop_reason is not StopReason.NO_FACTS:
        yield closed
    yield ledger


def _progress(run: Run, outcome: Outcome) -> str:
    accepted, rejected = len(outcome.accepted), len(outcome.rejects)
    return f"round {outcome.rounds}: accepted {accepted}/{run.request.count}, rejected {rejected}"


def _log_rejects(context: dg.AssetExecutionContext, outcome: Outcome) -> None:
    for entry in outcome.rejects[:50]:
        context.log.warning(f"rejected #{entry.seq}: {entry.reject.reject_code}: {entry.reject.reject_reason}")
    if len(outcome.rejects) > 50:
        context.log.warning(f"{len(outcome.rejects) - 50} more rejects are in rejected_demands")


def _results(outcome: Outcome, wanted: int) -> list[dg.MaterializeResult[pd.DataFrame]]:
    by_code = outcome.rejects_by_code()
    candidates, validated, rejected = candidate_frame(outcome), validated_frame(outcome), rejected_frame(outcome)
    as_proposed = dg.MaterializeResult(
        asset_key="candidate_demands",
        value=candidates,
        metadata={
            "dagster/row_count": len(candidates),
            "rounds": outcome.rounds,
            "stop_reason": str(outcome.stop_reason),
            "proposer": outcome.identity.proposer,
            "model": outcome.identity.model,
            "sample": frame_table(candidates),
        },
    )
    closed = dg.MaterializeResult(
        asset_key="validated_demands",
        value=validated,
        metadata={
            "dagster/row_count": len(validated),
            "wanted": wanted,
            "accepted": len(outcome.accepted),
            "shortfall": max(0, wanted - len(outcome.accepted)),
            "stop_reason": str(outcome.stop_reason),
            "mean_score": round(float(validated["score"].mean()), 4) if len(validated) else None,
            "packs": frame_table(validated.drop(columns="candidate")),
        },
    )
    ledger = dg.MaterializeResult(
        asset_key="rejected_demands",
        value=rejected,
        metadata={
            "dagster/row_count": len(rejected),
            "by_code": count_table(by_code, "reject_code"),
            "plot": bar_plot(by_code, "rejects by first failing rule"),
            "rejects": frame_table(rejected[SHOWN_OF_REJECTS], 25),
        },
    )
    return [as_proposed, closed, ledger]
