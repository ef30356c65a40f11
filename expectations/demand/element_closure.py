"""Suite ``element_closure``: every item binds topic elements in the source post, exactly those listed (D-038)."""

from __future__ import annotations

from expectations.demand.frames import ELEMENTS, PACKS
from expectations.engine.rules import Suite, one_of, rows_exist, same, within

_FIX = "the element is not in pattern_mining_element for this post, category, point type and dimension"

SUITE = Suite(
    name="element_closure",
    frame=ELEMENTS,
    description="Each listed element is a topic element of the source post under the item's category.",
    blocking=True,
    rules=(
        *rows_exist(),
        *same("D-038", "item", "fact_item", _FIX),
        *same("D-038", "element_name", "fact_element_name", _FIX),
        *same("D-038", "place", "fact_place", _FIX),
        *same("D-038", "matched_element_count", "fact_element_count", _FIX),
        *one_of("D-050", "matched_post_count", [1], _FIX),
        *same("D-038", "matched_post_id", "source_post_id", _FIX),
    ),
)

PER_PACK = Suite(
    name="element_closure",
    frame=PACKS,
    description="Each pack lists all elements that its items bind, and every item binds one.",
    blocking=True,
    rules=(
        *rows_exist(),
        *within("D-051", "element_binding_count", 1, None, _FIX),
        *same("D-038", "bound_item_count", "fact_item_count", _FIX),
        *same("D-038", "elements", "fact_elements", _FIX),
    ),
)
