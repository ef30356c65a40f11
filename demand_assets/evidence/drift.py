"""Re-proving what was published (D-073): pages of rows, five statements a page and execution, memory flat."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from demand_assets.evidence.published_rows import names_itself, read_published_row, row_key
from demand_assets.evidence.reproof import Drift, Published, reprove
from resources.databases.demand_store.engine import DemandStore
from resources.databases.demand_store.pages import published_pages
from resources.databases.pattern_facts.engine import FactsDatabase
from resources.foundation.errors import PackRefused

PAGE = 1_000
MOST_KEPT = 10_000


@dataclass
class DriftReport:
    """Rows looked at, and the ways in which some no longer close.

    Every count is exact; of the drifts themselves the first ``MOST_KEPT`` are kept and ``left_out`` are not.
    """

    rows: int = 0
    drifted_rows: int = 0
    by_code: Counter[str] = field(default_factory=Counter)
    """Drifts by code."""
    rows_by_rule: Counter[str] = field(default_factory=Counter)
    """Rows that break a rule, by rule; a row counts under each rule it breaks."""
    drifts: list[Drift] = field(default_factory=list)

    @property
    def left_out(self) -> int:
        """Drifts that were counted and not kept."""
        return self.by_code.total() - len(self.drifts)

    def add(self, rows: int, drifts: Sequence[Drift]) -> None:
        """Count a page of rows; all drifts of a row come with its page."""
        self.rows += rows
        self.drifted_rows += len({drift.key for drift in drifts})
        self.by_code.update(drift.code for drift in drifts)
        self.rows_by_rule.update(rule_id for _, rule_id in {(drift.key, drift.rule_id) for drift in drifts})
        self.drifts.extend(drifts[: MOST_KEPT - len(self.drifts)])


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
    for page in published_pages(store, execution_id, PAGE):
        drifts: list[Drift] = []
        published = [entry for raw in page if (entry := _published(raw, drifts)) is not None]
        with facts.snapshot() as snapshot:
            drifts.extend(reprove(snapshot, published))
        report.add(len(page), drifts)
        on_page(report)
    return report


def _published(raw: dict[str, Any], drifts: list[Drift]) -> Published | None:
    key = row_key(raw)
    try:
        row = read_published_row(raw)
    except PackRefused as error:
        drifts.append(Drift(key, "D-053", "malformed_row", error.message))
        return None
    if not names_itself(row):
        drifts.append(Drift(key, "D-064", "malformed_row", "demand_content_id is another row's id"))
    return Published(key, row.name, row.ext_data.evidence_pack)
