"""The sink of ``demand_content`` (D-063 … D-066): proves its input, writes once, in one transaction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection

from demand_assets.decisions.decision_loop import AcceptedDemand
from demand_assets.evidence.pack import DemandRow, check_row
from demand_assets.outputs.rows import RowContext, demand_row
from resources.databases.demand_store.engine import DemandStore
from resources.databases.demand_store.statements import (
    RowKey,
    insert_rows,
    read_keys,
    read_rows_of_label,
    write_ids_into_packs,
)
from resources.foundation.errors import PackRefused


@dataclass(frozen=True)
class PublishResult:
    """What a write did: rows of this run as they stand afterwards, how many were new, how many stood already."""

    rows: list[DemandRow]
    inserted: int
    skipped: int


def publish(store: DemandStore, demands: Sequence[AcceptedDemand], context: RowContext) -> PublishResult:
    """Write the demands that do not stand yet under the run label; the same call again adds nothing.

    Every row is validated before the first statement, and as read back before the transaction ends.

    Raises:
        PackRefused: a row is not a proven row, before or after writing; nothing is written.
        StoreUnwritable: the database could not be used; nothing is written.
    """
    drafts: dict[tuple[str, str], dict[str, Any]] = {}
    for demand in demands:
        draft = demand_row(demand, context, None)
        check_row(draft, f"before writing {demand.candidate.name!r}")
        drafts.setdefault(demand.key, draft)

    def write(connection: Connection) -> PublishResult:
        standing = read_keys(connection, context.run_label)
        new = {key: draft for key, draft in drafts.items() if RowKey(*key) not in standing}
        insert_rows(connection, [_without_id(draft) for draft in new.values()])
        if new:
            write_ids_into_packs(connection, context.run_label)
        rows = _read_back(connection, context.run_label, drafts, new)
        return PublishResult(rows, inserted=len(new), skipped=len(demands) - len(new))

    return store.write(context.run_label, write)


def _without_id(draft: dict[str, Any]) -> dict[str, Any]:
    pack = {k: v for k, v in draft["ext_data"]["evidence_pack"].items() if k != "demand_content_id"}
    row = {k: v for k, v in draft.items() if k != "id"}
    return row | {"ext_data": draft["ext_data"] | {"evidence_pack": pack}}


def _read_back(
    connection: Connection,
    run_label: str,
    drafts: dict[tuple[str, str], dict[str, Any]],
    new: dict[tuple[str, str], dict[str, Any]],
) -> list[DemandRow]:
    found: dict[tuple[str, str], DemandRow] = {}
    for raw in read_rows_of_label(connection, run_label):
        pack = raw["ext_data"].get("evidence_pack") or {}
        key = (raw["name"], pack.get("source_post_id"))
        if key in drafts and key not in found:
            found[key] = _check_stored(raw)
    for key, draft in new.items():
        row = found.get(key)
        if row is None or row.model_dump(mode="json") != _with_id(draft, row.id):
            raise PackRefused(f"row {key[0]!r} was not stored as it was written", "nothing was written")
    return [found[key] for key in drafts]


def _check_stored(raw: dict[str, Any]) -> DemandRow:
    row = check_row(raw, f"read back id {raw['id']}")
    if row.id != row.ext_data.evidence_pack.demand_content_id:
        raise PackRefused(f"row {row.id} carries another row's demand_content_id", "nothing was written")
    return row


def _with_id(draft: dict[str, Any], row_id: int | None) -> dict[str, Any]:
    pack = draft["ext_data"]["evidence_pack"] | {"demand_content_id": row_id}
    return draft | {"id": row_id, "ext_data": draft["ext_data"] | {"evidence_pack": pack}}
