"""The eight suites, an acceptance row of the source each (section 7)."""

from __future__ import annotations

from expectations.demand import (
    category_tree_closure,
    downstream_contract,
    element_closure,
    evidence_truth,
    itemset_closure,
    pg_only,
    post_closure,
    write_scope,
)
from expectations.engine.rules import Suite

EVIDENCE_SUITES: dict[str, tuple[Suite, ...]] = {
    "evidence_truth": (evidence_truth.SUITE,),
    "pg_only": (pg_only.SUITE,),
    "itemset_closure": (itemset_closure.SUITE,),
    "post_closure": (post_closure.SUITE,),
    "category_tree_closure": (category_tree_closure.SUITE,),
    "element_closure": (element_closure.SUITE, element_closure.PER_PACK),
}
OUTPUT_SUITES: dict[str, tuple[Suite, ...]] = {
    "write_scope": (write_scope.SUITE,),
    "downstream_contract": (downstream_contract.SUITE,),
}
