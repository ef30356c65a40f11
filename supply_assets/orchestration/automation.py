"""Named automation conditions of the supply location, each with its reason."""

from __future__ import annotations

import dagster as dg

# eager() alone would start on rows whose blocking checks are red: across locations it does not look at them.
_DEPS_PROVEN = dg.AutomationCondition.all_deps_blocking_checks_passed()
# The proof of what demand_content publishes stands one asset further up, on validated_demands.
_THEIR_DEPS_PROVEN = dg.AutomationCondition.all_deps_match(_DEPS_PROVEN).with_label("deps_of_deps_proven")

WHEN_DEMANDS_STAND = (dg.AutomationCondition.eager() & _DEPS_PROVEN & _THEIR_DEPS_PROVEN).with_label(
    "when_demands_stand"
)

# A red check of the drift is no reason to wait: it is just then that open tasks must be frozen.
WHEN_DRIFT_IS_KNOWN = dg.AutomationCondition.eager().with_label("when_drift_is_known")
