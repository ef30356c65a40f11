"""A slow second opinion on one candidate, written apart from the rules: plain reads, plain comparisons.

It only answers for candidates of the plain shape that the rules proposer makes; it shares no code with ``judge``
but the normal form of terms.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection

from demand_assets.evidence.terms import normal_form
from resources.databases.pattern_facts.spoiled.one_itemset import OneItemset, read_one_itemset
from resources.databases.pattern_facts.tables import TOPIC_SOURCE_TABLE


def is_right(connection: Connection, execution_id: int, candidate: dict[str, Any]) -> bool:
    """Whether the candidate should be accepted."""
    refs = candidate["evidence_refs"]
    facts = read_one_itemset(connection, execution_id, refs["itemset_ids"][0], refs["source_post_id"])
    if facts.itemset is None or facts.config is None or facts.execution_status != "success":
        return False
    owners = {facts.itemset["execution_id"], facts.config["execution_id"]}
    scopes = {facts.itemset["scope"], facts.config["scope"]}
    if owners != {execution_id} or scopes != {"topic"}:
        return False
    return _posts_right(facts, refs) and _items_right(facts, execution_id) and _words_right(facts, candidate)


def _posts_right(facts: OneItemset, refs: dict[str, Any]) -> bool:
    links = facts.post_links
    if any(link is None or not link.strip() for link in links):
        return False
    support = (facts.itemset or {}).get("absolute_support") or 0
    return support > 0 and len(set(links)) == support and refs["source_post_id"] in links


def _items_right(facts: OneItemset, execution_id: int) -> bool:
    for item in facts.items:
        category = facts.categories.get(item["category_id"])
        if category is None or category["execution_id"] != execution_id or not (category["path"] or "").strip():
            return False
        if not _bound(facts, item):
            return False
    return bool(facts.items)


def _bound(facts: OneItemset, item: dict[str, Any]) -> list[str]:
    return [
        element["element_name"]
        for element in facts.elements
        if element["source_table"] == TOPIC_SOURCE_TABLE
        and element["category_id"] == item["category_id"]
        and element["point_type"] == item["point_type"]
        and element["dimension"] == item["dimension"]
        and (item["element_name"] in (None, "") or element["element_name"] == item["element_name"])
    ]


def _words_right(facts: OneItemset, candidate: dict[str, Any]) -> bool:
    words = {name for item in facts.items for name in _bound(facts, item)}
    for category in facts.categories.values():
        words |= {category["name"] or "", *(category["path"] or "").split("/")}
        words |= set((category["full_path"] or "").split("/"))
    own = {normal_form(word) for word in words} - {""}
    claimed = [*candidate["element_names"], *candidate["evidence_refs"]["seed_terms"]]
    return all(normal_form(term) in own for term in claimed)
