"""The checks of the eight supply assets by asset and name (section 5 of the contract)."""

from __future__ import annotations

from expectations.engine.rules import Suite
from expectations.supply.demands import DEMAND_SUITES, TASK_SUITES
from expectations.supply.plans import PLAN_SUITES, RESULT_SUITES
from expectations.supply.pool import CANDIDATE_SUITES, FEATURE_SUITES, PROFILE_SUITES
from expectations.supply.scores import SCORE_SUITES

SUPPLY_SUITES: dict[str, dict[str, tuple[Suite, ...]]] = {
    "demand_snapshots": DEMAND_SUITES,
    "supply_tasks": TASK_SUITES,
    "candidate_pool": CANDIDATE_SUITES,
    "account_profiles": PROFILE_SUITES,
    "content_features": FEATURE_SUITES,
    "content_scores": SCORE_SUITES,
    "crawler_plans": PLAN_SUITES,
    "supply_results": RESULT_SUITES,
}
