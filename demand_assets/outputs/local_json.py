"""The local mode (D-061): files only, ids simulated."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from demand_assets.decisions.decision_loop import AcceptedDemand
from demand_assets.evidence.pack import DemandRow, check_row
from demand_assets.outputs.pools import feature_point_rows, multi_demand_pool_rows
from demand_assets.outputs.rows import RowContext, demand_row
from demand_assets.outputs.run_folder import RunFolder
from resources.foundation import strict_json

DEMAND_TASK = "demand_task.json"
DEMAND_ITEMS = "demand_items.json"
REJECTED_ITEMS = "rejected_demand_items.json"
DEMAND_CONTENT = "demand_content.json"
MULTI_DEMAND_POOL = "dwd_multi_demand_pool_di.json"
FEATURE_POINTS = "feature_point_data.json"


def local_rows(demands: Sequence[AcceptedDemand], context: RowContext) -> list[DemandRow]:
    """Rows with ids simulated from 1; a second demand of the same key is left out as the table would skip it.

    Raises:
        PackRefused: a row is not a proven row (D-066).
    """
    for demand in demands:
        check_row(demand_row(demand, context, None), f"before writing {demand.candidate.name!r}")
    distinct: dict[tuple[str, str], AcceptedDemand] = {}
    for demand in demands:
        distinct.setdefault(demand.key, demand)
    return [
        DemandRow.model_validate(demand_row(demand, context, place))
        for place, demand in enumerate(distinct.values(), start=1)
    ]


def plain(rows: Sequence[DemandRow]) -> list[dict[str, Any]]:
    """Rows as plain values."""
    return [row.model_dump(mode="json") for row in rows]


def write_demand_content(folder: RunFolder, rows: Sequence[DemandRow]) -> None:
    """``demand_content.json``, read back through the same model (D-053)."""
    path = folder.write_json(DEMAND_CONTENT, plain(rows))
    for raw in strict_json.loads(path.read_bytes()):
        check_row(raw, "read back demand_content.json")


def write_pools(folder: RunFolder, rows: Sequence[DemandRow]) -> None:
    """Both pools; ``feature_point_data.json`` is there even when it is empty."""
    values = plain(rows)
    folder.write_json(MULTI_DEMAND_POOL, multi_demand_pool_rows(values))
    folder.write_json(FEATURE_POINTS, feature_point_rows(values))
