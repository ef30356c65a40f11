"""Proving packs that exist already, against facts read afresh (D-066, D-072, D-073).

A pack closes again when the claim it makes passes every rule of section 4 and when the pack built anew from today's
facts is the same in every field.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from pydantic import ValidationError
from sqlalchemy import Connection

from demand_assets.evidence.closure import Provenance, build_pack
from demand_assets.evidence.codes import RULE_OF_CODE
from demand_assets.evidence.facts import Evidence, Facts, read_facts
from demand_assets.evidence.pack import EvidencePack
from demand_assets.evidence.refs import PATTERN_ITEMSET, Candidate, EvidenceRefs
from demand_assets.evidence.rules import Claim, judge
from demand_assets.evidence.terms import covered_segments
from resources.foundation.errors import PackRefused
from resources.foundation.validation_faults import first_fault

RULE_OF_FIELD = {
    "pattern_execution_id": "D-030",
    "mining_config_id": "D-033",
    "itemset_ids": "D-034",
    "support": "D-034",
    "category_bindings": "D-035",
    "itemset_items": "D-035",
    "absolute_support": "D-036",
    "matched_post_ids": "D-036",
    "case_ids": "D-051",
    "source_post_id": "D-037",
    "element_bindings": "D-038",
    "seed_terms": "D-041",
}


class Published(NamedTuple):
    """A pack under the name it was published with; ``key`` is what a person would look it up by."""

    key: str
    name: str
    pack: EvidencePack


class Drift(NamedTuple):
    """One way in which a pack is no longer what the facts say."""

    key: str
    rule_id: str
    code: str
    message: str


def reprove(connection: Connection, published: Sequence[Published]) -> list[Drift]:
    """Every drift of the packs, in their order; empty means that all close. Five statements an execution."""
    by_execution: dict[int, list[Published]] = {}
    for entry in published:
        by_execution.setdefault(entry.pack.pattern_execution_id, []).append(entry)
    drifts = {entry.key: list[Drift]() for entry in published}
    for execution_id, entries in by_execution.items():
        asked = [(entry.pack.itemset_ids[0], entry.pack.source_post_id) for entry in entries]
        facts = read_facts(connection, execution_id, asked)
        for entry in entries:
            drifts[entry.key].extend(_drifts(entry, facts))
    return [drift for entry in published for drift in drifts.pop(entry.key, ())]


def require_proven(connection: Connection, published: Sequence[Published], where: str) -> None:
    """Refuse all where one pack does not close.

    Raises:
        PackRefused: names the first pack, the rule it breaks and how many others there are.
    """
    drifts = reprove(connection, published)
    if drifts:
        first = drifts[0]
        keys = len({drift.key for drift in drifts})
        raise PackRefused(
            f"{where}: {keys} of {len(published)} packs do not close; first {first.key}: "
            f"{first.rule_id} {first.message}",
            "propose and decide this execution again",
        )


def _drifts(entry: Published, facts: Facts) -> list[Drift]:
    pack = entry.pack
    evidence = facts.about(pack.itemset_ids, pack.source_post_id)
    claim = _claim_of(entry, evidence)
    broken = [
        Drift(entry.key, RULE_OF_CODE[finding.code], finding.code, finding.message)
        for finding in judge(claim, facts, evidence)
    ]
    if broken:
        return broken
    try:
        provenance = Provenance(pack.trace_id, pack.demand_task_id)
        today = build_pack(claim, facts, evidence, provenance, pack.demand_content_id)
    except ValidationError as error:
        _, detail = first_fault(error)
        return [Drift(entry.key, "D-050", "pack_differs", f"today's facts make no pack: {detail}")]
    return [
        Drift(entry.key, RULE_OF_FIELD[field], "pack_differs", _difference(field, pack, today))
        for field in RULE_OF_FIELD
        if getattr(pack, field) != getattr(today, field)
    ]


def _difference(field: str, pack: EvidencePack, today: EvidencePack) -> str:
    then, now = str(getattr(pack, field)), str(getattr(today, field))
    return f"{field} is {then[:120]!r} in the pack and {now[:120]!r} in the facts"


def _claim_of(entry: Published, evidence: Evidence) -> Claim:
    pack = entry.pack
    names = covered_segments(entry.name, evidence.words()) or entry.name.split(",")
    refs = EvidenceRefs.model_construct(
        source_kind=pack.source_kind,
        source_tool=None,
        itemset_ids=pack.itemset_ids,
        category_ids=[binding.category_id for binding in pack.category_bindings],
        source_post_id=pack.source_post_id,
        case_ids={PATTERN_ITEMSET: pack.case_ids},
        seed_terms=pack.seed_terms,
        notes=None,
    )
    candidate = Candidate.model_construct(element_names=names, reason="", desc="", type="", evidence_refs=refs)
    return Claim.of(candidate)
