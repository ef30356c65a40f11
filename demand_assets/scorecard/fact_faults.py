"""Facts that change between proposal and decision: a sound candidate must be rejected once its facts are altered."""

from __future__ import annotations

from collections.abc import Callable

from sqlalchemy import Executable

from demand_assets.evidence.codes import RejectCode as Code
from demand_assets.scorecard.sound_candidates import FaultClass, SoundCandidate
from resources.databases.pattern_facts.spoiled import alterations as alter

Alter = Callable[[SoundCandidate, int], list[Executable]]


def _item_id(sound: SoundCandidate) -> int:
    return sound.pack.category_bindings[0].itemset_item_id


FACT_FAULTS: dict[FaultClass, Alter] = {
    FaultClass("execution failed since", Code.EXECUTION_NOT_USABLE): lambda s, e: alter.execution_status(e, "failed"),
    FaultClass("execution is gone", Code.EXECUTION_NOT_USABLE): lambda s, e: alter.execution_gone(e),
    FaultClass("itemset is gone", Code.ITEMSET_NOT_FOUND): lambda s, e: alter.itemset_gone(_itemset(s)),
    FaultClass("itemset moved to another execution", Code.ITEMSET_OTHER_EXECUTION): (
        lambda s, e: alter.itemset_set(_itemset(s), execution_id=e + 1)
    ),
    FaultClass("itemset has another scope now", Code.SCOPE_NOT_TOPIC): (
        lambda s, e: alter.itemset_set(_itemset(s), scope="script")
    ),
    FaultClass("config is gone", Code.CONFIG_NOT_CLOSED): lambda s, e: alter.config_gone(s.pack.mining_config_id),
    FaultClass("config of another scope", Code.CONFIG_NOT_CLOSED): (
        lambda s, e: alter.config_set(s.pack.mining_config_id, scope="script")
    ),
    FaultClass("config of another execution", Code.CONFIG_NOT_CLOSED): (
        lambda s, e: alter.config_set(s.pack.mining_config_id, execution_id=e + 1)
    ),
    FaultClass("items are gone", Code.CATEGORY_NOT_CLOSED): lambda s, e: alter.items_gone(_itemset(s)),
    FaultClass("item without category", Code.CATEGORY_NOT_CLOSED): lambda s, e: alter.item_without_category(
        _item_id(s)
    ),
    FaultClass("category path is blank", Code.CATEGORY_NOT_CLOSED): (
        lambda s, e: alter.category_set(s.pack.category_bindings[0].category_id, path=" ")
    ),
    FaultClass("category of another execution", Code.CATEGORY_NOT_CLOSED): (
        lambda s, e: alter.category_set(s.pack.category_bindings[0].category_id, execution_id=e + 1)
    ),
    FaultClass("config asks for more support", Code.CONFIG_NOT_CLOSED): (
        lambda s, e: alter.config_set(s.pack.mining_config_id, min_support=s.pack.support + 0.1)
    ),
    FaultClass("stale item_count", Code.CATEGORY_NOT_CLOSED): (
        lambda s, e: alter.itemset_set(_itemset(s), item_count=len(s.pack.category_bindings) + 1)
    ),
    FaultClass("category of another level", Code.CATEGORY_NOT_CLOSED): (
        lambda s, e: alter.category_set(s.pack.category_bindings[0].category_id, level=99)
    ),
    FaultClass("category of another dimension", Code.CATEGORY_NOT_CLOSED): (
        lambda s, e: alter.category_set(s.pack.category_bindings[0].category_id, dimension="别的维度")
    ),
    FaultClass("stale absolute_support", Code.POST_COUNT_MISMATCH): (
        lambda s, e: alter.itemset_set(_itemset(s), absolute_support=s.pack.absolute_support + 1)
    ),
    FaultClass("support of zero", Code.POST_COUNT_MISMATCH): (
        lambda s, e: alter.itemset_set(_itemset(s), absolute_support=0)
    ),
    FaultClass("a post link is gone", Code.POST_COUNT_MISMATCH): (
        lambda s, e: alter.post_link_gone(_itemset(s), s.pack.matched_post_ids[-1])
    ),
    FaultClass("a blank post link", Code.POST_COUNT_MISMATCH): lambda s, e: alter.post_link_added(_itemset(s), " "),
    FaultClass("source post swapped in the facts", Code.SOURCE_POST_NOT_MATCHED): (
        lambda s, e: alter.post_link_renamed(_itemset(s), s.pack.source_post_id, "another-post")
    ),
    FaultClass("elements are gone", Code.ELEMENT_NOT_BOUND): lambda s, e: alter.elements_gone(s.pack.source_post_id),
    FaultClass("elements of another table", Code.ELEMENT_NOT_BOUND): (
        lambda s, e: alter.elements_set(s.pack.source_post_id, source_table="post_decode_script_element")
    ),
    FaultClass("elements of another point type", Code.ELEMENT_NOT_BOUND): (
        lambda s, e: alter.elements_set(s.pack.source_post_id, point_type="别的点")
    ),
}


def _itemset(sound: SoundCandidate) -> int:
    return sound.pack.itemset_ids[0]
