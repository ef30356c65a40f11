"""One table of what the UI says about each asset of the supply location."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import dagster as dg

from resources.platform.presentation import Entry, Presentation, present
from supply_assets.orchestration.automation import WHEN_DEMANDS_STAND, WHEN_DRIFT_IS_KNOWN
from supply_assets.orchestration.columns import COLUMNS, SAYS

# The UI draws groups of one name as one, whatever their location: no name here is one of the other location's.
ASSETS: dict[str, Entry] = {
    "demand_snapshots": Entry(
        "intake",
        frozenset({"mysql", "postgres"}),
        "Demands frozen as they were taken in; a row whose pack does not close is refused with its rule (S-002).",
    ),
    "supply_tasks": Entry(
        "intake", frozenset({"mysql"}), "One task a demand version; the state machine (S-003, S-004)."
    ),
    "candidate_pool": Entry(
        "articles", frozenset({"mysql", "http"}), "What searches found: 40 to 60 distinct articles a task (S-020)."
    ),
    "account_profiles": Entry(
        "articles", frozenset({"mysql", "http"}), "Who publishes them, and how steady and credible they are (S-021)."
    ),
    "content_features": Entry(
        "articles", frozenset({"mysql", "http"}), "What the pages of the most promising ones say (S-011, S-021)."
    ),
    "content_scores": Entry(
        "ranking",
        frozenset({"mysql", "python"}),
        "Filters, five scores, duplicates, diversity; too few good ones ask for another recall round (S-023 … S-025).",
    ),
    "crawler_plans": Entry(
        "plans", frozenset({"mysql", "http"}), "One plan a task on the platform, never two, whatever happens (S-028)."
    ),
    "supply_results": Entry(
        "plans",
        frozenset({"mysql", "postgres"}),
        "Every selected article with the pattern, the posts and the category nodes that asked for it (S-006, S-029).",
    ),
    "execution_report": Entry(
        "plans",
        frozenset({"mysql", "postgres", "html"}),
        "One page of the whole batch, from its itemsets to the items of its plans, every chain proved today (S-006).",
    ),
}

STANDING = "demand_standing"
# Beside the batches: it has no partition and is in none of their jobs.
STANDING_ENTRY = Entry(
    "intake",
    frozenset({"mysql", "postgres"}),
    "Whether today's facts still stand behind every open task; what no longer closes is frozen, what closes again is "
    "released (D-073).",
)
STANDING_FRESH = dg.FreshnessPolicy.time_window(fail_window=timedelta(hours=50), warn_window=timedelta(hours=26))
"""It follows the drift of each night."""
_TAGS = {"half": "supply", "store": "supply_store"}


class Automated(Presentation):
    """How an asset presents itself, and when it runs by itself."""

    automation_condition: dg.AutomationCondition[Any]


def presentation(name: str) -> Automated:
    """Arguments that present the asset ``name`` in the UI and say when it runs by itself."""
    return {
        **present(_said(name, ASSETS[name]), _TAGS, COLUMNS.get(name, ())),
        "automation_condition": WHEN_DEMANDS_STAND,
    }


def standing_presentation() -> Automated:
    """The same for the asset that looks at open tasks of all batches."""
    return {
        **present(_said(STANDING, STANDING_ENTRY), _TAGS, fresh=STANDING_FRESH),
        "automation_condition": WHEN_DRIFT_IS_KNOWN,
    }


def _said(name: str, entry: Entry) -> Entry:
    return entry._replace(description=f"{SAYS[name]}\n\n{entry.description}")
