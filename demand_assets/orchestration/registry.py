"""One table of what the UI says about each asset: group, kinds, owner, description, tags."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta

import dagster as dg

from demand_assets.orchestration.columns import COLUMNS, SAYS
from resources.platform.presentation import Entry, Presentation, present

FRESH: Mapping[str, dg.FreshnessPolicy] = {
    "demand_content_drift": dg.FreshnessPolicy.time_window(
        fail_window=timedelta(hours=50), warn_window=timedelta(hours=26)
    )
}
"""Looked for every night: a day later a night was missed, and two days later two were."""

ASSETS: dict[str, Entry] = {
    "pattern_itemsets": Entry(
        "facts",
        frozenset({"postgres", "parquet"}),
        "Topic itemsets of the execution as the facts say: support, items, category branches. Refuses an execution "
        "that does not exist or was not successful (D-004).",
    ),
    "weight_scores": Entry(
        "facts",
        frozenset({"postgres", "json"}),
        "How often an element or a category subtree is carried by posts, in (0, 1] (D-020).",
    ),
    "candidate_demands": Entry(
        "candidates", frozenset({"python"}), "Every candidate as proposed, in order. Claims, not facts (D-010)."
    ),
    "validated_demands": Entry(
        "candidates",
        frozenset({"python", "postgres"}),
        "Candidates whose evidence closes, each with the pack that the database filled in (D-030 … D-053).",
    ),
    "rejected_demands": Entry(
        "candidates",
        frozenset({"python"}),
        "The ledger of rejects: first failing rule, all failing rules, nearest valid values (D-043).",
    ),
    "demand_content": Entry(
        "demand_pool",
        frozenset({"mysql", "json"}),
        "Published demands. Every pack is proved once more against the facts before a row is written (D-063 … D-066).",
    ),
    "dwd_multi_demand_pool_di": Entry(
        "demand_pool", frozenset({"json"}), "Mirror of the two gap strategies; carries no evidence (D-062)."
    ),
    "feature_point_data": Entry(
        "demand_pool", frozenset({"json"}), "Feature points of the 全局树 level; carries no evidence (D-062)."
    ),
    "run_manifest": Entry(
        "demand_pool", frozenset({"json"}), "What was asked, what came of it, with what, and the files' hashes (D-067)."
    ),
    "demand_content_drift": Entry(
        "drift",
        frozenset({"postgres", "mysql"}),
        "Published rows that today's facts no longer prove; the rows themselves are not touched (D-073).",
    ),
}


def presentation(name: str) -> Presentation:
    """Arguments that present the asset ``name`` in the UI."""
    entry = ASSETS[name]
    tags = {"half": "demand", "store": "demand_content" if entry.group == "demand_pool" else "facts"}
    said = entry._replace(description=f"{SAYS[name]}\n\n{entry.description}")
    return present(said, tags, COLUMNS.get(name, ()), FRESH.get(name))


def output(name: str, *, is_required: bool = True) -> dg.AssetOut:
    """An output of a multi-asset, presented from the registry."""
    return dg.AssetOut(**presentation(name), is_required=is_required)
