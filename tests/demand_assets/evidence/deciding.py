"""Short words for the tests of closure: decide in a snapshot of a world, and look at the one decision."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from sqlalchemy.engine import URL

from demand_assets.evidence.closure import Accepted, Decision, Provenance, Reject, decide
from demand_assets.evidence.pack import EvidencePack
from resources.databases.pattern_facts.engine import FactsDatabase
from tests.small_facts import FactWorld, good_candidate

PROVENANCE = Provenance("trace-1")


@lru_cache(maxsize=8)
def _door(url: URL) -> FactsDatabase:
    """One handle a database for many tests: what it may not do is remember facts."""
    return FactsDatabase(url)


def decisions(world: FactWorld, *candidates: object, execution_id: int = 581) -> list[Decision]:
    """One decision a candidate, in one snapshot."""
    with _door(world.url).snapshot() as snapshot:
        return decide(snapshot, execution_id, candidates, PROVENANCE)


def rejected(world: FactWorld, candidate: object = None, *, execution_id: int = 581, **changes: Any) -> Reject:
    """The reject of a candidate (else of the good one, changed); fails where it was accepted."""
    given = good_candidate(**changes) if candidate is None else candidate
    (decision,) = decisions(world, given, execution_id=execution_id)
    assert isinstance(decision, Reject), "accepted"
    return decision


def codes(world: FactWorld, candidate: object = None, *, execution_id: int = 581, **changes: Any) -> list[str]:
    """All reject codes of a candidate; empty where it was accepted."""
    given = good_candidate(**changes) if candidate is None else candidate
    (decision,) = decisions(world, given, execution_id=execution_id)
    return [] if isinstance(decision, Accepted) else [str(code) for code in decision.reject_codes]


def accepted_pack(world: FactWorld, candidate: object = None, **changes: Any) -> EvidencePack:
    """The pack of a candidate; fails where it was rejected."""
    (decision,) = decisions(world, good_candidate(**changes) if candidate is None else candidate)
    assert isinstance(decision, Accepted), decision
    return decision.pack


def category_candidate(**refs: Any) -> dict[str, Any]:
    """A candidate on itemset 1002, whose items name categories only, that closes."""
    return good_candidate(
        element_names=["猫咪", "情感"],
        refs={"itemset_ids": [1002], "case_ids": {}, "seed_terms": [], "source_post_id": "p4"} | refs,
    )
