"""Suite ``category_tree_closure``: every item stands on a node of this execution's category tree (D-035)."""

from __future__ import annotations

from expectations.demand.frames import ITEMS
from expectations.engine.rules import Suite, matching, rows_exist, same

_FIX = "the category in the pack is not the item's category in the facts"
_TREE = "the category's level or dimension contradicts its path or its item: mend the category tree"

SUITE = Suite(
    name="category_tree_closure",
    frame=ITEMS,
    description="Each item's category exists in this execution, with the path, name, point type and dimension given.",
    blocking=True,
    rules=(
        *rows_exist(),
        *same("D-035", "item", "fact_item", _FIX),
        *same("D-035", "category_id", "fact_category_id", _FIX),
        *same("D-035", "fact_category_execution_id", "partition_execution_id", _FIX),
        *matching("D-035", "fact_category_path", r"\S", "the category's path is blank: mend the category tree"),
        *same("D-035", "category_path", "fact_category_path", _FIX),
        *same("D-035", "fact_level", "fact_depth", _TREE),
        *same("D-035", "fact_category_dimension", "fact_dimension", _TREE),
        *same("D-050", "details", "fact_details", _FIX),
    ),
)
