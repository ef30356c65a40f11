"""Which executions there are: a page of them with their numbers, and the one that is asked for, if it may be used."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from sqlalchemy import Connection, and_, func, select

from resources.databases.pattern_facts import tables as t
from resources.databases.pattern_facts.closure_facts import read_execution
from resources.databases.pattern_facts.engine import FactsDatabase
from resources.databases.pattern_facts.keyset import keyset
from resources.databases.pattern_facts.records import Execution
from resources.databases.pattern_facts.tables import SUCCESS
from resources.foundation.errors import ExecutionNotUsable

NAMED = 5
SEE_ALL = "choose one of them; `pattern2plan executions` lists all"


class ExecutionOutline(NamedTuple):
    """One execution; counts are of its topic itemsets and of the distinct posts that have topic elements in it."""

    id: int
    status: str
    created_at: str | None
    merge_leve2: str | None
    platform_type: str | None
    itemsets: int
    posts: int


def list_executions(connection: Connection, limit: int) -> list[ExecutionOutline]:
    """The newest executions, the highest id first; three statements."""
    e = t.execution.c
    columns = (e.id, e.status, e.created_at, e.merge_leve2, e.platform_type)
    heads = connection.execute(select(*columns).order_by(e.id.desc(), e.updated_at.desc()).limit(limit)).all()
    ids = sorted({head[0] for head in heads})
    itemsets, posts = _itemsets(connection, ids), _posts(connection, ids)
    return [
        ExecutionOutline(
            head[0],
            head[1],
            None if head[2] is None else str(head[2]),
            head[3],
            head[4],
            itemsets.get(head[0], 0),
            posts.get(head[0], 0),
        )
        for head in heads
    ]


def require_usable(facts: FactsDatabase, execution_id: int) -> Execution:
    """The execution's row (D-004).

    Raises:
        ExecutionNotUsable: unknown, or its status is not success; names some that are.
        FactsUnreadable: the facts could not be read.
    """
    with facts.snapshot() as snapshot:
        execution = read_execution(snapshot, execution_id)
        if execution is not None and execution.status == SUCCESS:
            return execution
        others = _others(snapshot)
    wrong = "does not exist" if execution is None else f"has status {execution.status!r}, not {SUCCESS!r}"
    raise ExecutionNotUsable(f"execution {execution_id} {wrong}; {others}", SEE_ALL)


def _others(snapshot: Connection) -> str:
    e = t.execution.c
    found = select(e.id).where(e.status == SUCCESS).distinct().order_by(e.id.desc()).limit(NAMED + 1)
    newest = sorted(row[0] for row in snapshot.execute(found))
    if not newest:
        return "there is no successful execution yet"
    earlier = ", and earlier ones" if len(newest) > NAMED else ""
    return f"successful ones: {', '.join(map(str, newest[-NAMED:]))}{earlier}"


def _itemsets(connection: Connection, ids: Sequence[int]) -> dict[int, int]:
    keys, s = keyset(connection, {"execution_id": "id"}, [(one,) for one in ids]), t.itemset
    of_topic = and_(s.c.execution_id == keys.c.execution_id, s.c.scope == t.TOPIC_SCOPE)
    counted = select(s.c.execution_id, func.count()).select_from(keys.join(s, of_topic)).group_by(s.c.execution_id)
    return {row[0]: int(row[1]) for row in connection.execute(counted)}


def _posts(connection: Connection, ids: Sequence[int]) -> dict[int, int]:
    keys, e = keyset(connection, {"execution_id": "id"}, [(one,) for one in ids]), t.element
    of_topic = and_(e.c.execution_id == keys.c.execution_id, e.c.source_table == t.TOPIC_SOURCE_TABLE)
    distinct = func.count(e.c.post_id.distinct())
    counted = select(e.c.execution_id, distinct).select_from(keys.join(e, of_topic)).group_by(e.c.execution_id)
    return {row[0]: int(row[1]) for row in connection.execute(counted)}
