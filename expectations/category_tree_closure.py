"""Suite ``category_tree_closure``: every item stands on a node of this execution's category tree (D-035)."""

from __future__ import annotations

from expectations.frames import ITEMS
from expectations.rules import Suite, matching, rows_exist, same

_FIX = "the category in the pack is not the item's category in the facts"

SUITE = Suite(
    name="category_tree_closure",
    frame=ITEMS,
    description="Each item's category exists in this execution, with the path, name, point type and dimension given.",
    blocking=True,
    rules=(
        *rows_exist(),
        *same("D-035", "itemset_id", "fact_itemset_id", _FIX),
        *same("D-035", "itemset_item_id", "fact_item_id", _FIX),
        *same("D-035", "category_id", "fact_category_id", _FIX),
        *same("D-035", "fact_category_execution_id", "partition_execution_id", _FIX),
        *matching("D-035", "fact_category_path", r"[^\s∅]", "the category's path is blank: mend the category tree"),
        *same("D-035", "category_path", "fact_category_path", _FIX),
        *same("D-050", "category_full_path", "fact_category_full_path", _FIX),
        *same("D-050", "category_name", "fact_category_name", _FIX),
        *same("D-050", "point_type", "fact_point_type", _FIX),
        *same("D-050", "dimension", "fact_dimension", _FIX),
        *same("D-050", "element_name", "fact_element_name", _FIX),
    ),
)
