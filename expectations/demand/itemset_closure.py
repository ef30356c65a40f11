"""Suite ``itemset_closure``: itemset, config, items and support are one execution's topic facts (D-031 … D-034)."""

from __future__ import annotations

from expectations.demand.frames import PACKS
from expectations.engine.rules import Suite, one_of, rows_exist, same, within

_FIX = "the pack and the itemset differ: materialize validated_demands again, then look for changed facts"

SUITE = Suite(
    name="itemset_closure",
    frame=PACKS,
    description="One topic itemset of this execution, with its config, its items and its support, as the facts say.",
    blocking=True,
    rules=(
        *rows_exist(),
        *one_of("D-034", "itemset_count", [1], _FIX),
        *same("D-031", "itemset_id", "fact_itemset_id", _FIX),
        *same("D-032", "fact_itemset_execution_id", "partition_execution_id", _FIX),
        *one_of("D-033", "fact_scope", ["topic"], _FIX),
        *same("D-033", "mining_config_id", "fact_config_id", _FIX),
        *same("D-033", "fact_config_execution_id", "partition_execution_id", _FIX),
        *one_of("D-033", "fact_config_scope", ["topic"], _FIX),
        *one_of("D-033", "support_is_frequent", [True], _FIX),
        *same("D-034", "support", "fact_support", _FIX),
        *within("D-034", "support", 0, 1, _FIX),
        *same("D-036", "absolute_support", "fact_absolute_support", _FIX),
        *within("D-035", "item_count", 1, None, _FIX),
        *same("D-035", "item_count", "fact_item_count", _FIX),
        *same("D-035", "stated_item_count", "fact_item_count", _FIX),
        *same("D-035", "items", "fact_items", _FIX),
        *same("D-050", "short_items", "fact_short_items", _FIX),
    ),
)
