"""How many rows of ``demand_content`` there are, without reading any of them."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection, case, func, null, select

from resources.databases.demand_store.tables import demand_content as d


def count_rows(connection: Connection, execution_ids: Sequence[int]) -> dict[int, int]:
    """Published rows by execution, of those that have any; a row that is no JSON belongs to none."""
    own = d.c.ext_data[("evidence_pack", "pattern_execution_id")].as_integer()
    execution_id = case((func.json_valid(d.c.ext_data) == 1, own), else_=null())
    counted = select(execution_id, func.count()).group_by(execution_id)
    wanted = set(execution_ids)
    return {row[0]: int(row[1]) for row in connection.execute(counted) if row[0] in wanted}
