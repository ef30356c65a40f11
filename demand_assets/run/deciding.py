"""Proposing and deciding into a run folder, and the last proof before publishing; one way for command and Dagster."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from demand_assets.decisions.decision_loop import AcceptedDemand, Loop, Observer, Outcome, Proposed, UnreadableRun
from demand_assets.evidence.closure import Provenance, shape_fault
from demand_assets.evidence.refs import Broken, storable_raw
from demand_assets.evidence.reproof import Published, require_proven
from demand_assets.evidence.weights import WeightScores
from demand_assets.outputs.ledger import ledger_rows
from demand_assets.outputs.run_folder import RunFolder
from demand_assets.proposers.proposer import Proposer
from demand_assets.proposers.replayed import ReplayedProposer
from demand_assets.run.request import DemandRequest
from resources.databases.pattern_facts.engine import FactsDatabase
from resources.foundation.errors import PackRefused

CANDIDATES_SO_FAR = "intermediate/result/candidates.jsonl"
REJECTED_SO_FAR = "intermediate/result/rejected_so_far.json"
DECIDE_AGAIN = "propose and decide this execution again"


@dataclass(frozen=True)
class Deciding:
    """What proposing and deciding needs beside the proposer."""

    facts: FactsDatabase
    folder: RunFolder
    request: DemandRequest
    weights: WeightScores
    provenance: Provenance
    on_progress: Callable[[Outcome], None]


def propose_and_decide(deciding: Deciding, proposer: Proposer) -> Outcome:
    """Run the loop; candidates are kept as they come, so that a run that is cut off pays a model only once.

    Raises:
        UnreadableRun: the facts could not be read; the ledger so far is in the folder.
    """
    folder, request = deciding.folder, deciding.request
    saved = [_from_saved(line) for line in folder.read_json_lines(CANDIDATES_SO_FAR)]
    if request.proposer == "agent":
        proposer = ReplayedProposer(saved, proposer)

    def remember(proposed: Sequence[Proposed]) -> None:
        # Rules and files hand out the same sequence again, so their places tell what is saved already.
        fresh = [p for p in proposed if p.seq > len(saved)]
        folder.append_json_lines(CANDIDATES_SO_FAR, [_to_save(p) for p in fresh])

    loop = Loop(
        facts=deciding.facts,
        execution_id=request.execution_id,
        weights=deciding.weights,
        provenance=deciding.provenance,
        count=request.count,
        max_rounds=request.max_rounds,
        observer=Observer(remember, deciding.on_progress),
    )
    try:
        return loop.run(proposer)
    except UnreadableRun as error:
        folder.write_json(REJECTED_SO_FAR, ledger_rows(error.outcome))
        raise


def require_all_proven(
    facts: FactsDatabase, demands: Sequence[AcceptedDemand], execution_id: int, weights: WeightScores
) -> None:
    """Prove every demand once more, just before it is published: pack, execution and score (D-066, D-070).

    Raises:
        PackRefused: nothing may be published.
    """
    for demand in demands:
        if demand.pack.pattern_execution_id != execution_id:
            own = demand.pack.pattern_execution_id
            raise PackRefused(f"seq {demand.seq} is of execution {own}, not {execution_id}", DECIDE_AGAIN)
        if demand.score != weights.of_pack(demand.pack):
            raise PackRefused(f"seq {demand.seq}: D-021 score {demand.score} is not the weight score", DECIDE_AGAIN)
    published = [Published(f"seq {demand.seq}", demand.candidate.name, demand.pack) for demand in demands]
    with facts.snapshot() as snapshot:
        require_proven(snapshot, published, "before publishing")


def _to_save(proposed: Proposed) -> dict[str, Any]:
    """A line for the file; what has no candidate shape is kept with its reason, so that masking mends nothing."""
    fault = shape_fault(proposed.raw)
    if fault is None:
        return {"seq": proposed.seq, "raw": proposed.raw}
    return {"seq": proposed.seq, "broken": {"text": str(storable_raw(proposed.raw))[:500], "reason": fault}}


def _from_saved(line: dict[str, Any]) -> object:
    return Broken(**line["broken"]) if "broken" in line else line["raw"]
