"""Demands that closed against the small facts, made the way the product makes them."""

from __future__ import annotations

from typing import Any

from demand_assets.decisions.decision_loop import AcceptedDemand
from demand_assets.evidence.closure import Accepted, Provenance, decide
from demand_assets.evidence.weights import read_weight_scores
from demand_assets.outputs.rows import RowContext
from tests.small_facts import FactWorld, good_candidate

TODAY = RowContext("全局树", "label-1", "20260601")


def of_label(run_label: str) -> RowContext:
    """The context of another run label."""
    return RowContext("全局树", run_label, "20260601")


def accept(world: FactWorld, *candidates: dict[str, Any]) -> list[AcceptedDemand]:
    """Each candidate decided against the facts; all must close."""
    with world.open() as facts, facts.snapshot() as snapshot:
        weights = read_weight_scores(snapshot, 581)
        decisions = decide(snapshot, 581, candidates, Provenance("trace-1", None))
    accepted = [decision for decision in decisions if isinstance(decision, Accepted)]
    assert len(accepted) == len(candidates), decisions
    return [
        AcceptedDemand(seq, decision.candidate, decision.pack, weights.of_pack(decision.pack))
        for seq, decision in enumerate(accepted, start=1)
    ]


def three_demands(world: FactWorld) -> list[AcceptedDemand]:
    """Itemset 1001 seen from each of its three posts."""
    posts = ("p1", "p2", "p3")
    return accept(world, *(good_candidate(refs={"source_post_id": p, "case_ids": {}}) for p in posts))
