"""Suite ``evidence_truth``: every accepted row says, and may say, that it was proved in the database."""

from __future__ import annotations

from expectations.demand.frames import PACKS
from expectations.engine.rules import Suite, one_of, present, rows_exist, same, within

_FIX = "materialize validated_demands again: only a pack built from the facts may stand here"

SUITE = Suite(
    name="evidence_truth",
    frame=PACKS,
    description="Each pack is db_validated and passed, carries its trace, and names this partition's execution.",
    blocking=True,
    rules=(
        *rows_exist(),
        *one_of("D-050", "source_certainty", ["db_validated"], _FIX),
        *one_of("D-050", "validation_status", ["passed"], _FIX),
        *one_of("D-012", "source_kind", ["pattern_itemset"], _FIX),
        *one_of("D-050", "case_id_type", ["post_id"], _FIX),
        *present("D-050", ["trace_id"], _FIX),
        *same("D-030", "pattern_execution_id", "partition_execution_id", _FIX),
        *one_of("D-030", "fact_execution_status", ["success"], "choose a successful execution"),
        *within("D-041", "seed_term_count", 1, None, _FIX),
        *one_of("D-041", "uncovered_seed_terms", [0], "a seed term is not among the evidence's own words"),
        *one_of("D-041", "uncovered_name", [False], "an element name is not among the evidence's own words"),
    ),
)
