"""``supply_task.ext``: one top-level key at a time, the others untouched, by the JSON functions of each backend."""

from __future__ import annotations

import re
from typing import Any

from sqlalchemy import ColumnElement, Connection, String, bindparam, func, literal, update

from resources.errors import NoSuchTask
from resources.supply_store.column_types import json_text
from resources.supply_store.tables import supply_task as t

LEASE = "lease"
FREE_LEASE: dict[str, Any] = {"owner": None, "until_ms": 0}
_KEY = re.compile(r"[a-z][a-z0-9_]*")


def set_ext(connection: Connection, task_id: str, path: str, value: Any) -> None:
    """Put ``value`` under the top-level key ``path`` of the task's ``ext``.

    Raises:
        NoSuchTask: there is no such task.
        JsonFieldRefused: the value has no strict JSON form.
        ValueError: ``path`` is not one plain key.
    """
    statement = update(t).where(t.c.task_id == task_id).values(ext=with_key(connection, path, value))
    if connection.execute(statement).rowcount == 0:
        raise NoSuchTask(f"there is no task {task_id}", "check the id")


def with_key(connection: Connection, key: str, value: Any) -> ColumnElement[Any]:
    """``ext`` with one key set, as an expression; a nested value is JSON there, not text."""
    if not _KEY.fullmatch(key):
        raise ValueError(f"{key!r} is not one plain key")
    text = literal(json_text(f"ext.{key}", value), String())
    # SQLite's json_extract turns true into 1; MariaDB has no function that does nothing but parse.
    parsed = func.json(text) if connection.dialect.name == "sqlite" else func.json_extract(text, "$")
    present = func.coalesce(t.c.ext, bindparam(None, "{}", String(), unique=True))
    return func.json_set(present, f"$.{key}", parsed)


def lease_owner() -> ColumnElement[str]:
    """Who holds the task's lease; ``NULL`` where nobody does."""
    owner: ColumnElement[str] = t.c.ext[(LEASE, "owner")].as_string()
    return owner


def lease_until() -> ColumnElement[int]:
    """When the lease runs out, in ms since 1970."""
    until: ColumnElement[int] = t.c.ext[(LEASE, "until_ms")].as_integer()
    return until
