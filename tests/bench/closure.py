"""Closure of 10,000 candidates against a bare COPY of the same rows, and against the per-candidate way."""

from __future__ import annotations

import resource
import time
from collections import Counter
from collections.abc import Callable
from typing import Any

import psycopg
from sqlalchemy import event

from demand_assets.evidence.closure import Accepted, Provenance, build_pack, decide
from demand_assets.evidence.facts import Facts
from demand_assets.evidence.pack import EvidencePack
from demand_assets.evidence.refs import parse_candidate
from demand_assets.evidence.rules import Claim, judge
from expectations.demand.frames import evidence_frames
from expectations.demand.pack_records import PackRecord
from expectations.demand.suites import EVIDENCE_SUITES
from expectations.engine.validation import Verdict, merge, run_suites
from resources.databases.pattern_facts.engine import FactsDatabase
from resources.databases.pattern_facts.records import Binding, Execution, Item, Itemset, Posts
from resources.databases.pattern_facts.spoiled.one_itemset import OneItemset, read_one_itemset
from resources.databases.pattern_facts.tables import TOPIC_SOURCE_TABLE
from tests.bench.generated_facts import EXECUTION

SAMPLE = 300
_COPIES = (
    "SELECT s.*, c.execution_id, c.scope FROM wanted w JOIN pattern_itemset s ON s.id = w.itemset_id "
    "LEFT JOIN pattern_mining_config c ON c.id = s.mining_config_id",
    "SELECT x.*, g.execution_id, g.name, g.path, g.full_path FROM wanted w JOIN pattern_itemset_item x "
    "ON x.itemset_id = w.itemset_id LEFT JOIN pattern_mining_category g ON g.id = x.category_id",
    "SELECT p.* FROM wanted w JOIN pattern_itemset_post p ON p.itemset_id = w.itemset_id",
    "SELECT x.itemset_id, x.id, e.post_id, e.element_name FROM wanted w "
    "JOIN pattern_itemset_item x ON x.itemset_id = w.itemset_id "
    f"JOIN pattern_mining_element e ON e.execution_id = {EXECUTION} AND e.post_id = w.post_id "
    f"AND e.source_table = '{TOPIC_SOURCE_TABLE}' AND e.category_id = x.category_id "
    "AND e.point_type = x.point_type AND e.dimension = x.dimension",
)


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """Seconds and result of one call."""
    started = time.perf_counter()
    result = work()
    return time.perf_counter() - started, result


def peak_mib() -> float:
    """Highest resident memory of this process so far, MiB."""
    return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, 1)


def copy_rows(conninfo: str, candidates: list[dict[str, Any]]) -> int:
    """Bytes of a binary COPY of the itemset, item, post and binding rows of the candidates."""
    received = 0
    with psycopg.connect(conninfo) as connection, connection.cursor() as cursor:
        cursor.execute("CREATE TEMP TABLE wanted (itemset_id bigint, post_id text)")
        with cursor.copy("COPY wanted FROM STDIN") as load:
            for candidate in candidates:
                refs = candidate["evidence_refs"]
                load.write_row((refs["itemset_ids"][0], refs["source_post_id"]))
        cursor.execute("ANALYZE wanted")
        for query in _COPIES:
            with cursor.copy(f"COPY ({query}) TO STDOUT (FORMAT binary)") as stream:
                for block in stream:
                    received += len(block)
    return received


def close_all(facts: FactsDatabase, candidates: list[dict[str, Any]]) -> list[EvidencePack]:
    """Packs of all candidates, decided in one snapshot."""
    with facts.snapshot() as snapshot:
        decisions = decide(snapshot, EXECUTION, candidates, Provenance("bench"))
    packs = [decision.pack for decision in decisions if isinstance(decision, Accepted)]
    if len(packs) != len(candidates):
        raise AssertionError(f"{len(candidates) - len(packs)} candidates were rejected: {decisions[0]}")
    return packs


def one_by_one(facts: FactsDatabase, candidates: list[dict[str, Any]]) -> None:
    """The same facts by seven plain SELECTs a candidate, then the same rules and the same pack."""
    with facts.snapshot() as snapshot:
        for raw in candidates:
            claim = Claim.of(parse_candidate(raw))
            read = _as_facts(read_one_itemset(snapshot, EXECUTION, claim.itemset_ids[0], claim.source_post_id), claim)
            evidence = claim.evidence(read)
            if judge(claim, read, evidence):
                raise AssertionError("the per-candidate way rejected a candidate that closes")
            build_pack(claim, read, evidence, Provenance("bench"))


def _as_facts(one: OneItemset, claim: Claim) -> Facts:
    itemset_id, post_id = claim.itemset_ids[0], claim.source_post_id or ""
    head, config = one.itemset or {}, one.config or {}
    items, bindings = [], []
    for row in one.items:
        category = one.categories[row["category_id"]]
        place = (row["category_id"], row["point_type"], row["dimension"])
        own = (itemset_id, row["id"], *place, row["element_name"])
        items.append(Item(*own, category["execution_id"], category["name"], category["path"], category["full_path"],
                          category["level"], category["dimension"]))  # fmt: skip
        names = Counter(
            e["element_name"]
            for e in one.elements
            if (e["category_id"], e["point_type"], e["dimension"]) == place and e["source_table"] == TOPIC_SOURCE_TABLE
        )
        bindings.extend(Binding(itemset_id, row["id"], post_id, name, count) for name, count in sorted(names.items()))
    facts = [head[name] for name in ("id", "execution_id", "mining_config_id", "scope", "support", "absolute_support")]
    return Facts(
        EXECUTION,
        Execution(EXECUTION, one.execution_status or "", None, None, None, None),
        {
            itemset_id: Itemset(
                *facts, config["execution_id"], config["scope"], head.get("item_count"), config.get("min_support")
            )
        },
        {itemset_id: items},
        {itemset_id: Posts(sorted({post for post in one.post_links if post}), 0)},
        {(itemset_id, post_id): bindings},
    )


def count_statements(facts: FactsDatabase, work: Callable[[], Any]) -> int:
    """Statements that ``work`` sends to the facts."""
    sent = 0

    def note(*_: Any) -> None:
        nonlocal sent
        sent += 1

    event.listen(facts.engine, "before_cursor_execute", note)
    try:
        work()
    finally:
        event.remove(facts.engine, "before_cursor_execute", note)
    return sent


def run_evidence_suites(facts: FactsDatabase, records: list[PackRecord]) -> None:
    """The suites over the packs, facts read afresh included."""
    with facts.snapshot() as snapshot:
        frames = evidence_frames(snapshot, EXECUTION, records)
    results = iter(run_suites([suite for group in EVIDENCE_SUITES.values() for suite in group], frames))
    for name, group in EVIDENCE_SUITES.items():
        verdict = merge(group, [next(results) for _ in group]).verdict
        if verdict is not Verdict.PASSED:
            raise AssertionError(f"{name}: {verdict}")
