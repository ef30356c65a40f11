"""Suite ``downstream_contract``: rows as the consumer reads them, read back from where they stand (D-051, D-060)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from demand_assets.evidence.pack import check_row
from expectations.demand.frames import digest
from expectations.engine.rules import KEY, Suite, matching, one_of, present, rows_exist, same, within
from resources.foundation.errors import PackRefused

ROWS = "rows"
COLUMNS = (
    "id", "demand_content_id", "merge_leve2", "name", "score", "dt", "run_label", "expected_run_label",
    "video_ids", "case_ids", "matched_post_ids", "post_count", "absolute_support", "broken_contract",
)  # fmt: skip
_FIX = "the row is not what the sink writes: see broken_contract, then publish the partition again"

SUITE = Suite(
    name="downstream_contract",
    frame=ROWS,
    description="Each published row passes the model of the contract and carries its own id, cases and videos.",
    blocking=False,
    rules=(
        *rows_exist(),
        *one_of("D-053", "broken_contract", ["none"], _FIX),
        *same("D-064", "demand_content_id", "id", _FIX),
        *same("D-051", "video_ids", "matched_post_ids", _FIX),
        *same("D-051", "case_ids", "matched_post_ids", _FIX),
        *same("D-051", "post_count", "absolute_support", _FIX),
        *present("D-060", ["merge_leve2"], _FIX),
        *matching("D-060", "name", r"\S", _FIX),
        *within("D-021", "score", 0, 1, _FIX),
        *matching("D-060", "dt", r"^[0-9]{8}$", _FIX),
        *same("D-064a", "run_label", "expected_run_label", _FIX),
    ),
)


def rows_frame(rows: Sequence[Mapping[str, Any]], run_label: str) -> pd.DataFrame:
    """One row a published row; lists are compared by digest, ``broken_contract`` names the first broken field."""
    return pd.DataFrame([_row(row, run_label) for row in rows], columns=[KEY, *COLUMNS], dtype=object)


def _row(row: Mapping[str, Any], run_label: str) -> tuple[Any, ...]:
    ext = row.get("ext_data") or {}
    pack = ext.get("evidence_pack") or {}
    return (
        f"id {row.get('id')}",
        row.get("id"),
        pack.get("demand_content_id"),
        row.get("merge_leve2"),
        row.get("name"),
        row.get("score"),
        row.get("dt"),
        ext.get("run_label"),
        run_label,
        _digest(ext.get("video_ids")),
        _digest(pack.get("case_ids")),
        _digest(pack.get("matched_post_ids")),
        len(pack.get("matched_post_ids") or ()),
        pack.get("absolute_support"),
        _broken(row),
    )


def _digest(values: Sequence[object] | None) -> str | None:
    return None if values is None else digest(values)


def _broken(row: Mapping[str, Any]) -> str:
    try:
        check_row(row, "row")
    except PackRefused as error:
        return error.message
    return "none"
