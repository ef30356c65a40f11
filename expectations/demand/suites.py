"""The eight suites, an acceptance row of the source each (section 7).

A pack is judged once: by the digests of both sides where these agree, else rule by rule.
"""

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
from expectations.demand.frames import AGREED
from expectations.engine.rules import Suite, rows_exist, same

_AGREED = (*rows_exist(), *same("D-072", "claimed", "fact", "materialize validated_demands again"))


def _rules_or_digests(*suites: Suite) -> tuple[Suite, ...]:
    first = suites[0]
    rules = tuple(rule for suite in suites for rule in suite.rules)
    return (*suites, Suite(first.name, AGREED, first.description, first.blocking, _AGREED, stands_for=rules))


EVIDENCE_SUITES: dict[str, tuple[Suite, ...]] = {
    "evidence_truth": _rules_or_digests(evidence_truth.SUITE),
    "pg_only": _rules_or_digests(pg_only.SUITE),
    "itemset_closure": _rules_or_digests(itemset_closure.SUITE),
    "post_closure": _rules_or_digests(post_closure.SUITE),
    "category_tree_closure": _rules_or_digests(category_tree_closure.SUITE),
    "element_closure": _rules_or_digests(element_closure.SUITE, element_closure.PER_PACK),
}
OUTPUT_SUITES: dict[str, tuple[Suite, ...]] = {
    "write_scope": (write_scope.SUITE,),
    "downstream_contract": (downstream_contract.SUITE,),
}
