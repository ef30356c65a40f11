"""Packs altered after the proof: each field alone. The model or the re-proof must refuse, naming the field."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

from demand_assets.scorecard.candidate_faults import INVENTED_ID

AlterPack = Callable[[dict[str, Any]], None]


def _change(field: str, change: Callable[[Any], Any]) -> AlterPack:
    return lambda pack: pack.update({field: change(pack[field])})


def _set(field: str, value: Any) -> AlterPack:
    return _change(field, lambda _: value)


def _in_first(field: str, name: str, value: Any) -> AlterPack:
    return _change(field, lambda rows: [rows[0] | {name: value}, *rows[1:]])


def _plus_one(field: str) -> AlterPack:
    return _change(field, lambda number: number + 1)


def _drop_last(field: str) -> AlterPack:
    return _change(field, lambda rows: rows[:-1])


def _swap_posts(pack: dict[str, Any]) -> None:
    """Another post in place of the last one, in both lists: the pack still agrees with itself."""
    last = len(pack["matched_post_ids"]) - 1
    swapped = [*pack["matched_post_ids"][:last], pack["matched_post_ids"][last] + "~"]
    pack["matched_post_ids"] = pack["case_ids"] = swapped
    pack["source_post_id"] = swapped[0]
    for binding in pack["element_bindings"]:
        binding["matched_post_ids"] = [swapped[0]]


def _stale_support(pack: dict[str, Any]) -> None:
    """One post fewer, consistently: only the facts can tell."""
    kept = [p for p in pack["matched_post_ids"] if p == pack["source_post_id"] or p != pack["matched_post_ids"][-1]]
    if len(kept) == len(pack["matched_post_ids"]):
        kept = kept[1:]
    pack["matched_post_ids"] = pack["case_ids"] = kept
    pack["absolute_support"] = len(kept)


def _count_up(pack: dict[str, Any]) -> None:
    pack["element_bindings"][0]["matched_element_count"] += 1


PACK_FAULTS: dict[str, AlterPack] = {
    "pattern_source_system": _set("pattern_source_system", "mysql"),
    "pattern_execution_id": _plus_one("pattern_execution_id"),
    "mining_config_id": _plus_one("mining_config_id"),
    "source_kind": _set("source_kind", "direct_case"),
    "case_id_type": _set("case_id_type", "video_id"),
    "source_post_id": _set("source_post_id", "another-post"),
    "category_bindings: another category": _in_first("category_bindings", "category_id", INVENTED_ID),
    "category_bindings: another path": _in_first("category_bindings", "category_path", "/别处"),
    "category_bindings: another full path": _in_first("category_bindings", "category_full_path", "/别处"),
    "category_bindings: another name": _in_first("category_bindings", "category_name", "别处"),
    "category_bindings: another item": _in_first("category_bindings", "itemset_item_id", INVENTED_ID),
    "element_bindings: another name": _in_first("element_bindings", "element_name", "别的元素"),
    "element_bindings: another count": _count_up,
    "element_bindings: one is missing": _drop_last("element_bindings"),
    "itemset_ids": _set("itemset_ids", [INVENTED_ID]),
    "itemset_items: another category": _in_first("itemset_items", "category_id", INVENTED_ID),
    "itemset_items: one is missing": _drop_last("itemset_items"),
    "support": _change("support", lambda support: round(1 - support / 2, 6)),
    "absolute_support": _plus_one("absolute_support"),
    "matched_post_ids: one swapped": _swap_posts,
    "matched_post_ids: stale support": _stale_support,
    "case_ids": _drop_last("case_ids"),
    "decode_case_ids": _set("decode_case_ids", ["1"]),
    "seed_terms": _set("seed_terms", ["量子纠缠瑜伽"]),
    "trace_id": _set("trace_id", " "),
    "demand_task_id": _set("demand_task_id", "1"),
    "demand_content_id": _set("demand_content_id", True),
    "source_certainty": _set("source_certainty", "model_said"),
    "validation_status": _set("validation_status", "failed"),
}


def altered(pack: dict[str, Any], alter: AlterPack) -> dict[str, Any]:
    """A copy of the pack with the fault in it."""
    spoiled = copy.deepcopy(pack)
    alter(spoiled)
    return spoiled
