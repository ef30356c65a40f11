"""Frames that put each pack beside the facts, read afresh (D-072): one row a pack, an item, an element binding.

A pack that agrees with the facts by their digests is one row of two digests; only the others cost the facts' rows.
What may be nothing is compared inside a composite text, where two nulls are equal and a null and a text are not.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pandas as pd
from sqlalchemy import Connection

from demand_assets.evidence.fact_consistency import depth_of, is_frequent
from demand_assets.evidence.facts import NO_POSTS, Facts, read_facts
from demand_assets.evidence.refs import FORBIDDEN_WORDS
from demand_assets.evidence.terms import covered_segments, uncovered
from expectations.demand.agreement import split_by_agreement
from expectations.demand.pack_records import PackRecord
from expectations.engine.rules import KEY
from resources.databases.pattern_facts.records import Binding, Item, Itemset, Posts
from resources.foundation.gc_pause import collection_paused

AGREED, PACKS, ITEMS, ELEMENTS = "agreed", "packs", "items", "elements"
AGREED_COLUMNS = ("claimed", "fact")

PACK_COLUMNS = (
    "pattern_source_system", "source_kind", "source_certainty", "validation_status", "case_id_type", "trace_id",
    "pattern_execution_id", "partition_execution_id", "fact_execution_status", "forbidden_words",
    "itemset_count", "itemset_id", "fact_itemset_id", "fact_itemset_execution_id", "fact_scope",
    "mining_config_id", "fact_config_id", "fact_config_execution_id", "fact_config_scope",
    "support", "fact_support", "absolute_support", "fact_absolute_support",
    "support_is_frequent",
    "post_count", "fact_post_count", "fact_blank_posts", "posts", "fact_posts", "case_ids", "source_post_is_fact",
    "decode_case_count", "item_count", "fact_item_count", "stated_item_count", "items", "fact_items",
    "short_items", "fact_short_items",
    "element_binding_count", "bound_item_count", "elements", "fact_elements",
    "uncovered_name", "seed_term_count", "uncovered_seed_terms",
)  # fmt: skip
ITEM_COLUMNS = (
    "item", "fact_item", "category_id", "fact_category_id", "partition_execution_id", "fact_category_execution_id",
    "category_path", "fact_category_path", "details", "fact_details",
    "fact_level", "fact_depth", "fact_category_dimension", "fact_dimension",
)  # fmt: skip
ELEMENT_COLUMNS = (
    "item", "fact_item", "element_name", "fact_element_name", "place", "fact_place",
    "matched_element_count", "fact_element_count", "matched_post_count", "matched_post_id", "source_post_id",
)  # fmt: skip
_SEPARATOR = "\x1f"


def evidence_frames(
    connection: Connection, execution_id: int, records: Sequence[PackRecord]
) -> dict[str, pd.DataFrame]:
    """The frames of one execution partition; ten statements at the most.

    Returns:
        ``agreed`` (one row a pack that says what the facts say, by their digests), and for the others ``packs`` (one
        row a pack), ``items`` (one a category binding), ``elements`` (one an element binding). Every pack is in
        ``agreed`` or in ``packs``; what no pack is in is left out, unless there are no packs at all.
    """
    with collection_paused():
        agreed, others = split_by_agreement(connection, execution_id, records)
        frames = {AGREED: _frame(agreed, AGREED_COLUMNS)} if agreed else {}
        return frames if agreed and not others else frames | _frames(connection, execution_id, others)


def _frames(connection: Connection, execution_id: int, records: Sequence[PackRecord]) -> dict[str, pd.DataFrame]:
    claims = [(itemset_id, record.post) for record in records if (itemset_id := record.itemset_id) is not None]
    facts = read_facts(connection, execution_id, claims)
    return {
        PACKS: _frame([_pack_row(record, facts) for record in records], PACK_COLUMNS),
        ITEMS: _frame([row for record in records for row in _item_rows(record, facts)], ITEM_COLUMNS),
        ELEMENTS: _frame([row for record in records for row in _element_rows(record, facts)], ELEMENT_COLUMNS),
    }


def _frame(rows: Sequence[tuple[Any, ...]], columns: tuple[str, ...]) -> pd.DataFrame:
    # Objects, not floats: an id beside a null must stay exact.
    return pd.DataFrame(rows, columns=[KEY, *columns], dtype=object)


def _pack_row(record: PackRecord, facts: Facts) -> tuple[Any, ...]:
    pack = record.pack
    itemset_id, post = record.itemset_id, record.post
    posts = NO_POSTS if itemset_id is None else facts.posts_of(itemset_id)
    evidence = facts.about([] if itemset_id is None else [itemset_id], post)
    words = evidence.words()
    itemset = facts.itemsets.get(itemset_id) if itemset_id is not None else None
    bindings, short = _list(pack, "category_bindings"), _list(pack, "itemset_items")
    elements, seed_terms = _list(pack, "element_bindings"), _list(pack, "seed_terms")
    return (
        record.key,
        *(pack.get(name) for name in PACK_COLUMNS[:7]),
        facts.execution_id,
        facts.execution.status if facts.execution else None,
        sum(word in record.text for word in FORBIDDEN_WORDS),
        len(_list(pack, "itemset_ids")),
        itemset_id,
        *_itemset_facts(itemset, pack),
        itemset is not None and is_frequent(itemset),
        *_post_columns(pack, posts, post),
        len(_list(pack, "decode_case_ids")),
        len(bindings),
        len(evidence.items),
        None if itemset is None else _stated(itemset.item_count, len(evidence.items)),
        _SEPARATOR.join([str(binding.get("itemset_item_id")) for binding in bindings]),
        _SEPARATOR.join([str(item.id) for item in evidence.items]),
        _identity(short),
        _fact_identity(evidence.items),
        len(elements),
        len({_key(element.get("itemset_item_id")) for element in elements}),
        _SEPARATOR.join(f"{b.get('itemset_item_id')}:{b.get('element_name')}" for b in elements),
        _SEPARATOR.join(f"{b.itemset_item_id}:{b.element_name}" for b in evidence.bindings),
        covered_segments(record.name, words) is None,
        len(seed_terms),
        len(uncovered([str(term) for term in seed_terms], words)),
    )


def _post_columns(pack: Mapping[str, Any], posts: Posts, post: str | None) -> tuple[Any, ...]:
    matched, cases = _list(pack, "matched_post_ids"), _list(pack, "case_ids")
    as_matched = digest(matched)
    return (
        len(matched),
        len(posts.post_ids),
        posts.blank,
        as_matched,
        as_matched if posts.post_ids == matched else digest(posts.post_ids),
        as_matched if cases == matched else digest(cases),
        post in posts.post_ids,
    )


def _itemset_facts(itemset: Itemset | None, pack: Mapping[str, Any]) -> tuple[Any, ...]:
    config = pack.get("mining_config_id")
    support, absolute = pack.get("support"), pack.get("absolute_support")
    if itemset is None:
        return (None, None, None, config, None, None, None, support, None, absolute, None)
    return (
        itemset.id,
        itemset.execution_id,
        itemset.scope,
        config,
        itemset.mining_config_id,
        itemset.config_execution_id,
        itemset.config_scope,
        support,
        itemset.support,
        absolute,
        itemset.absolute_support,
    )


def _item_rows(record: PackRecord, facts: Facts) -> Iterable[tuple[Any, ...]]:
    by_id = {item.id: item for item in facts.items.get(record.itemset_id or 0, ())}
    for binding in _list(record.pack, "category_bindings"):
        get = binding.get
        item = by_id.get(_key(get("itemset_item_id")))
        own = (
            f"{get('itemset_id')}/{get('itemset_item_id')}",
            get("category_id"),
            get("category_path"),
            f"{get('category_name')}|{get('category_full_path')}|{get('point_type')}|{get('dimension')}|{get('element_name')}",
        )
        yield (record.key, *_side_by_side(own, item, facts.execution_id))


def _side_by_side(own: tuple[Any, ...], item: Item | None, execution_id: int) -> tuple[Any, ...]:
    """Identity, category, path and details of an item as the pack and as the facts say them."""
    identity, category_id, path, details = own
    if item is None:
        return (identity, None, category_id, None, execution_id, None, path, None, details, *[None] * 5)
    depth = depth_of(item.category_full_path) or item.category_level or 0
    return (
        identity,
        f"{item.itemset_id}/{item.id}",
        category_id,
        item.category_id,
        execution_id,
        item.category_execution_id,
        path,
        item.category_path,
        details,
        f"{item.category_name}|{item.category_full_path}|{item.point_type}|{item.dimension}|{item.element_name}",
        _stated(item.category_level, depth),
        depth,
        _stated(item.category_dimension, item.dimension) or "",
        item.dimension or "",
    )


def _stated(value: Any, otherwise: Any) -> Any:
    """What the facts state, compared with what it must be; a value that is not there contradicts nothing."""
    return otherwise if value is None else value


def _element_rows(record: PackRecord, facts: Facts) -> Iterable[tuple[Any, ...]]:
    itemset_id, post = record.itemset_id, record.post
    evidence = facts.about([] if itemset_id is None else [itemset_id], post)
    items = {item.id: item for item in evidence.items}
    bound: dict[tuple[int, str], Binding] = {(b.itemset_item_id, b.element_name): b for b in evidence.bindings}
    for claimed in _list(record.pack, "element_bindings"):
        get = claimed.get
        key = (_key(get("itemset_item_id")), _key(get("element_name")))
        item, binding = items.get(key[0]), bound.get(key)
        posts = _list(claimed, "matched_post_ids")
        yield (
            record.key,
            f"{get('itemset_id')}/{key[0]}",
            f"{item.itemset_id}/{item.id}" if item else None,
            key[1],
            binding.element_name if binding else None,
            f"{get('category_id')}|{get('point_type')}|{get('dimension')}",
            f"{item.category_id}|{item.point_type}|{item.dimension}" if item else None,
            get("matched_element_count"),
            binding.element_count if binding else None,
            get("matched_post_count"),
            posts[0] if len(posts) == 1 else None,
            post,
        )


def _key(value: Any) -> Any:
    """A value of a pack to look facts up by; a list or an object is no key of any fact, and shows as its text."""
    return repr(value) if isinstance(value, list | dict) else value


def digest(values: Sequence[object]) -> str:
    """SHA-1 of values in their order; equal digests mean equal lists."""
    return hashlib.sha1(_joined(values).encode(errors="surrogatepass"), usedforsecurity=False).hexdigest()


def _joined(values: Sequence[Any]) -> str:
    try:
        return _SEPARATOR.join(values)
    except TypeError:
        return _SEPARATOR.join(map(str, values))


def _identity(bindings: Iterable[Mapping[str, Any]]) -> str:
    fields = ("category_id", "category_path", "point_type", "dimension", "element_name")
    return _SEPARATOR.join("|".join([str(binding.get(field)) for field in fields]) for binding in bindings)


def _fact_identity(items: Iterable[Item]) -> str:
    return _SEPARATOR.join(
        f"{i.category_id}|{i.category_path}|{i.point_type}|{i.dimension}|{i.element_name}" for i in items
    )


def _list(mapping: Mapping[str, Any], field: str) -> list[Any]:
    value = mapping.get(field)
    return value if isinstance(value, list) else []
