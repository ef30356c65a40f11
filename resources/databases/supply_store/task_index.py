"""Two tables of our own beside the nine: by what tasks are counted and looked for without their payloads.

``supply_task.ext`` is the truth, and carries all posts of the evidence: 30 KB a task. The nine tables get no key that
the source does not have (S-040), so what is looked for in ``ext`` stands once more in ``pattern2plan_task_index``, one
small row a task, written in the transaction that writes ``ext``; what decides (a lease, a freeze, a review) is read
from ``ext`` itself.

``pattern2plan_evidence_key`` leads from a post or a category to tasks in normal form: tasks with the same posts and
categories, as those of one itemset are, share one *evidence set*, whose keys stand once. They come from what the task
inherited and not from today's facts, so a post that the facts have dropped since is still found.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from sqlalchemy import BigInteger, Column, ForeignKey, MetaData, Table

from resources.databases.supply_store.column_types import Flag, Varchar
from resources.databases.supply_store.tables import supply_task
from resources.foundation import strict_json

EVIDENCE = "source_evidence"
own_metadata = MetaData()

task_index = Table(
    "pattern2plan_task_index",
    own_metadata,
    Column("task_row_id", BigInteger, ForeignKey(supply_task.c.id), primary_key=True, autoincrement=False),
    Column("task_id", Varchar("task_id", 64), nullable=False),
    Column("batch", Varchar("batch", 64)),
    Column("is_held", Flag, nullable=False),
    Column("is_frozen", Flag, nullable=False),
    Column("is_retryable", Flag, nullable=False),
    Column("lease_until_ms", BigInteger),
    Column("revoked_ms", BigInteger),
    Column("evidence_set", BigInteger),
)
"""``lease_until_ms`` is ``NULL`` where nobody holds the lease."""

evidence_key = Table(
    "pattern2plan_evidence_key",
    own_metadata,
    Column("evidence_key", BigInteger, primary_key=True, autoincrement=False),
    Column("evidence_set", BigInteger, primary_key=True, autoincrement=False),
)
OWN_TABLES = frozenset(own_metadata.tables)


def indexed(ext: Mapping[str, Any]) -> dict[str, Any]:
    """What the index says of a task, by column, out of the whole of its ``ext``."""
    columns: dict[str, Any] = {}
    for key in _COLUMNS:
        columns |= indexed_of_key(key, ext.get(key))
    return columns


def indexed_of_key(key: str, value: object) -> dict[str, Any]:
    """What the index says of one key of ``ext``; ``{}`` where nobody looks for it."""
    return _COLUMNS[key](value) if key in _COLUMNS else {}


def evidence_keys(evidence: object) -> list[int]:
    """The keys of all posts and categories of an evidence; those of anything else are none."""
    return sorted({_number(name) for name in _names(evidence)})


def key_of_post(post_id: str) -> int:
    """The key by which a post is looked for."""
    return _number(_name("post", post_id))


def key_of_category(category_id: int) -> int:
    """The key by which a category is looked for."""
    return _number(_name("category", category_id))


def _names(evidence: object) -> Iterator[str]:
    if not isinstance(evidence, dict):
        return
    posts, nodes = evidence.get("matched_post_ids"), evidence.get("categories")
    for post in posts if isinstance(posts, list) else ():
        yield _name("post", post)
    for node in nodes if isinstance(nodes, list) else ():
        if isinstance(node, dict):
            yield _name("category", node.get("id"))


def _name(kind: str, value: object) -> str:
    return strict_json.dumps([kind, value])


def _number(name: str) -> int:
    """63 bits of its hash: a sixth of the space of the text; who finds a task by it compares the text then."""
    return int.from_bytes(hashlib.sha256(name.encode("utf-8", "surrogatepass")).digest()[:8], "big") >> 1


def _evidence_set(evidence: object) -> int | None:
    keys = evidence_keys(evidence)
    return _number(strict_json.dumps(keys)) if keys else None


def _of(value: object, name: str) -> Any:
    return value.get(name) if isinstance(value, dict) else None


def _whole(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


_COLUMNS: Mapping[str, Callable[[object], dict[str, Any]]] = {
    "batch": lambda value: {"batch": value if isinstance(value, str) and len(value) <= 64 else None},
    "review": lambda value: {"is_held": _of(value, "state") == "HELD"},
    "frozen": lambda value: {"is_frozen": value is not None},
    "retryable": lambda value: {"is_retryable": value is True},
    "lease": lambda value: {
        "lease_until_ms": None if _of(value, "owner") is None else _whole(_of(value, "until_ms")),
    },
    "revoked_ms": lambda value: {"revoked_ms": _whole(value)},
    EVIDENCE: lambda value: {"evidence_set": _evidence_set(value)},
}
