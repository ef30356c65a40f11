"""Frames of the supply assets: what the store says today of a batch, one row a demand, task, candidate, plan item.

Belongs here: which frames an asset has, with the columns that its rules look at. How rows are built: ``*_frames``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from typing import Any

import pandas as pd
from sqlalchemy import Connection

from expectations.engine.rules import KEY
from expectations.supply.batch_rows import Batch, FrameRows
from expectations.supply.demands_frames import demand_frames, task_frames
from expectations.supply.plans_frames import plan_frames, result_frames
from expectations.supply.pool_frames import candidate_frames, feature_frames, profile_frames
from expectations.supply.scores_frames import score_frames
from expectations.supply.suites import SUPPLY_SUITES

BUILDERS: Mapping[str, Callable[[Batch], FrameRows]] = {
    "demand_snapshots": demand_frames,
    "supply_tasks": task_frames,
    "candidate_pool": candidate_frames,
    "account_profiles": profile_frames,
    "content_features": feature_frames,
    "content_scores": score_frames,
    "crawler_plans": plan_frames,
    "supply_results": result_frames,
}


def supply_frames(
    connection: Connection, asset: str, tasks: pd.DataFrame, demands: pd.DataFrame
) -> dict[str, pd.DataFrame]:
    """The frames of one asset's suites; the number of statements does not grow with the rows.

    Args:
        asset: one of the eight supply assets.
        tasks: ``task_id, demand_id, trace_id, snapshot_id, idempotency_key, batch`` of each task of the batch.
        demands: one row a demand, ``taken`` with its snapshot and task or ``refused`` with its rule.

    Returns:
        Frames by name; the first column, ``key``, says which row it is. All are empty where the batch is.

    Raises:
        KeyError: there is no such asset.
    """
    found = BUILDERS[asset](Batch(connection, tasks, demands))
    return {name: _frame(rows, _columns(asset, name)) for name, rows in found.items()}


def _columns(asset: str, frame: str) -> list[str]:
    """The columns that rules over the frame look at, after the key."""
    suites = chain.from_iterable(SUPPLY_SUITES[asset].values())
    rules = chain.from_iterable(suite.rules for suite in suites if suite.frame == frame)
    named = (rule.arguments.get(name) for rule in rules for name in ("column", "column_A", "column_B"))
    return [KEY, *dict.fromkeys(column for column in named if column)]


def _frame(rows: Sequence[Mapping[str, Any]], columns: Sequence[str]) -> pd.DataFrame:
    """Objects: an id beside an empty one stays whole."""
    return pd.DataFrame([[row.get(name) for name in columns] for row in rows], columns=list(columns), dtype=object)
