"""``supply_demand_snapshot``: what was asked for, frozen, one row a version of a demand (S-003)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, insert, select

from resources.databases.supply_store.rows import columns_of, read_by, select_in
from resources.databases.supply_store.tables import supply_demand_snapshot as s


@dataclass(frozen=True, slots=True, kw_only=True)
class NewSnapshot:
    """A snapshot to be written; versions of a demand count from 1."""

    demand_id: int
    query: str
    demand_code: str | None = None
    query_expansion: list[str] | None = None
    platform: str = "weixin"
    expected_count: int = 10
    audience_profile: dict[str, Any] | None = None
    quality_constraints: dict[str, Any] | None = None
    source_payload: dict[str, Any] | None = None
    version: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class SnapshotRow(NewSnapshot):
    """A snapshot that stands."""

    id: int
    created_at: datetime


def snapshot_versions(connection: Connection, demand_ids: Iterable[int]) -> dict[int, list[SnapshotRow]]:
    """All versions of each demand that has one, the highest first."""
    versions: dict[int, list[SnapshotRow]] = {}
    for row in read_by(connection, s, s.c.demand_id, demand_ids, SnapshotRow):
        versions.setdefault(row.demand_id, []).append(row)
    return {demand_id: sorted(rows, key=lambda row: -row.version) for demand_id, rows in versions.items()}


def insert_snapshots(connection: Connection, rows: Sequence[NewSnapshot]) -> dict[tuple[int, int], int]:
    """Write snapshots; their ids by (demand_id, version), found by key and not by the driver's last id (MY10)."""
    if not rows:
        return {}
    connection.execute(insert(s), [columns_of(row) for row in rows])
    wanted = {(row.demand_id, row.version) for row in rows}
    statement = select(s.c.demand_id, s.c.version, s.c.id).order_by(s.c.id)
    found = select_in(connection, statement, s.c.demand_id, (row.demand_id for row in rows))
    return {(demand_id, version): row_id for demand_id, version, row_id in found if (demand_id, version) in wanted}


def read_snapshots(connection: Connection, ids: Iterable[int]) -> dict[int, SnapshotRow]:
    """Snapshots by their ids; an id that is not there is left out."""
    return {row.id: row for row in read_by(connection, s, s.c.id, ids, SnapshotRow)}
