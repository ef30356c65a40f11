"""Deciding candidates: proven pack or reject with its reason (contract, sections 4 and 5), all in one snapshot."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, ValidationError
from sqlalchemy import Connection

from demand_assets.evidence.codes import RULE_OF_CODE, RejectCode
from demand_assets.evidence.facts import Evidence, Facts, read_facts
from demand_assets.evidence.pack import EvidencePack
from demand_assets.evidence.refs import (
    FORBIDDEN_WORDS,
    PATTERN_ITEMSET,
    Candidate,
    Malformed,
    parse_candidate,
    storable_raw,
)
from demand_assets.evidence.rules import Claim, Finding, judge
from resources.databases.pattern_facts.records import Item
from resources.foundation.errors import FactsUnreadable
from resources.foundation.gc_pause import collection_paused
from resources.foundation.secret_masking import SecretMask
from resources.foundation.validation_faults import first_fault


class Correction(BaseModel):
    """What was wrong and the nearest value that would have been right (D-043a)."""

    model_config = ConfigDict(frozen=True)

    code: RejectCode
    rule_id: str
    message: str
    offending: str | None
    nearest: str | None


class Reject(BaseModel):
    """A candidate that may not become demand_content (D-043); ``candidate`` is as given until it is kept."""

    model_config = ConfigDict(frozen=True)

    element_names: list[str]
    reject_reason: str
    reject_code: RejectCode
    reject_codes: list[RejectCode]
    validation_status: Literal["failed"] = "failed"
    corrections: list[Correction]
    candidate: Any

    def without_secrets(self, mask: SecretMask) -> Reject:
        """As a ledger keeps it: foreign text may have brought a secret along."""
        return Reject.model_validate(mask.hidden(self.model_dump()))


@dataclass(frozen=True)
class Accepted:
    """A candidate whose evidence closes, with its pack."""

    candidate: Candidate
    pack: EvidencePack


@dataclass(frozen=True)
class Provenance:
    """What the product itself knows of a decision, beside the facts: the run's trace id and task."""

    trace_id: str
    demand_task_id: int | None = None


Decision = Accepted | Reject


def decide(
    connection: Connection, execution_id: int, raw_candidates: Sequence[object], provenance: Provenance
) -> list[Decision]:
    """Judge every candidate against facts read in ``connection``'s snapshot, one decision each, in order.

    Five statements are sent whatever the number of candidates; a candidate without shape costs none (D-044).

    Raises:
        FactsUnreadable: by the snapshot around the call; see :func:`reject_unread`.
    """
    with collection_paused():
        claims: list[Claim | Reject] = [_claim_or_reject(raw) for raw in raw_candidates]
        asked = [(i, c.source_post_id) for c in claims if isinstance(c, Claim) for i in c.itemset_ids]
        facts = read_facts(connection, execution_id, asked)
        return [
            _decide_one(claim, raw, facts, provenance) if isinstance(claim, Claim) else claim
            for claim, raw in zip(claims, raw_candidates, strict=True)
        ]


def reject_unread(raw_candidates: Sequence[object], error: FactsUnreadable) -> list[Reject]:
    """Rejects for candidates that could not be judged because the facts could not be read (D-042)."""
    return [_reject(raw, [Finding(RejectCode.FACTS_UNREADABLE, error.message)]) for raw in raw_candidates]


def build_pack(
    claim: Claim, facts: Facts, evidence: Evidence, provenance: Provenance, demand_content_id: int | None = None
) -> EvidencePack:
    """The pack of a claim that closes; every value but the seed terms' spelling comes from the facts.

    Raises:
        ValidationError: a fact has no place in a pack (for example ``support`` is null).
        KeyError: the claim does not close.
    """
    itemset = facts.itemsets[claim.itemset_ids[0]]
    posts = facts.posts[itemset.id].post_ids
    return EvidencePack.model_validate(
        {
            "pattern_source_system": "pg_pattern_v2",
            "pattern_execution_id": facts.execution_id,
            "mining_config_id": itemset.mining_config_id,
            "source_kind": PATTERN_ITEMSET,
            "case_id_type": "post_id",
            "source_post_id": claim.source_post_id,
            "category_bindings": [_category_binding(item) for item in evidence.items],
            "element_bindings": _element_bindings(evidence),
            "itemset_ids": [itemset.id],
            "itemset_items": [_short_item(item) for item in evidence.items],
            "support": itemset.support,
            "absolute_support": itemset.absolute_support,
            "matched_post_ids": posts,
            "case_ids": posts,
            "decode_case_ids": [],
            "seed_terms": claim.candidate.evidence_refs.seed_terms or claim.candidate.element_names,
            "trace_id": provenance.trace_id,
            "demand_task_id": provenance.demand_task_id,
            "demand_content_id": demand_content_id,
            "source_certainty": "db_validated",
            "validation_status": "passed",
        }
    )


def _short_item(item: Item) -> dict[str, Any]:
    return {
        "itemset_id": item.itemset_id,
        "category_id": item.category_id,
        "category_path": item.category_path,
        "point_type": item.point_type,
        "dimension": item.dimension,
        "element_name": item.element_name,
    }


def _category_binding(item: Item) -> dict[str, Any]:
    return _short_item(item) | {
        "itemset_item_id": item.id,
        "category_name": item.category_name,
        "category_full_path": item.category_full_path,
    }


def _element_bindings(evidence: Evidence) -> list[dict[str, Any]]:
    item_by_id = {item.id: item for item in evidence.items}
    return [
        {
            "itemset_id": binding.itemset_id,
            "itemset_item_id": binding.itemset_item_id,
            "category_id": item_by_id[binding.itemset_item_id].category_id,
            "point_type": item_by_id[binding.itemset_item_id].point_type,
            "dimension": item_by_id[binding.itemset_item_id].dimension,
            "element_name": binding.element_name,
            "matched_element_count": binding.element_count,
            "matched_post_count": 1,
            "matched_post_ids": [binding.post_id],
        }
        for binding in evidence.bindings
    ]


def shape_fault(raw: object) -> str | None:
    """Why a raw candidate has no candidate shape; ``None`` where it has one."""
    claim = _claim_or_reject(raw)
    return claim.reject_reason if isinstance(claim, Reject) else None


def _claim_or_reject(raw: object) -> Claim | Reject:
    try:
        candidate = parse_candidate(raw)
    except Malformed as error:
        return _reject(raw, [Finding(error.code, reason) for reason in error.reasons])
    if _names_abandoned_source(candidate):
        message = "the candidate names the abandoned MySQL pattern source"
        return _reject(raw, [Finding(RejectCode.MALFORMED_REFS, message)])
    return Claim.of(candidate)


def _names_abandoned_source(candidate: Candidate) -> bool:
    text = candidate.model_dump_json()
    return any(word in text for word in FORBIDDEN_WORDS)


def _decide_one(claim: Claim, raw: object, facts: Facts, provenance: Provenance) -> Decision:
    evidence = claim.evidence(facts)
    findings = judge(claim, facts, evidence)
    if findings:
        return _reject(raw, findings)
    try:
        return Accepted(claim.candidate, build_pack(claim, facts, evidence, provenance))
    except ValidationError as error:
        field, fault = first_fault(error)
        message = (
            f"the facts of itemset_id {claim.itemset_ids[0]} of execution_id {facts.execution_id} "
            f"cannot be carried by a pack: {field}: {fault}"
        )
        return _reject(raw, [Finding(RejectCode.FACTS_UNREADABLE, message, field)])


def _reject(raw: object, findings: list[Finding]) -> Reject:
    names = raw.get("element_names") if isinstance(raw, dict) else None
    shown = [str(storable_raw(name)) for name in names] if isinstance(names, list) else []
    findings = [finding.masked() for finding in findings]
    return Reject(
        element_names=shown,
        reject_reason=findings[0].message,
        reject_code=findings[0].code,
        reject_codes=list(dict.fromkeys(finding.code for finding in findings)),
        corrections=[Correction(rule_id=RULE_OF_CODE[finding.code], **finding._asdict()) for finding in findings],
        candidate=storable_raw(raw),
    )
