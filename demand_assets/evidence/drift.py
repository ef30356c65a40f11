"""Re-proving what was published (D-073): pages of rows, five statements a page and execution, memory flat."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from demand_assets.evidence.reproof import Drift
from demand_assets.evidence.row_proof import RowProof
from resources.databases.demand_store.engine import DemandStore
from resources.databases.demand_store.pages import published_pages
from resources.databases.pattern_facts.engine import FactsDatabase

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
    report, proof = DriftReport(), RowProof()
    for page in published_pages(store, execution_id, PAGE):
        with facts.snapshot() as snapshot:
            verdicts = proof.verdicts(snapshot, page)
        report.add(len(page), [drift for verdict in verdicts for drift in verdict.broken])
        on_page(report)
    return report
