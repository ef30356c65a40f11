"""Rows of ``demand_content`` as they stand, read back through the model; for whoever takes them in or looks again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from demand_assets.evidence.pack import DemandRow, check_row
from resources.foundation import strict_json
from resources.foundation.errors import PackRefused


def row_key(raw: Mapping[str, Any]) -> str:
    """What a person would look the row up by."""
    return f"demand_content {raw['id']}"


def read_published_row(raw: Mapping[str, Any]) -> DemandRow:
    """A row whose ``ext_data`` is the text that stands there.

    Raises:
        PackRefused: no strict JSON, or the row breaks the contract; names the field.
    """
    try:
        ext_data = strict_json.loads(raw["ext_data"])
    except strict_json.JsonRefused as error:
        raise PackRefused(f"{row_key(raw)}: ext_data: {error.message}", "publish the row again") from None
    return check_row({**raw, "ext_data": ext_data}, row_key(raw))


def names_itself(row: DemandRow) -> bool:
    """Whether the pack carries the id of its own row (D-064)."""
    return row.id is not None and row.id == row.ext_data.evidence_pack.demand_content_id
