"""Which packs say just what the facts say, by header, digests and words; the others are looked at rule by rule.

Nothing here names a rule: a pack that does not agree goes with its rows to the suites, which do. What agrees is shown
to the suites as the digests of both sides.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import itemgetter
from typing import Any, NamedTuple

from sqlalchemy import Connection

from demand_assets.evidence.facts import Evidence
from demand_assets.evidence.refs import FORBIDDEN_WORDS, PATTERN_ITEMSET
from demand_assets.evidence.terms import covered_segments, uncovered
from expectations.demand.pack_digests import bindings_digest, items_digest, posts_digest
from expectations.demand.pack_records import PackRecord
from resources.databases.pattern_facts.closure_facts import read_execution, read_itemsets
from resources.databases.pattern_facts.digests import FactDigests, read_digests
from resources.databases.pattern_facts.records import Binding, Item, Itemset
from resources.databases.pattern_facts.tables import SUCCESS, TOPIC_SCOPE

_FIXED = {
    "pattern_source_system": "pg_pattern_v2",
    "source_kind": PATTERN_ITEMSET,
    "source_certainty": "db_validated",
    "validation_status": "passed",
    "case_id_type": "post_id",
    "decode_case_ids": [],
}
_SHORT = itemgetter("category_id", "category_path", "point_type", "dimension", "element_name")


class Agreement(NamedTuple):
    """Digests of posts, items and bindings of one pack: what it says, and what the database computed."""

    key: str
    claimed: str
    fact: str


def split_by_agreement(
    connection: Connection, execution_id: int, records: Sequence[PackRecord]
) -> tuple[list[Agreement], list[PackRecord]]:
    """The packs that agree with today's facts, and the others; five statements."""
    asked = [(record.itemset_id or 0, record.post or "") for record in records]
    usable, heads, digests = _read(connection, execution_id, asked)
    agreed, others = [], []
    for record, pair in zip(records, asked, strict=True):
        claimed, head = _claimed(record, execution_id), heads.get(pair[0])
        fact = (digests.posts.get(pair[0]), digests.items.get(pair[0]), digests.bindings.get(pair))
        if usable and head is not None and claimed == fact and _head_agrees(record, head, execution_id):
            agreed.append(Agreement(record.key, " ".join(map(str, claimed)), " ".join(map(str, fact))))
        else:
            others.append(record)
    return agreed, others


def _read(
    connection: Connection, execution_id: int, asked: Sequence[tuple[int, str]]
) -> tuple[bool, dict[int, Itemset], FactDigests]:
    """Whether the execution is usable, the heads of the itemsets, and the digests."""
    execution = read_execution(connection, execution_id)
    usable = execution is not None and execution.status == SUCCESS
    heads = read_itemsets(connection, [itemset_id for itemset_id, _ in asked])
    return usable, heads, read_digests(connection, execution_id, asked)


def _claimed(record: PackRecord, execution_id: int) -> tuple[str, str, str] | None:
    """Digests of what the pack says; ``None`` where it cannot agree, whatever the facts are."""
    try:
        return _digests(record, execution_id)
    except (KeyError, TypeError):
        return None


def _digests(record: PackRecord, execution_id: int) -> tuple[str, str, str] | None:
    itemset_id, post = record.itemset_id, record.post
    items, elements = record.list_of("category_bindings"), record.list_of("element_bindings")
    if itemset_id is None or post is None or not _fixed_fields_agree(record, execution_id):
        return None
    posts = posts_digest(record.list_of("matched_post_ids"))
    itemset = items_digest(items, itemset_id, execution_id)
    bound = bindings_digest(elements, items, itemset_id, post)
    if posts is None or itemset is None or bound is None or not _own_lists_agree(record, items, elements):
        return None
    return (posts, itemset, bound) if _words_cover(record, itemset_id, items, elements) else None


def _fixed_fields_agree(record: PackRecord, execution_id: int) -> bool:
    get = record.pack.get
    return (
        get("pattern_execution_id") == execution_id
        and get("trace_id") is not None
        and all(get(field) == value for field, value in _FIXED.items())
        and not any(word in record.text for word in FORBIDDEN_WORDS)
    )


def _head_agrees(record: PackRecord, head: Itemset, execution_id: int) -> bool:
    get, topic = record.pack.get, (execution_id, TOPIC_SCOPE)
    return (
        (head.execution_id, head.scope) == topic
        and (head.config_execution_id, head.config_scope) == topic
        and get("itemset_ids") == [head.id]
        and (get("mining_config_id"), get("support")) == (head.mining_config_id, head.support)
        and head.support is not None
        and 0 <= head.support <= 1
        and head.config_min_support is not None
        and head.config_min_support <= head.support
        and head.item_count == len(record.list_of("category_bindings"))
        and get("absolute_support") == head.absolute_support == len(record.list_of("matched_post_ids"))
    )


def _own_lists_agree(record: PackRecord, items: list[dict[str, Any]], elements: list[dict[str, Any]]) -> bool:
    """The lists that repeat what the digests cover; every item binds an element, and the source is a matched post."""
    matched, short = record.list_of("matched_post_ids"), record.list_of("itemset_items")
    return (
        record.pack.get("case_ids") == matched
        and record.post in matched
        and repr(list(map(_SHORT, short))) == repr(list(map(_SHORT, items)))
        and {element["itemset_item_id"] for element in elements} == {item["itemset_item_id"] for item in items}
    )


def _words_cover(
    record: PackRecord, itemset_id: int, items: list[dict[str, Any]], elements: list[dict[str, Any]]
) -> bool:
    """D-041; where the digests agree, these items and elements are those of the facts."""
    seed_terms = record.list_of("seed_terms")
    evidence = Evidence([itemset_id], [_item(item) for item in items], [_binding(element) for element in elements])
    words = evidence.words()
    return (
        bool(seed_terms)
        and not uncovered(map(str, seed_terms), words)
        and covered_segments(record.name, words) is not None
    )


def _item(item: dict[str, Any]) -> Item:
    name, path, full_path = item["category_name"], item["category_path"], item["category_full_path"]
    return Item(item["itemset_id"], item["itemset_item_id"], None, None, None, None, None, name, path, full_path)


def _binding(element: dict[str, Any]) -> Binding:
    return Binding(element["itemset_id"], element["itemset_item_id"], "", element["element_name"], 1)
