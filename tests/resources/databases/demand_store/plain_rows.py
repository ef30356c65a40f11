"""Rows that the table takes, without any evidence in them."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, text
from sqlalchemy.engine import URL

from resources.databases.demand_store.engine import DemandStore
from resources.databases.demand_store.statements import RowKey, insert_rows, read_keys, write_ids_into_packs


def row(label: str = "label-1", name: str = "猫", post: str = "p1", **changes: Any) -> dict[str, Any]:
    """One row as the sink hands it to the store."""
    ext_data = {"run_label": label, "evidence_pack": {"source_post_id": post, "pattern_execution_id": 581}}
    values = {"merge_leve2": "全局树", "name": name, "reason": "r", "suggestion": "s", "score": 0.5, "dt": "20260601"}
    return values | {"ext_data": ext_data | changes.pop("ext", {})} | changes


def write_missing(
    store: DemandStore, label: str, rows: list[dict[str, Any]], between: Callable[[], None] = lambda: None
) -> int:
    """Write what does not stand yet, the way the sink does; ``between`` is called after the INSERT."""

    def work(connection: Connection) -> int:
        standing = read_keys(connection, label)
        new = [r for r in rows if key_of(r) not in standing]
        insert_rows(connection, new)
        between()
        if new:
            write_ids_into_packs(connection, label)
        return len(new)

    return store.write(label, work)


def key_of(values: dict[str, Any]) -> RowKey:
    return RowKey(values["name"], values["ext_data"]["evidence_pack"]["source_post_id"])


def asked(url: URL, statement: str, **parameters: Any) -> list[tuple[Any, ...]]:
    """What another, plain connection is answered."""
    engine: Engine = create_engine(url)
    try:
        with engine.connect() as connection:
            return [tuple(found) for found in connection.execute(text(statement), parameters)]
    finally:
        engine.dispose()


def changed(url: URL, *statements: str) -> None:
    """Statements by another connection, committed."""
    engine: Engine = create_engine(url)
    with engine.begin() as connection:
        for statement in statements:
            connection.execute(text(statement))
    engine.dispose()


def table_shape(url: URL) -> str:
    """SHOW CREATE TABLE without the counter that every insert moves."""
    return re.sub(r" AUTO_INCREMENT=\d+", "", str(asked(url, "SHOW CREATE TABLE demand_content")[0][1]))
