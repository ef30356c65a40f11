"""``supply_task.ext``: one top-level key at a time, the others untouched, by the JSON functions of each backend.

What tasks are looked for by is said to the index in the same transaction (``task_index``).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from sqlalchemy import ColumnElement, Connection, String, bindparam, case, func, literal, update

from resources.databases.engines.exact_text import exactly
from resources.databases.supply_store.column_types import json_text
from resources.databases.supply_store.rows import chunks
from resources.databases.supply_store.tables import supply_task as t
from resources.databases.supply_store.tasks.index_rows import note, note_each
from resources.foundation.errors import NoSuchTask

LEASE = "lease"
REVOKED_MS = "revoked_ms"
FREE_LEASE: dict[str, Any] = {"owner": None, "until_ms": 0}
EACH = 1_000
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
    note(connection, [task_id], path, value)


def set_ext_of_each(connection: Connection, key: str, values: Mapping[str, Any]) -> None:
    """Put each task's own value, by task id, under one top-level key: one UPDATE for a thousand tasks.

    Raises:
        JsonFieldRefused: a value has no strict JSON form.
        ValueError: ``key`` is not one plain key.
    """
    for some in chunks(values, EACH):
        texts = {task_id: _json_literal(key, values[task_id]) for task_id in some}
        of_task = case(texts, value=t.c.task_id)
        connection.execute(update(t).where(t.c.task_id.in_(some)).values(ext=_with(connection, key, of_task)))
    note_each(connection, key, values)


def remove_ext(connection: Connection, key: str, task_ids: Iterable[str]) -> None:
    """Take one top-level key out of the ``ext`` of the tasks; a task that has none keeps what it has.

    Raises:
        ValueError: ``key`` is not one plain key.
    """
    for some in chunks(task_ids):
        without = func.json_remove(t.c.ext, _path(key))
        connection.execute(update(t).where(t.c.task_id.in_(some), t.c.ext.is_not(None)).values(ext=without))
        note(connection, some, key, None)


def with_key(connection: Connection, key: str, value: Any) -> ColumnElement[Any]:
    """``ext`` with one key set, as an expression; a nested value is JSON there, not text."""
    return _with(connection, key, _json_literal(key, value))


def _with(connection: Connection, key: str, text: ColumnElement[str]) -> ColumnElement[Any]:
    # SQLite's json_extract turns true into 1; MariaDB has no function that does nothing but parse.
    parsed = func.json(text) if connection.dialect.name == "sqlite" else func.json_extract(text, "$")
    present = func.coalesce(t.c.ext, bindparam(None, "{}", String(), unique=True))
    return func.json_set(present, _path(key), parsed)


def _json_literal(key: str, value: Any) -> ColumnElement[str]:
    return literal(json_text(f"ext.{key}", value), String())


def _path(key: str) -> str:
    if not _KEY.fullmatch(key):
        raise ValueError(f"{key!r} is not one plain key")
    return f"$.{key}"


def lease_owner() -> ColumnElement[str]:
    """Who holds the task's lease; ``NULL`` where nobody does."""
    owner: ColumnElement[str] = t.c.ext[(LEASE, "owner")].as_string()
    return exactly(owner)


def lease_until() -> ColumnElement[int]:
    """When the lease runs out, in ms since 1970."""
    until: ColumnElement[int] = t.c.ext[(LEASE, "until_ms")].as_integer()
    return until


def revoked_ms() -> ColumnElement[int]:
    """Runs created until then, in ms since 1970, have no right to the task any more; ``NULL`` where all have."""
    until: ColumnElement[int] = t.c.ext[REVOKED_MS].as_integer()
    return until
