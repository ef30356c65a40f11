"""A large fact base made inside PostgreSQL: 50,000 topic itemsets of 100 posts each, and candidates on them."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Engine, text

from resources.databases.pattern_facts import tables as t

EXECUTION = 700
ITEMSETS = 50_000
POSTS_AN_ITEMSET = 100
POSTS = 100_000
CATEGORIES = 300

_POST = "md5(((({i} * 37) + {k} * 101) % 100000)::text)"
_STATEMENTS = (
    f"""INSERT INTO pattern_mining_execution
        VALUES ({EXECUTION}, 'success', '全局树', 'piaoquan', '2026-06-01', '2026-06-01')""",
    f"INSERT INTO pattern_mining_config VALUES (7000, {EXECUTION}, 'topic', 0.001)",
    f"""INSERT INTO pattern_mining_category
        SELECT c, {EXECUTION}, '分类' || c, '/实质/分类' || c, '/实质/大类/分类' || c, NULL, 3, '实质'
        FROM generate_series(1, {CATEGORIES}) c""",
    f"""INSERT INTO pattern_itemset
        SELECT i, {EXECUTION}, 7000, 'topic', 2 + i % 2, 100.0 / {POSTS}, {POSTS_AN_ITEMSET}
        FROM generate_series(1, {ITEMSETS}) i""",
    f"""INSERT INTO pattern_itemset_item
        SELECT i * 10 + n, i, 1 + (i * 7 + n * 13) % {CATEGORIES}, '目的点', '实质', NULL
        FROM generate_series(1, {ITEMSETS}) i, generate_series(1, 2 + i % 2) n""",
    f"""INSERT INTO pattern_itemset_post
        SELECT i, {_POST.format(i="i::bigint", k="k")}
        FROM generate_series(1, {ITEMSETS}) i, generate_series(0, {POSTS_AN_ITEMSET - 1}) k ORDER BY i""",
    f"""INSERT INTO pattern_mining_element
        SELECT row_number() OVER (), {EXECUTION}, post, '{t.TOPIC_SOURCE_TABLE}', '目的点', '实质',
               '元素' || category, category
        FROM (SELECT DISTINCT {_POST.format(i="s.id", k="0")} AS post, x.category_id AS category
              FROM pattern_itemset s JOIN pattern_itemset_item x ON x.itemset_id = s.id) bound""",
    f"""INSERT INTO pattern_mining_element
        SELECT 10000000 + p * 8 + n, {EXECUTION}, md5(p::text), '{t.TOPIC_SOURCE_TABLE}', '关键点', '实质',
               '词' || (p * n) % 5000, 1 + (p + n) % {CATEGORIES}
        FROM generate_series(0, {POSTS - 1}) p, generate_series(1, 6) n""",
)


def generate(engine: Engine) -> None:
    """Fill an empty database; about a minute."""
    tables = t.metadata.sorted_tables
    for table in tables:
        table.create(engine)
    indexes = [index for table in tables for index in table.indexes]
    with engine.begin() as connection:
        for index in indexes:
            index.drop(connection)
        for statement in _STATEMENTS:
            connection.exec_driver_sql(statement.replace("%", "%%"))
        for index in indexes:
            index.create(connection)
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.execute(text("VACUUM ANALYZE"))


def candidates(engine: Engine, number: int) -> list[dict[str, Any]]:
    """Candidates that close, on itemsets spread over the whole range."""
    step = ITEMSETS // number
    statement = text(
        f"""SELECT i, {_POST.format(i="i::bigint", k="0")}, array_agg(x.category_id ORDER BY x.id)
        FROM generate_series(1, :last, :step) i JOIN pattern_itemset_item x ON x.itemset_id = i GROUP BY i ORDER BY i"""
    )
    with engine.connect() as connection:
        rows = connection.execute(statement, {"last": step * number, "step": step}).all()
    return [_candidate(*row) for row in rows]


def _candidate(itemset_id: int, post_id: str, category_ids: list[int]) -> dict[str, Any]:
    names = list(dict.fromkeys(f"元素{category_id}" for category_id in category_ids))
    return {
        "element_names": names,
        "reason": "常一起出现",
        "desc": "基准",
        "type": "pattern",
        "evidence_refs": {
            "source_kind": "pattern_itemset",
            "source_tool": "get_itemset_detail",
            "itemset_ids": [itemset_id],
            "category_ids": category_ids,
            "source_post_id": post_id,
            "case_ids": {"pattern_itemset": [post_id]},
            "seed_terms": names,
            "notes": "",
        },
    }
