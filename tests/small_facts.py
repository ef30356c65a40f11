"""A fact base small enough to know by heart, and a handle on a database that holds it.

Execution 581 (全局树) has three topic itemsets that close:

* 1001 = {猫 under 动物 (named element), anything under 情感}: posts p1 p2 p3, support 0.5
* 1002 = {anything under 动物, anything under 情感}: posts p1 p2 p3 p4
* 1003 = {降价50% under 购物 (named element), anything under 情感}: posts p5 p6

and 1004 of scope ``script``. Execution 584 (民生) has itemset 2001. 580 failed, 583 is running, 585 is a success
without itemsets.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import create_engine, delete, event, insert, text
from sqlalchemy.engine import URL

from resources.databases.pattern_facts import tables as t
from resources.databases.pattern_facts.engine import FactsDatabase

TOPIC, SCRIPT = t.TOPIC_SOURCE_TABLE, "post_decode_script_element"
CAT, FEELING, SHOPPING, ANIMALS = 11, 12, 13, 10
CAT_584, FEELING_584 = 21, 22


def rows() -> dict[Any, list[dict[str, Any]]]:
    """The rows of the seven tables."""
    return {
        t.execution: [
            _execution(580, "failed", "健康"),
            _execution(581, "success", "全局树"),
            _execution(583, "running", "健康"),
            _execution(584, "success", "民生"),
            _execution(585, "success", "民生"),
        ],
        t.config: [
            {"id": 2081, "execution_id": 581, "scope": "topic", "min_support": 0.1},
            {"id": 2083, "execution_id": 581, "scope": "script", "min_support": 0.1},
            {"id": 2111, "execution_id": 584, "scope": "topic", "min_support": 0.1},
            {"id": 2121, "execution_id": 585, "scope": "topic", "min_support": 0.1},
        ],
        t.category: [
            _category(ANIMALS, 581, "动物", "/动物", "/实质/动物", None),
            _category(CAT, 581, "猫咪", "/动物/猫咪", "/实质/动物/猫咪", ANIMALS),
            _category(FEELING, 581, "情感", "/情感", "/形式/情感", None),
            _category(SHOPPING, 581, "购物", "/购物", "/实质/购物", None),
            _category(CAT_584, 584, "猫咪", "/猫咪", "/实质/猫咪", None),
            _category(FEELING_584, 584, "情感", "/情感", "/形式/情感", None),
        ],
        t.element: list(_elements()),
        t.itemset: [
            _itemset(1001, 581, 2081, "topic", 0.5, 3),
            _itemset(1002, 581, 2081, "topic", 0.6667, 4),
            _itemset(1003, 581, 2081, "topic", 0.3333, 2),
            _itemset(1004, 581, 2083, "script", 0.5, 3),
            _itemset(2001, 584, 2111, "topic", 1.0, 2),
        ],
        t.itemset_item: [
            _item(1, 1001, CAT, "关键点", "实质", "猫"),
            _item(2, 1001, FEELING, "目的点", "形式", None),
            _item(3, 1002, CAT, "关键点", "实质", None),
            _item(4, 1002, FEELING, "目的点", "形式", None),
            _item(5, 1003, SHOPPING, "关键点", "实质", "降价50%"),
            _item(6, 1003, FEELING, "目的点", "形式", None),
            _item(7, 1004, CAT, "关键点", "实质", None),
            _item(8, 2001, CAT_584, "关键点", "实质", None),
            _item(9, 2001, FEELING_584, "目的点", "形式", None),
        ],
        t.itemset_post: [
            *({"itemset_id": 1001, "post_id": post} for post in ("p3", "p1", "p2")),
            *({"itemset_id": 1002, "post_id": post} for post in ("p1", "p2", "p3", "p4", "p4")),
            *({"itemset_id": 1003, "post_id": post} for post in ("p5", "p6")),
            *({"itemset_id": 1004, "post_id": post} for post in ("p1", "p2", "p3")),
            *({"itemset_id": 2001, "post_id": post} for post in ("q1", "q2")),
        ],
    }


def good_candidate(**changes: Any) -> dict[str, Any]:
    """A candidate on itemset 1001 that closes; ``refs=`` merges into its evidence refs, the rest into itself."""
    refs = {
        "source_kind": "pattern_itemset",
        "source_tool": "get_itemset_detail",
        "itemset_ids": [1001],
        "category_ids": [CAT, FEELING],
        "source_post_id": "p1",
        "case_ids": {"pattern_itemset": ["p1", "p2"]},
        "seed_terms": ["猫", "治愈"],
        "notes": "",
    } | changes.pop("refs", {})
    candidate = {
        "element_names": ["猫", "治愈"],
        "reason": "常一起出现",
        "desc": "猫与治愈的内容",
        "type": "pattern",
        "evidence_refs": refs,
    }
    return candidate | changes


class FactWorld:
    """A database that holds the small facts and may be altered between steps of a test."""

    def __init__(self, url: URL) -> None:
        self.url = url
        self._engine = create_engine(url)
        if url.get_backend_name() == "sqlite":
            event.listen(self._engine, "connect", lambda c, _: c.execute("PRAGMA synchronous=OFF"))

    def fill(self) -> None:
        """Create the tables and put the small facts in, and nothing else."""
        t.metadata.create_all(self._engine)
        with self._engine.begin() as connection:
            for table, values in rows().items():
                connection.execute(delete(table))
                connection.execute(insert(table), values)

    def alter(self, *statements: str, **parameters: Any) -> None:
        """Change the facts by SQL."""
        with self._engine.begin() as connection:
            for statement in statements:
                connection.execute(text(statement), parameters)

    def insert(self, table: Any, *values: dict[str, Any]) -> None:
        """Add rows."""
        with self._engine.begin() as connection:
            connection.execute(insert(table), list(values))

    @contextmanager
    def open(self) -> Iterator[FactsDatabase]:
        """The product's own read-only door to these facts."""
        facts = FactsDatabase(self.url)
        try:
            yield facts
        finally:
            facts.close()

    def close(self) -> None:
        self._engine.dispose()


def _execution(execution_id: int, status: str, level: str) -> dict[str, Any]:
    time = f"2026-06-01 08:00:{execution_id % 60:02d}"
    return {
        "id": execution_id,
        "status": status,
        "merge_leve2": level,
        "platform_type": "piaoquan",
        "created_at": time,
        "updated_at": time,
    }


def _category(
    category_id: int, execution_id: int, name: str, path: str, full: str, parent: int | None
) -> dict[str, Any]:
    return {
        "id": category_id,
        "execution_id": execution_id,
        "name": name,
        "path": path,
        "full_path": full,
        "parent_id": parent,
        "level": full.count("/"),
        "dimension": full.split("/")[1],
    }


def _itemset(itemset_id: int, execution_id: int, config: int, scope: str, support: float, posts: int) -> dict[str, Any]:
    return {
        "id": itemset_id,
        "execution_id": execution_id,
        "mining_config_id": config,
        "scope": scope,
        "item_count": 2,
        "support": support,
        "absolute_support": posts,
    }


def _item(item_id: int, itemset_id: int, category: int, point: str, dimension: str, name: str | None) -> dict[str, Any]:
    return {
        "id": item_id,
        "itemset_id": itemset_id,
        "category_id": category,
        "point_type": point,
        "dimension": dimension,
        "element_name": name,
    }


def _elements() -> Iterator[dict[str, Any]]:
    placed = [
        *((581, post, "关键点", "实质", "猫", CAT) for post in ("p1", "p2", "p3")),
        (581, "p4", "关键点", "实质", "布偶猫", CAT),
        *((581, post, "目的点", "形式", "治愈", FEELING) for post in ("p1", "p2", "p3", "p4", "p5")),
        (581, "p1", "目的点", "形式", "🫠神兵𠮷", FEELING),
        (581, "p1", "目的点", "形式", "治愈", FEELING),
        (581, "p6", "目的点", "形式", "惊喜", FEELING),
        *((581, post, "关键点", "实质", "降价50%", SHOPPING) for post in ("p5", "p6")),
        *((584, post, "关键点", "实质", "猫", CAT_584) for post in ("q1", "q2")),
        *((584, post, "目的点", "形式", "治愈", FEELING_584) for post in ("q1", "q2")),
    ]
    for number, (execution_id, post, point, dimension, name, category) in enumerate(placed, start=1):
        yield {
            "id": number,
            "execution_id": execution_id,
            "post_id": post,
            "source_table": TOPIC,
            "point_type": point,
            "dimension": dimension,
            "element_name": name,
            "category_id": category,
        }
