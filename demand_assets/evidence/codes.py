"""Reject codes in the order of the contract's table (section 4) and the rule each stands for."""

from __future__ import annotations

from enum import StrEnum


class RejectCode(StrEnum):
    """Why a candidate may not become demand_content; declaration order is the order of the rules."""

    MALFORMED_REFS = "malformed_refs"
    SOURCE_KIND_NOT_SUPPORTED = "source_kind_not_supported"
    EXECUTION_NOT_USABLE = "execution_not_usable"
    ITEMSET_NOT_FOUND = "itemset_not_found"
    ITEMSET_OTHER_EXECUTION = "itemset_other_execution"
    SCOPE_NOT_TOPIC = "scope_not_topic"
    CONFIG_NOT_CLOSED = "config_not_closed"
    ITEMSET_NOT_SINGLE = "itemset_not_single"
    CATEGORY_NOT_CLOSED = "category_not_closed"
    POST_COUNT_MISMATCH = "post_count_mismatch"
    SOURCE_POST_NOT_MATCHED = "source_post_not_matched"
    ELEMENT_NOT_BOUND = "element_not_bound"
    CATEGORY_NOT_IN_ITEMSET = "category_not_in_itemset"
    CASE_NOT_MATCHED = "case_not_matched"
    ELEMENT_NAMES_NOT_COVERED = "element_names_not_covered"
    SEED_TERMS_NOT_COVERED = "seed_terms_not_covered"
    FACTS_UNREADABLE = "facts_unreadable"


RULE_OF_CODE: dict[RejectCode, str] = {
    RejectCode.MALFORMED_REFS: "D-011",
    RejectCode.SOURCE_KIND_NOT_SUPPORTED: "D-012",
    RejectCode.EXECUTION_NOT_USABLE: "D-030",
    RejectCode.ITEMSET_NOT_FOUND: "D-031",
    RejectCode.ITEMSET_OTHER_EXECUTION: "D-032",
    RejectCode.SCOPE_NOT_TOPIC: "D-033",
    RejectCode.CONFIG_NOT_CLOSED: "D-033",
    RejectCode.ITEMSET_NOT_SINGLE: "D-034",
    RejectCode.CATEGORY_NOT_CLOSED: "D-035",
    RejectCode.POST_COUNT_MISMATCH: "D-036",
    RejectCode.SOURCE_POST_NOT_MATCHED: "D-037",
    RejectCode.ELEMENT_NOT_BOUND: "D-038",
    RejectCode.CATEGORY_NOT_IN_ITEMSET: "D-039",
    RejectCode.CASE_NOT_MATCHED: "D-040",
    RejectCode.ELEMENT_NAMES_NOT_COVERED: "D-041",
    RejectCode.SEED_TERMS_NOT_COVERED: "D-041",
    RejectCode.FACTS_UNREADABLE: "D-042",
}
_ORDER = {code: place for place, code in enumerate(RejectCode)}


def rule_order(code: RejectCode) -> int:
    """Place of a code in the contract's table, from 0."""
    return _ORDER[code]
