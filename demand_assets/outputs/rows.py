"""From an accepted demand to a row of ``demand_content`` (D-052, D-060)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from demand_assets.decisions.decision_loop import AcceptedDemand


@dataclass(frozen=True)
class RowContext:
    """What a row says beside the demand: the business level, the run's label, the business day ``yyyymmdd``."""

    merge_leve2: str
    run_label: str
    dt: str


def demand_row(demand: AcceptedDemand, context: RowContext, row_id: int | None) -> dict[str, Any]:
    """The row as plain values; ``row_id`` is written into the pack as ``demand_content_id`` too."""
    candidate = demand.candidate
    pack = demand.pack.model_dump(mode="json")
    pack["demand_content_id"] = row_id
    return {
        "id": row_id,
        "merge_leve2": context.merge_leve2,
        "name": candidate.name,
        "reason": candidate.reason,
        "suggestion": candidate.desc,
        "score": demand.score,
        "ext_data": {
            "reason": candidate.reason,
            "desc": candidate.desc,
            "type": candidate.type,
            "video_ids": pack["matched_post_ids"],
            "run_label": context.run_label,
            "evidence_pack": pack,
        },
        "dt": context.dt,
    }
