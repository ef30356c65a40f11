"""100,000 published rows proved again against today's facts: rows a second, and whether memory stays flat."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sqlalchemy import create_engine, insert

from demand_assets.decisions.decision_loop import AcceptedDemand
from demand_assets.evidence.drift import DriftReport, verify_published
from demand_assets.evidence.pack import EvidencePack
from demand_assets.evidence.refs import parse_candidate
from demand_assets.outputs.rows import RowContext, demand_row
from resources.databases.demand_store.engine import DemandStore
from resources.databases.demand_store.migrate import upgrade
from resources.databases.demand_store.tables import demand_content
from resources.databases.pattern_facts.engine import FactsDatabase
from tests.bench.closure import close_all, timed
from tests.bench.generated_facts import candidates, generate
from tests.real_servers import MARIADB, POSTGRES, temporary_database

ROWS = 100_000
DISTINCT = 10_000
WRITTEN_AT_ONCE = 2_000
CONTEXT = RowContext("全局树", "bench", "20260901")
PAGE_BYTES = 4096


def measure() -> dict[str, Any]:
    """Facts on PostgreSQL, rows on MariaDB; resident memory after a tenth of the rows and after all."""
    with temporary_database(POSTGRES) as facts_url, temporary_database(MARIADB) as store_url:
        engine = create_engine(facts_url)
        generate(engine)
        many = candidates(engine, DISTINCT)
        engine.dispose()
        facts = FactsDatabase(facts_url)
        store = DemandStore(store_url)
        upgrade(store)
        _publish(store, many, close_all(facts, many))
        resident: list[float] = []

        def on_page(report: DriftReport) -> None:
            if report.rows in (ROWS // 10, ROWS):
                resident.append(_resident_mib())

        seconds, report = timed(lambda: verify_published(store, facts, on_page=on_page))
        facts.close()
    return {
        "rows": report.rows,
        "drifted_rows": report.drifted_rows,
        "seconds": seconds,
        "rows_a_second": report.rows / seconds,
        "resident_mib_after_a_tenth": resident[0],
        "resident_mib_after_all": resident[-1],
    }


def _publish(store: DemandStore, many: list[dict[str, Any]], packs: list[EvidencePack]) -> None:
    """Rows that close, each distinct one ten times; written by bulk INSERT, which is not what is measured."""
    rows = _rows(many, packs)
    with store.engine.begin() as connection:
        while block := [row for _, row in zip(range(WRITTEN_AT_ONCE), rows, strict=False)]:
            connection.execute(insert(demand_content), block)


def _rows(many: list[dict[str, Any]], packs: list[EvidencePack]) -> Iterator[dict[str, Any]]:
    for row_id in range(1, ROWS + 1):
        place = (row_id - 1) % DISTINCT
        demand = AcceptedDemand(seq=place, candidate=parse_candidate(many[place]), pack=packs[place], score=0.5)
        yield demand_row(demand, CONTEXT, row_id)


def _resident_mib() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return round(pages * PAGE_BYTES / 2**20, 1)
