"""Tasks by the evidence they inherited (S-006): by the keys of the evidence, then exactly by the evidence itself."""

from __future__ import annotations

from sqlalchemy import ColumnElement, Connection, Select, String, column, exists, func, literal, select, type_coerce

from resources.databases.supply_store.tables import supply_task as t
from resources.databases.supply_store.task_index import EVIDENCE, evidence_key, key_of_category, key_of_post
from resources.databases.supply_store.task_index import task_index as x
from resources.foundation import strict_json

POSTS = f"$.{EVIDENCE}.matched_post_ids"
CATEGORIES = f"$.{EVIDENCE}.categories"


def find_tasks_with_evidence(
    connection: Connection, *, limit: int, post_id: str | None = None, category_id: int | None = None
) -> list[str]:
    """Ids of at most ``limit`` tasks, in the order of their rows, whose ``ext.source_evidence`` has all that is named.

    The post stands in ``matched_post_ids``, the category in ``categories[*].id``.

    Raises:
        ValueError: nothing is named.
    """
    embedded = connection.dialect.name == "sqlite"
    conditions: list[ColumnElement[bool]] = []
    if post_id is not None:
        conditions.append(x.c.evidence_set.in_(_sets_with(key_of_post(post_id))))
        conditions.append(_has_post_sqlite(post_id) if embedded else _has_post_mysql(post_id))
    if category_id is not None:
        conditions.append(x.c.evidence_set.in_(_sets_with(key_of_category(category_id))))
        conditions.append(_has_category_sqlite(category_id) if embedded else _has_category_mysql(category_id))
    if not conditions:
        raise ValueError("name a post or a category")
    statement = select(t.c.task_id).join(x, x.c.task_row_id == t.c.id).where(*conditions)
    return list(connection.execute(statement.order_by(x.c.task_row_id).limit(limit)).scalars())


def _sets_with(key: int) -> Select[tuple[int]]:
    return select(evidence_key.c.evidence_set).where(evidence_key.c.evidence_key == key)


def _has_post_sqlite(post_id: str) -> ColumnElement[bool]:
    each = func.json_each(t.c.ext, POSTS).table_valued("value", name="post")
    return exists(select(1).select_from(each).where(each.c.value == post_id))


def _has_category_sqlite(category_id: int) -> ColumnElement[bool]:
    each = func.json_each(t.c.ext, CATEGORIES).table_valued("value", name="category")
    return exists(select(1).select_from(each).where(func.json_extract(column("value"), "$.id") == category_id))


def _has_post_mysql(post_id: str) -> ColumnElement[bool]:
    wanted = literal(strict_json.dumps(post_id), String())
    return type_coerce(func.json_contains(t.c.ext, wanted, POSTS), t.c.id.type) == 1


def _has_category_mysql(category_id: int) -> ColumnElement[bool]:
    ids = func.json_extract(t.c.ext, f"{CATEGORIES}[*].id")
    return type_coerce(func.json_contains(ids, str(category_id)), t.c.id.type) == 1
