"""Re-proving what was published (D-073): pages of rows, five statements a page and execution, memory flat."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from demand_assets.evidence.published_rows import names_itself, read_published_row, row_key
from demand_assets.evidence.reproof import Drift, Published, reprove
from resources.demand_store.engine import DemandStore
from resources.demand_store.statements import read_pages
from resources.errors import PackRefused
from resources.pattern_facts.engine import FactsDatabase

PAGE = 1_000


@dataclass
class DriftReport:
    """Rows looked at, and every way in which one no longer closes."""

    rows: int = 0
    drifts: list[Drift] = field(default_factory=list)

    @property
    def drifted_rows(self) -> int:
        return len({drift.key for drift in self.drifts})


def verify_published(
    store: DemandStore,
    facts: FactsDatabase,
    execution_id: int | None = None,
    on_page: Callable[[DriftReport], None] = lambda _: None,
) -> DriftReport:
    """Prove the rows of one execution, or all rows, against today's facts; no row is touched.

    Raises:
        FactsUnreadable: the facts could not be read: nothing is said about any row.
        StoreUnwritable: the rows could not be read.
    """
    report = DriftReport()
    with store.reading() as connection:
        for page in read_pages(connection, execution_id, PAGE):
            published = [entry for raw in page if (entry := _published(raw, report)) is not None]
            with facts.snapshot() as snapshot:
                report.drifts.extend(reprove(snapshot, published))
            report.rows += len(page)
            on_page(report)
    return report


def _published(raw: dict[str, Any], report: DriftReport) -> Published | None:
    key = row_key(raw)
    try:
        row = read_published_row(raw)
    except PackRefused as error:
        report.drifts.append(Drift(key, "D-053", "malformed_row", error.message))
        return None
    if not names_itself(row):
        report.drifts.append(Drift(key, "D-064", "malformed_row", "demand_content_id is another row's id"))
    return Published(key, row.name, row.ext_data.evidence_pack)
