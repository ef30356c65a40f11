"""Metadata of the demand store (D-060). The column is spelled ``merge_leve2``, as the source spells it."""

from __future__ import annotations

from sqlalchemy import JSON, BigInteger, Column, Float, Integer, MetaData, String, Table, Text

metadata = MetaData()

demand_content = Table(
    "demand_content",
    metadata,
    Column("id", BigInteger().with_variant(Integer, "sqlite"), primary_key=True, autoincrement=True),
    Column("merge_leve2", String(255), nullable=False),
    Column("name", String(255), nullable=False),
    Column("reason", Text),
    Column("suggestion", Text),
    Column("score", Float(53), nullable=False),
    Column("ext_data", JSON(none_as_null=True), nullable=False),
    Column("dt", String(8), nullable=False),
    mysql_engine="InnoDB",
    mysql_charset="utf8mb4",
    mariadb_engine="InnoDB",
    mariadb_charset="utf8mb4",
)
