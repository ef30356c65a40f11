"""INIT: a pending task begins to run."""

from __future__ import annotations

from resources.databases.supply_store.states import Stage, TaskStatus
from supply_assets.stages.stage import Attempt, StageEnd


async def init(attempt: Attempt) -> StageEnd:
    """Nothing is fetched: what is asked for stands in the snapshot."""
    wanted = attempt.wanted
    return StageEnd(
        TaskStatus.RUNNING,
        Stage.RECALL,
        {"terms": list(wanted.terms), "expansion": len(wanted.expansion), "expected_count": wanted.expected_count},
    )
