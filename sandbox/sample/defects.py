"""Itemsets broken on purpose, one kind a rule, each a copy of one that closes.

Belongs here: how an itemset is broken and the reject code that a candidate citing it must get (section 4 of
the contract). Does not belong here: the decision itself, which this module knows nothing of.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from itertools import cycle, islice
from typing import Any

import pandas as pd

from sandbox.facts.fact_base import FactBase

OTHER_SCOPES = ("topic_element", "script", "paragraph", "group")
OTHER_SOURCE_TABLE = "post_decode_script_element"
ACCEPTED = "accepted"
_FEWEST_POSTS = 4


@dataclass(frozen=True)
class Defect:
    """An itemset that is broken, or looks so; ``expected`` is the first reject code, or ``accepted``."""

    execution_id: int
    itemset_id: int
    defect: str
    expected: str


@dataclass
class _Draft:
    """An itemset being broken: its row, its items, the posts it lists, elements to be added."""

    head: dict[str, Any]
    items: list[dict[str, Any]]
    post_ids: list[str | None]
    elements: list[dict[str, Any]] = field(default_factory=list)


@dataclass(frozen=True)
class _Surroundings:
    """Ids a broken itemset may wrongly point to."""

    config_of_scope: dict[str, int]
    foreign_config: int
    foreign_category: int
    blank_category: int


Breaker = Callable[[_Draft, _Surroundings], None]


def break_itemsets(facts: FactBase, *, foreign: FactBase, each: int) -> tuple[FactBase, tuple[Defect, ...]]:
    """``facts`` with ``each`` broken itemsets of every kind added, and what they are.

    Args:
        facts: one mined execution.
        foreign: another execution, whose config and category some of them point to.
    """
    execution_id = facts.execution_ids()[0]
    configs, blank = _other_configs(facts), _blank_category(facts)
    around = _Surroundings(
        dict(zip(configs["scope"], configs["id"], strict=True)),
        int(foreign.config["id"].iloc[0]),
        int(foreign.category["id"].iloc[-1]),
        int(blank["id"].iloc[0]),
    )
    kinds = [kind for kind in _KINDS for _ in range(each)]
    next_id = int(facts.itemset["id"].max()) + 1
    drafts, defects = [], []
    for itemset_id, (defect, expected, breaker), draft in zip(
        range(next_id, next_id + len(kinds)), kinds, _copies(facts, len(kinds)), strict=True
    ):
        draft.head["id"] = itemset_id
        breaker(draft, around)
        drafts.append(draft)
        defects.append(Defect(execution_id, itemset_id, defect, expected))
    return _with_drafts(facts, drafts, configs, blank), tuple(defects)


def _copies(facts: FactBase, count: int) -> Iterable[_Draft]:
    """Copies of itemsets that name an element and have posts to spare, from the most supported down."""
    named = facts.itemset_item[facts.itemset_item["element_name"].notna()]["itemset_id"]
    usable = facts.itemset["id"].isin(named) & (facts.itemset["absolute_support"] >= _FEWEST_POSTS)
    items: dict[Any, pd.DataFrame] = dict(list(facts.itemset_item.groupby("itemset_id")))
    posts = {key: list(group) for key, group in facts.itemset_post.groupby("itemset_id")["post_id"]}
    for head in islice(cycle(_records(facts.itemset[usable])), count):
        yield _Draft(dict(head), _records(items[head["id"]]), list(posts[head["id"]]))


def _records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    return [{str(key): value for key, value in row.items()} for row in frame.to_dict("records")]


def _with_drafts(facts: FactBase, drafts: list[_Draft], configs: pd.DataFrame, blank: pd.DataFrame) -> FactBase:
    items = [{**item, "itemset_id": draft.head["id"]} for draft in drafts for item in draft.items]
    links = [{"itemset_id": draft.head["id"], "post_id": post_id} for draft in drafts for post_id in draft.post_ids]
    elements = [element for draft in drafts for element in draft.elements]
    return FactBase(
        execution=facts.execution,
        config=pd.concat([facts.config, configs]),
        category=pd.concat([facts.category, blank]),
        element=pd.concat([facts.element, _numbered(elements, facts.element)]),
        itemset=pd.concat([facts.itemset, pd.DataFrame([draft.head for draft in drafts])]),
        itemset_item=pd.concat([facts.itemset_item, _numbered(items, facts.itemset_item)]),
        itemset_post=pd.concat([facts.itemset_post, pd.DataFrame(links, dtype="object")]),
    )


def _numbered(rows: list[dict[str, Any]], after: pd.DataFrame) -> pd.DataFrame:
    first = int(after["id"].max()) + 1
    return pd.DataFrame([{**row, "id": first + place} for place, row in enumerate(rows)], dtype="object")


def _other_configs(facts: FactBase) -> pd.DataFrame:
    topic = facts.config.iloc[0].to_dict()
    rows = [{**topic, "id": topic["id"] + place, "scope": scope} for place, scope in enumerate(OTHER_SCOPES, 1)]
    return pd.DataFrame(rows)


def _blank_category(facts: FactBase) -> pd.DataFrame:
    last = int(facts.category["id"].max())
    row = {**facts.category.iloc[0].to_dict(), "id": last + 1, "name": "空路径", "path": "", "full_path": ""}
    return pd.DataFrame([row])


def _move_to_scope(draft: _Draft, around: _Surroundings, scope: str) -> None:
    draft.head |= {"scope": scope, "mining_config_id": around.config_of_scope[scope]}
    draft.items[-1]["category_id"] = None


def _cite_foreign_config(draft: _Draft, around: _Surroundings) -> None:
    draft.head["mining_config_id"] = around.foreign_config


def _cite_script_config(draft: _Draft, around: _Surroundings) -> None:
    draft.head["mining_config_id"] = around.config_of_scope["script"]


def _cite_blank_category(draft: _Draft, around: _Surroundings) -> None:
    draft.items[0]["category_id"] = around.blank_category


def _cite_foreign_category(draft: _Draft, around: _Surroundings) -> None:
    draft.items[0]["category_id"] = around.foreign_category


def _drop_category(draft: _Draft, _around: _Surroundings) -> None:
    draft.items[0]["category_id"] = None


def _drop_items(draft: _Draft, _around: _Surroundings) -> None:
    draft.items.clear()


def _blank_post(draft: _Draft, _around: _Surroundings) -> None:
    draft.post_ids[-1] = ""


def _null_post(draft: _Draft, _around: _Surroundings) -> None:
    draft.post_ids[-1] = None


def _drop_post(draft: _Draft, _around: _Surroundings) -> None:
    draft.post_ids.pop()


def _repeat_post(draft: _Draft, _around: _Surroundings) -> None:
    draft.post_ids.append(draft.post_ids[0])


def _drop_support(draft: _Draft, _around: _Surroundings) -> None:
    draft.head |= {"support": 0.0, "absolute_support": 0}
    draft.post_ids.clear()


def _name_script_element(draft: _Draft, _around: _Surroundings) -> None:
    """Let a named item ask for a word that its posts carry only outside the topic table."""
    item = next(item for item in draft.items if not pd.isna(item["element_name"]))
    item["element_name"] = f"只在脚本里的{item['element_name']}"
    element = {key: item[key] for key in ("category_id", "point_type", "dimension", "element_name")}
    element |= {"execution_id": draft.head["execution_id"], "source_table": OTHER_SOURCE_TABLE}
    draft.elements = [{**element, "post_id": post_id} for post_id in draft.post_ids]


_KINDS: tuple[tuple[str, str, Breaker], ...] = (
    *((f"scope {scope}", "scope_not_topic", partial(_move_to_scope, scope=scope)) for scope in OTHER_SCOPES),
    ("config_other_execution", "config_not_closed", _cite_foreign_config),
    ("config_other_scope", "config_not_closed", _cite_script_config),
    ("category_blank_path", "category_not_closed", _cite_blank_category),
    ("category_other_execution", "category_not_closed", _cite_foreign_category),
    ("item_without_category", "category_not_closed", _drop_category),
    ("no_items", "category_not_closed", _drop_items),
    ("post_blank", "post_count_mismatch", _blank_post),
    ("post_blank", "post_count_mismatch", _null_post),
    ("post_missing", "post_count_mismatch", _drop_post),
    ("zero_support", "post_count_mismatch", _drop_support),
    ("post_listed_twice", ACCEPTED, _repeat_post),
    ("element_other_table", "element_not_bound", _name_script_element),
)
