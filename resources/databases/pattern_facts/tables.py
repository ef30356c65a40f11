"""The seven fact tables of Pattern V2 (D-001): the one place where their table and column names are written.

A database that spells a column differently is mended by giving that ``Column`` its other name and keeping ``key``.
The indexes are those that the queries of this package need; ``doctor`` looks for them, the sandbox creates them.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import BigInteger, Column, Float, Index, Integer, MetaData, String, Table

TOPIC_SCOPE = "topic"
TOPIC_SOURCE_TABLE = "post_decode_topic_point_element"
SUCCESS = "success"

metadata = MetaData()


def _table(name: str, *parts: Column[Any] | Index) -> Table:
    return Table(name, metadata, Column("id", BigInteger, primary_key=True, autoincrement=False), *parts)


execution = _table(
    "pattern_mining_execution",
    Column("status", String(32), nullable=False),
    Column("merge_leve2", String(255)),
    Column("platform_type", String(64)),
    Column("created_at", String(32)),
    Column("updated_at", String(32)),
)

config = _table(
    "pattern_mining_config",
    Column("execution_id", BigInteger, nullable=False),
    Column("scope", String(32)),
    Column("min_support", Float(53)),
)

category = _table(
    "pattern_mining_category",
    Column("execution_id", BigInteger, nullable=False),
    Column("name", String(255)),
    Column("path", String(1024)),
    Column("full_path", String(1024)),
    Column("parent_id", BigInteger),
    Column("level", Integer),
    Column("dimension", String(64)),
    Index("ix_category_execution", "execution_id"),
)

element = _table(
    "pattern_mining_element",
    Column("execution_id", BigInteger, nullable=False),
    Column("post_id", String(128)),
    Column("source_table", String(128)),
    Column("point_type", String(64)),
    Column("dimension", String(64)),
    Column("element_name", String(255)),
    Column("category_id", BigInteger),
    Index("ix_element_execution_post", "execution_id", "post_id"),
)

itemset = _table(
    "pattern_itemset",
    Column("execution_id", BigInteger, nullable=False),
    Column("mining_config_id", BigInteger),
    Column("scope", String(32)),
    Column("item_count", Integer),
    Column("support", Float(53)),
    Column("absolute_support", Integer),
    Index("ix_itemset_execution_scope", "execution_id", "scope"),
)

itemset_item = _table(
    "pattern_itemset_item",
    Column("itemset_id", BigInteger, nullable=False),
    Column("category_id", BigInteger),
    Column("point_type", String(64)),
    Column("dimension", String(64)),
    Column("element_name", String(255)),
    Index("ix_itemset_item_itemset", "itemset_id"),
)

itemset_post = Table(
    "pattern_itemset_post",
    metadata,
    Column("itemset_id", BigInteger, nullable=False),
    Column("post_id", String(128)),
    Index("ix_itemset_post_itemset", "itemset_id"),
)
