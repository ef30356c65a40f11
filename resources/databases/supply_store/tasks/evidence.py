"""Tasks by the evidence they inherited (S-006): exact, by the JSON functions of each backend."""

from __future__ import annotations

from sqlalchemy import ColumnElement, Connection, String, column, exists, func, literal, select, type_coerce

from resources.databases.supply_store.tables import supply_task as t
from resources.foundation import strict_json

EVIDENCE = "source_evidence"
POSTS = f"$.{EVIDENCE}.matched_post_ids"
CATEGORIES = f"$.{EVIDENCE}.categories"


def find_tasks_with_evidence(
    connection: Connection,
    *,
    post_id: str | None = None,
    category_id: int | None = None,
    demand_content_id: int | None = None,
) -> list[str]:
    """Ids of the tasks, in the order of their rows, whose ``ext.source_evidence`` has all that is named.

    The post stands in ``matched_post_ids``, the category in ``categories[*].id``.

    Raises:
        ValueError: nothing is named.
    """
    embedded = connection.dialect.name == "sqlite"
    conditions: list[ColumnElement[bool]] = []
    if post_id is not None:
        conditions.append(_has_post_sqlite(post_id) if embedded else _has_post_mysql(post_id))
    if category_id is not None:
        conditions.append(_has_category_sqlite(category_id) if embedded else _has_category_mysql(category_id))
    if demand_content_id is not None:
        conditions.append(t.c.ext[(EVIDENCE, "demand_content_id")].as_integer() == demand_content_id)
    if not conditions:
        raise ValueError("name a post, a category or a demand")
    return list(connection.execute(select(t.c.task_id).where(*conditions).order_by(t.c.id)).scalars())


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
