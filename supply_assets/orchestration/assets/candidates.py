"""What the platform knows: the pool, the accounts, the pages."""

from typing import Any

from resources.databases.supply_store.states import Stage
from resources.platform.views import bar_plot, frame_table
from supply_assets.orchestration.assets.stage_asset import StageOutcome, stage_asset
from supply_assets.orchestration.frames import candidate_frame, feature_frame, profile_frame

SHOWN_OF_CANDIDATES = ["task_id", "title", "account_name", "view_count", "publish_time", "url"]


@stage_asset(Stage.RECALL, candidate_frame)
def candidate_pool(done: StageOutcome) -> dict[str, Any]:
    """RECALL for every task (S-020)."""
    by_round = done.frame["recall_round"].value_counts().sort_index()
    return {
        "sample": frame_table(done.frame[SHOWN_OF_CANDIDATES]),
        "plot": bar_plot({f"round {name}": int(count) for name, count in by_round.items()}, "found in round"),
    }


@stage_asset(Stage.ACCOUNT_PROFILE, profile_frame, "candidate_pool")
def account_profiles(done: StageOutcome) -> dict[str, Any]:
    """ACCOUNT_ENRICH and ACCOUNT_PROFILE for every task (S-021)."""
    known = int(done.frame["credibility_score"].notna().sum())
    return {"with_history": known, "without_history": len(done.frame) - known, "sample": frame_table(done.frame)}


@stage_asset(Stage.CONTENT_ENRICH, feature_frame, "account_profiles")
def content_features(done: StageOutcome) -> dict[str, Any]:
    """CONTENT_ENRICH for every task (S-021)."""
    return {"candidates": done.report().funnel["candidates"], "sample": frame_table(done.frame)}
