"""Pages of the desk, metrics and traces over 100,000 tasks and a million candidates, on MariaDB and SQLite.

The tasks share 2,000 evidence sets of 1,000 posts, 30 KB each. The first 2,200 tasks, which the traces go through,
carry their evidence in every record; beside each way stands the one that reads ``ext``, once.
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from statistics import quantiles
from typing import Any

from sqlalchemy import Connection, text
from sqlalchemy.engine import URL

from desk.review.tasks import listing, task_view
from lineage.metrics.readings import supply_reading
from lineage.trace import ChainEnd, chains_of_tasks, chains_through
from resources.databases.supply_store.engine import SupplyStore
from resources.databases.supply_store.migrate import upgrade
from resources.databases.supply_store.task_index import EVIDENCE, evidence_keys, indexed
from resources.databases.supply_store.tasks.review_pages import Kind
from resources.foundation import strict_json
from resources.links.articles import read_url
from tests.bench.closure import timed
from tests.real_servers import MARIADB, temporary_database

TASKS = int(os.environ.get("GROWTH_TASKS", "100000"))
POOL = 10
SETS, POSTS, UNIVERSE, CATEGORIES = TASKS // 50, 1_000, TASKS, 300
TRACED = SETS + SETS // 10
SHOWN = 20
CALLS = 40
COUNT_OVER_EXT = """SELECT sum(json_extract(ext, '$.review.state') IS NOT NULL),
    sum(json_extract(ext, '$.frozen') IS NOT NULL) FROM supply_task"""
FIND_OVER_EXT = "SELECT count(*) FROM supply_task WHERE ext LIKE '%\"post-00000001\"%'"
FILL = (
    """INSERT INTO supply_demand_snapshot (id, demand_id, query, platform, expected_count, version, source_payload)
       SELECT n, n, '猫 治愈 ' || n, 'weixin', 10, 1, CASE WHEN n <= :traced THEN (SELECT '{"source_evidence": ' || e
       || '}' FROM bench_evidence b WHERE b.s = n % :sets) END FROM bench_number WHERE n <= :tasks""",
    """INSERT INTO supply_task (id, task_id, demand_snapshot_id, demand_id, status, current_stage, priority,
       retry_count, max_retry, is_idempotent, idempotency_key, ext)
       SELECT n, 't' || n, n, n, CASE WHEN n % 4 = 0 THEN 'COMPLETED' WHEN n % 10 = 1 THEN 'FAILED' ELSE 'RANKED' END,
       'CREATE_PLAN', 5, 0, 3, 1, 'k' || n, '{"batch": "b' || (n % 500) || '", "source_evidence": ' || e || CASE
       WHEN n % 10 = 3 THEN ', "review": {"state": "HELD", "by": "x", "reason": "y"}' ELSE '' END || '}'
       FROM bench_number JOIN bench_evidence b ON b.s = n % :sets WHERE n <= :tasks""",
    """INSERT INTO pattern2plan_task_index (task_row_id, task_id, batch, is_held, is_frozen, is_retryable, evidence_set)
       SELECT n, 't' || n, 'b' || (n % 500), n % 10 = 3, 0, 0, number
       FROM bench_number JOIN bench_evidence b ON b.s = n % :sets WHERE n <= :tasks""",
    """INSERT INTO supply_candidate_content (id, task_id, title, url, dedup_hash)
       SELECT n, 't' || (1 + n % :tasks), '标题 ' || n, 'https://mp.weixin.qq.com/s/' || n, 'h' || n
       FROM bench_number WHERE n <= :candidates""",
    """INSERT INTO supply_content_score (task_id, candidate_id, filter_status, is_selected, rank_no, total_score,
       score_detail)
       SELECT 't' || (1 + n % :tasks), n, 'PASS', n <= 3 * :tasks, 1 + n % 3, 50, CASE WHEN n <= 3 * :tasks AND
       1 + n % :tasks <= :traced THEN (SELECT '{"source_evidence": ' || e || '}' FROM bench_evidence b
       WHERE b.s = (1 + n % :tasks) % :sets) END FROM bench_number WHERE n <= :candidates""",
    """INSERT INTO supply_crawler_plan (task_id, plan_type, crawler_plan_id, plan_status, request_payload)
       SELECT 't' || n, 'BY_CONTENT', 'plan-' || n, 'CREATED', CASE WHEN n <= :traced THEN (SELECT
       '{"source_evidence": ' || e || '}' FROM bench_evidence b WHERE b.s = n % :sets) ELSE '{}' END
       FROM bench_number WHERE n <= :tasks""",
    """INSERT INTO supply_task_event (task_id, event_type, event_level, tool_name, event_payload)
       SELECT 't' || n, 'TOOL_RESULT', 'INFO', 'weixin_search', '{"provider": "house", "duration_ms": ' || (n % 900)
       || '}' FROM bench_number WHERE n <= 100000 AND n <= :candidates""",
)


def measure(folder: Path) -> dict[str, Any]:
    """Seconds at p50 and p95, a store each."""
    with temporary_database(MARIADB) as url:
        on_mariadb = _of_store(url)
    on_sqlite = _of_store(URL.create("sqlite", database=str(folder / "growth.db")))
    return {"tasks": TASKS, "candidates": TASKS * POOL, "mariadb": on_mariadb, "sqlite": on_sqlite}


def _of_store(url: URL) -> dict[str, Any]:
    with closing(SupplyStore(url)) as store:
        upgrade(store)
        seconds, _ = timed(lambda: _fill(store))
        report: dict[str, Any] = {"fill_s": seconds}
        drawn = random.Random(7)
        for name, call in _calls(store, drawn).items():
            taken = sorted(timed(call)[0] for _ in range(CALLS))
            cuts = quantiles(taken, n=20)
            report[name] = {"p50_s": cuts[9], "p95_s": cuts[18]}
        for name, statement in (("count_over_ext_s", COUNT_OVER_EXT), ("find_over_ext_s", FIND_OVER_EXT)):
            report[name] = timed(lambda statement=statement: _asked(store, statement))[0]
    return report


def _calls(store: SupplyStore, drawn: random.Random) -> dict[str, Callable[[], object]]:
    def some() -> int:
        return drawn.randint(1, TRACED)

    def metrics() -> int:
        with store.reading() as connection:
            return len(list(supply_reading(connection, datetime.now(UTC))))

    calls: dict[str, Callable[[], object]] = {
        f"desk_list_{kind.value}": lambda kind=kind: listing(store, kind, "", None) for kind in Kind
    }
    return calls | {
        "desk_list_older": lambda: listing(store, Kind.OPEN, "", drawn.randint(100, TASKS)),
        "desk_find": lambda: listing(store, Kind.OPEN, f"治愈 {TASKS - some()}", None),
        "desk_task": lambda: task_view(store, f"t{some()}"),
        "metrics": metrics,
        "trace_plan": lambda: chains_through(ChainEnd(crawler_plan_id=f"plan-{some()}"), store, SHOWN),
        "trace_article": lambda: chains_through(ChainEnd(url=f"https://mp.weixin.qq.com/s/{some()}"), store, SHOWN),
        "trace_task": lambda: chains_of_tasks([f"t{some()}"], store),
        "trace_post": lambda: chains_through(ChainEnd(post_id=_post(drawn.randrange(UNIVERSE))), store, SHOWN),
        "trace_category": lambda: chains_through(ChainEnd(category_id=1 + drawn.randrange(CATEGORIES)), store, SHOWN),
    }


def _fill(store: SupplyStore) -> None:
    with store.engine.begin() as connection:
        if store.backend != "sqlite":
            connection.execute(text("SET SESSION sql_mode = CONCAT(@@SESSION.sql_mode, ',PIPES_AS_CONCAT')"))
        kind = "LONGTEXT CHARACTER SET utf8mb4" if store.backend != "sqlite" else "TEXT"
        connection.execute(text("CREATE TABLE bench_number (n INTEGER PRIMARY KEY)"))
        connection.execute(text(f"CREATE TABLE bench_evidence (s INTEGER PRIMARY KEY, number BIGINT, e {kind})"))
    with store.engine.begin() as connection:
        if store.backend != "sqlite":
            connection.execute(text("SET SESSION sql_mode = CONCAT(@@SESSION.sql_mode, ',PIPES_AS_CONCAT')"))
        numbers = {"tasks": TASKS, "candidates": TASKS * POOL, "sets": SETS, "traced": TRACED}
        _numbers(connection, numbers["candidates"])
        _evidence(connection)
        for statement in FILL:
            connection.execute(text(statement), numbers)
        connection.execute(text("UPDATE supply_candidate_content SET dedup_hash = :h WHERE id = :n"), list(_hashes()))


def _numbers(connection: Connection, last: int) -> None:
    digits = " UNION ALL ".join(f"SELECT {n} AS d" for n in range(10))
    terms, crosses = [], []
    for place in range(len(str(last - 1))):
        terms.append(f"{10**place} * d{place}.d")
        crosses.append(f"({digits}) d{place}")
    statement = f"INSERT INTO bench_number SELECT 1 + {' + '.join(terms)} FROM {', '.join(crosses)}"
    connection.execute(text(statement))


def _evidence(connection: Connection) -> None:
    """The evidence of each set, and its keys in the order of their table."""
    rows, keys = [], set()
    for number in range(SETS):
        posts = [_post((number * 37 + place * 101) % UNIVERSE) for place in range(POSTS)]
        nodes = [{"id": 1 + (number * 7 + n * 13) % CATEGORIES, "name": "分类", "path": "/分类"} for n in range(3)]
        evidence = {
            "origin": "demand_content", "demand_id": 1 + number, "demand_content_id": 1 + number,
            "pattern_execution_id": 700, "mining_config_id": 1, "itemset_ids": [number], "source_post_id": posts[0],
            "categories": nodes, "matched_post_ids": posts, "pattern_trace_id": None,
        }  # fmt: skip
        of_set = indexed({EVIDENCE: evidence})["evidence_set"]
        rows.append({"s": number, "number": of_set, "e": strict_json.dumps(evidence)})
        keys.update((key, of_set) for key in evidence_keys(evidence))
    connection.execute(text("INSERT INTO bench_evidence VALUES (:s, :number, :e)"), rows)
    insert = "INSERT INTO pattern2plan_evidence_key (evidence_key, evidence_set) VALUES (:k, :s)"
    connection.execute(text(insert), [{"k": key, "s": of_set} for key, of_set in sorted(keys)])


def _hashes() -> Iterator[dict[str, Any]]:
    for number in range(1, TRACED + 1):
        yield {"n": number, "h": read_url(f"https://mp.weixin.qq.com/s/{number}").identity_hash}


def _post(number: int) -> str:
    return f"post-{number:08d}-of-the-bench"


def _asked(store: SupplyStore, statement: str) -> object:
    with store.reading() as connection:
        return connection.exec_driver_sql(statement.replace("%", "%%")).all()
