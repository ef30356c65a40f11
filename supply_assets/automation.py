"""Named automation conditions of the supply location, each with its reason."""

from __future__ import annotations

import dagster as dg

# eager() alone would start on rows whose blocking checks are red: across locations it does not look at them.
WHEN_DEMANDS_STAND = (
    dg.AutomationCondition.eager() & dg.AutomationCondition.all_deps_blocking_checks_passed()
).with_label("when_demands_stand")
