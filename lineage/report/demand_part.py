"""The demand half of a report: the itemsets, how candidates were decided, and every published row proved today."""

from __future__ import annotations

from dataclasses import dataclass, field

from demand_assets.evidence.codes import RULE_OF_CODE, RejectCode
from demand_assets.evidence.drift import DriftReport, verify_published
from demand_assets.evidence.reproof import RULE_OF_FIELD
from lineage.report.label_funnels import LabelledRows, labelled_rows, sum_over
from lineage.report.records import Decisions, Records, latest
from resources.databases.demand_store.engine import DemandStore
from resources.databases.demand_store.statements import read_labels
from resources.databases.pattern_facts.closure_facts import read_execution
from resources.databases.pattern_facts.engine import FactsDatabase
from resources.databases.pattern_facts.listing import count_topic_itemsets

FIRST_MESSAGES = 3
UNREADABLE_ROW = "D-053"
OF_ROWS = ("D-021", "D-050", "D-052", UNREADABLE_ROW, "D-064")
"""Rules that a published row may break beside those of the closure."""
RULES = sorted(
    {*RULE_OF_CODE.values(), *RULE_OF_FIELD.values(), *OF_ROWS} - {RULE_OF_CODE[RejectCode.FACTS_UNREADABLE]}
)


@dataclass(frozen=True)
class RuleVerdict:
    """Published rows that keep a rule and that break it, with the first messages.

    A row that cannot be read is counted under its own rule alone: of the others nothing is known.
    """

    rule_id: str
    holds: int
    breaks: int
    first: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class DemandPart:
    """``status`` is ``None`` where the facts have no such execution, ``decisions`` where none is recorded."""

    status: str | None
    itemsets: int
    decisions: Decisions | None
    rows: int
    broken_rows: int
    verdicts: list[RuleVerdict]
    labels: list[LabelledRows] = field(default_factory=list)

    @property
    def decided(self) -> tuple[int | None, int | None]:
        """Proposed and accepted of the runs behind the published rows; of the latest trial where nothing published."""
        if not self.labels and not self.rows and self.decisions is not None:
            return self.decisions.proposed, self.decisions.accepted
        return sum_over(self.labels, self.rows)

    @property
    def is_empty(self) -> bool:
        """No candidate was decided, no row published, as far as anything tells."""
        return not self.rows and self.decisions is None


def demand_part(execution_id: int, demands: DemandStore, facts: FactsDatabase, records: Records) -> DemandPart:
    """The demand half of an execution; every row is proved against today's facts (D-073).

    Raises:
        FactsUnreadable, StoreUnwritable: a database could not be read: nothing is said.
    """
    with facts.snapshot() as snapshot:
        execution = read_execution(snapshot, execution_id)
        itemsets = count_topic_itemsets(snapshot, execution_id)
    report = verify_published(demands, facts, execution_id)
    with demands.reading() as connection:
        labels = read_labels(connection, execution_id)
    decisions = records.decisions(execution_id)
    return DemandPart(
        status=None if execution is None else execution.status,
        itemsets=itemsets,
        decisions=latest(decisions),
        rows=report.rows,
        broken_rows=report.drifted_rows,
        verdicts=_verdicts(report),
        labels=labelled_rows(labels, decisions),
    )


def _verdicts(report: DriftReport) -> list[RuleVerdict]:
    first: dict[str, list[str]] = {}
    for drift in report.drifts:
        said = first.setdefault(drift.rule_id, [])
        if len(said) < FIRST_MESSAGES:
            said.append(f"{drift.key}: {drift.code}: {drift.message}")
    readable = report.rows - report.rows_by_rule[UNREADABLE_ROW]
    verdicts = []
    for rule_id in RULES:
        of = report.rows if rule_id == UNREADABLE_ROW else readable
        breaks = report.rows_by_rule[rule_id]
        verdicts.append(RuleVerdict(rule_id, of - breaks, breaks, first.get(rule_id, [])))
    return verdicts
