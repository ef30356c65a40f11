"""Suite ``pg_only``: evidence comes from the PostgreSQL facts and from nowhere else (D-052)."""

from __future__ import annotations

from expectations.demand.frames import PACKS
from expectations.engine.rules import Suite, one_of, present, rows_exist

_FIX = "find out who wrote this pack: no other source may be named"

SUITE = Suite(
    name="pg_only",
    frame=PACKS,
    description="pattern_source_system is pg_pattern_v2, the itemset is in the facts, no abandoned source is named.",
    blocking=True,
    rules=(
        *rows_exist(),
        *one_of("D-050", "pattern_source_system", ["pg_pattern_v2"], _FIX),
        *one_of("D-052", "forbidden_words", [0], _FIX),
        *present("D-031", ["fact_itemset_id"], _FIX),
        *one_of("D-050", "decode_case_count", [0], _FIX),
    ),
)
