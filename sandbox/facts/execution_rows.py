"""The two rows that head an execution: itself and its topic config."""

from __future__ import annotations

import pandas as pd

from resources.databases.pattern_facts import tables as t


def execution_row(execution_id: int, *, status: str, merge_leve2: str, platform_type: str, at: str) -> pd.DataFrame:
    """The row of ``pattern_mining_execution``; ``at`` is when it was made and last changed."""
    row = {
        "id": execution_id,
        "status": status,
        "merge_leve2": merge_leve2,
        "platform_type": platform_type,
        "created_at": at,
        "updated_at": at,
    }
    return pd.DataFrame([row])


def topic_config_row(config_id: int, *, execution_id: int, min_support: float) -> pd.DataFrame:
    """The row of ``pattern_mining_config`` with scope ``topic``."""
    row = {"id": config_id, "execution_id": execution_id, "scope": t.TOPIC_SCOPE, "min_support": min_support}
    return pd.DataFrame([row])
