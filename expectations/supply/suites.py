"""The checks of the eight supply assets by asset and name (section 5 of the contract)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from expectations.engine.rules import Suite
from expectations.supply.demands import DEMAND_SUITES, TASK_SUITES
from expectations.supply.plans import PLAN_SUITES, RESULT_SUITES
from expectations.supply.pool import CANDIDATE_SUITES, FEATURE_SUITES, PROFILE_SUITES
from expectations.supply.scores import SCORE_SUITES


def _by_name(suites: Iterable[Suite]) -> dict[str, tuple[Suite, ...]]:
    """Suites of one name look at several frames, and are one check."""
    found: dict[str, tuple[Suite, ...]] = {}
    for suite in suites:
        found[suite.name] = (*found.get(suite.name, ()), suite)
    return found


SUPPLY_SUITES: Mapping[str, Mapping[str, tuple[Suite, ...]]] = {
    "demand_snapshots": _by_name(DEMAND_SUITES),
    "supply_tasks": _by_name(TASK_SUITES),
    "candidate_pool": _by_name(CANDIDATE_SUITES),
    "account_profiles": _by_name(PROFILE_SUITES),
    "content_features": _by_name(FEATURE_SUITES),
    "content_scores": _by_name(SCORE_SUITES),
    "crawler_plans": _by_name(PLAN_SUITES),
    "supply_results": _by_name(RESULT_SUITES),
}
