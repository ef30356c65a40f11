"""Second step of a run: propose and decide into its folder, and keep every candidate with its verdict."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import structlog

from demand_assets.decisions.decision_loop import Loop, Observer, Outcome, Proposed, UnreadableRun
from demand_assets.evidence.closure import Provenance, shape_fault
from demand_assets.evidence.refs import Broken, storable_raw
from demand_assets.evidence.weights import WeightScores
from demand_assets.outputs.ledger import item_rows, ledger_rows
from demand_assets.outputs.local_json import DEMAND_ITEMS, REJECTED_ITEMS
from demand_assets.outputs.outcome_file import write_outcome
from demand_assets.outputs.run_folder import RunFolder
from demand_assets.proposers.proposer import Proposer
from demand_assets.proposers.replayed import ReplayedProposer
from demand_assets.run.identity import Run
from resources.databases.pattern_facts.engine import FactsDatabase
from resources.foundation.secret_masking import SecretMask

CANDIDATES_SO_FAR = "intermediate/result/candidates.jsonl"
REJECTED_SO_FAR = "intermediate/result/rejected_so_far.json"


def decide(
    run: Run, facts: FactsDatabase, weights: WeightScores, proposer: Proposer, on_progress: Callable[[Outcome], None]
) -> Outcome:
    """Ask the proposer until ``count`` demands are accepted (D-015); in local mode rejects go to the ledger (D-043).

    Raises:
        UnreadableRun: the facts could not be read; the ledger so far is in the folder.
    """
    try:
        outcome = _loop(run, facts, weights, on_progress).run(_remembering(run, proposer))
    except UnreadableRun as error:
        run.folder.write_json(REJECTED_SO_FAR, ledger_rows(error.outcome))
        raise
    write_outcome(run.folder, outcome, run.request.count)
    if run.mode == "local_json":
        run.folder.write_json(DEMAND_ITEMS, item_rows(outcome))
        run.folder.write_json(REJECTED_ITEMS, ledger_rows(outcome))
    return outcome


def _remembering(run: Run, proposer: Proposer) -> Proposer:
    """What a model said before the run was cut off is said again from the folder: it is paid only once."""
    return ReplayedProposer(_saved(run.folder), proposer) if run.request.proposer == "agent" else proposer


def _loop(run: Run, facts: FactsDatabase, weights: WeightScores, on_progress: Callable[[Outcome], None]) -> Loop:
    saved = len(_saved(run.folder))
    mask = SecretMask.of_environment()

    def remember(proposed: Sequence[Proposed]) -> None:
        # Rules and files hand out the same sequence again, so their places tell what is saved already.
        fresh = [p for p in proposed if p.seq > saved]
        run.folder.append_json_lines(CANDIDATES_SO_FAR, [mask.hidden(_to_save(p)) for p in fresh])

    return Loop(
        facts=facts,
        execution_id=run.request.execution_id,
        weights=weights,
        provenance=Provenance(run.identity.trace_id, run.identity.demand_task_id),
        count=run.request.count,
        max_rounds=run.request.max_rounds,
        observer=Observer(remember, on_progress),
        mask=mask,
    )


def _saved(folder: RunFolder) -> list[object]:
    return [_from_saved(line) for line in folder.read_json_lines(CANDIDATES_SO_FAR)]


def _to_save(proposed: Proposed) -> dict[str, Any]:
    """A line for the file; what has no candidate shape is kept with its reason, so that masking mends nothing."""
    fault = shape_fault(proposed.raw)
    if fault is None:
        return {"seq": proposed.seq, "raw": proposed.raw}
    return {"seq": proposed.seq, "broken": {"text": str(storable_raw(proposed.raw))[:500], "reason": fault}}


def _from_saved(line: dict[str, Any]) -> object:
    return Broken(**line["broken"]) if "broken" in line else line["raw"]


def log_rejects(run: Run, outcome: Outcome) -> None:
    """Where neither a ledger nor the asset ``rejected_demands`` keeps them, rejects go to the log (D-043)."""
    log = structlog.get_logger().bind(run_id=run.identity.run_id, execution_id=run.request.execution_id)
    for entry in outcome.rejects:
        reject = entry.reject
        log.warning("candidate rejected", seq=entry.seq, code=str(reject.reject_code), reason=reject.reject_reason)
