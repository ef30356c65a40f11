"""Proposing and deciding: one step, because proposing goes on until enough candidates are accepted (D-015)."""

from collections.abc import Iterator
from typing import Any

import dagster as dg
import pandas as pd

from demand_assets.decisions.decision_loop import Outcome
from demand_assets.evidence.closure import Provenance
from demand_assets.orchestration.dagster_run import DemandRequestResource, StepRun, step_run
from demand_assets.orchestration.frames import candidate_frame, rejected_frame, validated_frame, weights_of
from demand_assets.orchestration.partitions import EXECUTIONS
from demand_assets.orchestration.registry import output
from demand_assets.outputs.ledger import counts, item_rows, ledger_rows
from demand_assets.outputs.local_json import DEMAND_ITEMS, REJECTED_ITEMS
from demand_assets.outputs.outcome_file import write_outcome
from demand_assets.run.deciding import Deciding
from demand_assets.run.deciding import propose_and_decide as decide
from demand_assets.run.existing_execution import require_usable
from demand_assets.run.manifest import SIMULATED_TASK_ID
from demand_assets.run.proposer_choice import make_proposer
from resources.databases.pattern_facts.engine import FactsDatabase
from resources.platform.configurable import PatternFactsResource
from resources.platform.pools import PATTERN_FACTS
from resources.platform.views import bar_plot, count_table, frame_table
from resources.settings.demand import read_settings

SHOWN_OF_REJECTS = ["seq", "reject_code", "reject_reason", "reject_codes"]
ITEMSETS, WEIGHTS = dg.AssetKey("pattern_itemsets"), dg.AssetKey("weight_scores")
CANDIDATES = dg.AssetKey("candidate_demands")


@dg.multi_asset(
    name="propose_and_decide",
    outs={name: output(name) for name in ("candidate_demands", "validated_demands", "rejected_demands")},
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
) -> Iterator[dg.MaterializeResult[pd.DataFrame]]:
    """Ask the proposer until ``count`` demands are accepted; keep every candidate with its verdict."""
    with step_run(context, demand_request) as run, facts.open() as database:
        require_usable(database, run.execution_id)
        outcome = _decide(context, run, database, weight_scores)
        write_outcome(run.folder, outcome, run.request.count)
        if run.mode == "local_json":
            run.folder.write_json(DEMAND_ITEMS, item_rows(outcome))
            run.folder.write_json(REJECTED_ITEMS, ledger_rows(outcome))
    _log_rejects(context, outcome)
    yield from _results(outcome, counts(outcome, run.request.count))


def _decide(
    context: dg.AssetExecutionContext, run: StepRun, database: FactsDatabase, weight_scores: pd.DataFrame
) -> Outcome:
    weights = weights_of(weight_scores, run.execution_id)
    proposer = make_proposer(run.request, database, weights, read_settings(), run.mode, run.folder.path(".trace"))

    def report(outcome: Outcome) -> None:
        context.log.info(
            f"round {outcome.rounds}: accepted {len(outcome.accepted)}/{run.request.count}, "
            f"rejected {len(outcome.rejects)}"
        )

    task_id = SIMULATED_TASK_ID if run.mode == "local_json" else None
    provenance = Provenance(run.trace_id, task_id)
    return decide(Deciding(database, run.folder, run.request, weights, provenance, report), proposer)


def _log_rejects(context: dg.AssetExecutionContext, outcome: Outcome) -> None:
    for entry in outcome.rejects[:50]:
        context.log.warning(f"rejected #{entry.seq}: {entry.reject.reject_code}: {entry.reject.reject_reason}")
    if len(outcome.rejects) > 50:
        context.log.warning(f"{len(outcome.rejects) - 50} more rejects are in rejected_demands")


def _results(outcome: Outcome, numbers: dict[str, Any]) -> list[dg.MaterializeResult[pd.DataFrame]]:
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
            "wanted": numbers["wanted"],
            "accepted": numbers["accepted"],
            "shortfall": max(0, numbers["wanted"] - numbers["accepted"]),
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
