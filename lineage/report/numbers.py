"""The numbers of a report: gathered, summed up into a funnel and one state, and as plain values for scripts."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Any

from lineage.report.chains import ChainPart, OpenFacts, chain_part
from lineage.report.demand_part import DemandPart, demand_part
from lineage.report.label_funnels import LabelFunnel, Step, label_funnels
from lineage.report.records import Records
from lineage.report.supply_part import SupplyPart, supply_part
from resources.databases.demand_store.engine import DemandStore
from resources.databases.supply_store.engine import SupplyStore
from resources.foundation.clock import Clock
from resources.foundation.errors import UsageError
from resources.foundation.ids import LIST_EXECUTIONS
from supply_assets.intake.batches import parse_batch_key

MOST_BROKEN = 100


class NothingToReport(UsageError):
    """Nothing was ever run of this batch: there is nothing to report."""


class ReportState(StrEnum):
    """What a reader must know first, the worst that holds."""

    BROKEN = "broken"
    ATTENTION = "attention"
    NOTHING = "nothing"
    CLOSED = "closed"


@dataclass(frozen=True)
class Sources:
    """Where the numbers come from; the facts are opened only for a batch that stands on them."""

    supply: SupplyStore
    demands: DemandStore
    open_facts: OpenFacts
    records: Records


@dataclass(frozen=True)
class Report:
    """A batch as it stands; ``demand`` is ``None`` for requests from outside, which no execution stands behind."""

    batch: str
    made_at: datetime
    demand: DemandPart | None
    supply: SupplyPart
    chains: ChainPart
    unreadable: list[str]

    @property
    def is_empty(self) -> bool:
        return not self.supply.batch.tasks and (self.demand is None or self.demand.is_empty)

    @property
    def broken_rows(self) -> int:
        """Published rows that no longer close."""
        return 0 if self.demand is None else self.demand.broken_rows

    @property
    def not_taken_in(self) -> int:
        """Published rows that stand behind no task of the batch."""
        return 0 if self.demand is None else max(0, self.demand.rows - self.supply.taken_in)

    @property
    def state(self) -> ReportState:
        if self.is_empty:
            return ReportState.NOTHING
        if self.chains.broken or self.broken_rows:
            return ReportState.BROKEN
        supply = self.supply
        waits = supply.unfinished or supply.stopped or supply.errors or supply.batch.shortfall or self.not_taken_in
        return ReportState.ATTENTION if waits or not supply.batch.tasks else ReportState.CLOSED

    @property
    def exit_code(self) -> int:
        """1 where a chain is broken or a published row does not close, else 0."""
        return 1 if self.state is ReportState.BROKEN else 0

    @property
    def demand_steps(self) -> list[Step]:
        """From the itemsets of the execution to the demands that were taken in; none for requests from outside."""
        if self.demand is None:
            return []
        proposed, accepted = self.demand.decided
        return [
            Step("itemsets", self.demand.itemsets),
            Step("proposed", proposed),
            Step("accepted", accepted),
            Step("published", self.demand.rows),
            Step("taken_in", self.supply.taken_in),
            Step("tasks", len(self.supply.batch.tasks)),
        ]

    @property
    def by_label(self) -> list[LabelFunnel]:
        """A funnel a run label; each step is counted over the runs of that label."""
        return [] if self.demand is None else label_funnels(self.demand.labels, self.supply.batch.tasks)

    @property
    def supply_steps(self) -> list[Step]:
        """From the articles that searches found to those in a plan, then the plans."""
        funnel = self.supply.batch.funnel
        steps = [Step(name, funnel[name]) for name in ("candidates", "read", "passed", "selected")]
        return [*steps, Step("plan_items", self.chains.plan_items), Step("plans", self.chains.plans)]

    def as_json(self) -> dict[str, Any]:
        """Plain values for scripts; of the chains the counts, and the first hundred that are broken."""
        return {
            "batch": self.batch,
            "made_at": self.made_at.isoformat(),
            "state": str(self.state),
            "funnel": {step.name: step.number for step in (*self.demand_steps, *self.supply_steps)},
            "funnel_by_label": [
                {"label": one.label, "recorded_runs": one.recorded_runs, "funnel": dict(one.steps)}
                for one in self.by_label
            ],
            "demand": None if self.demand is None else _demand_json(self.demand),
            "supply": _supply_json(self.supply) | {"not_taken_in": self.not_taken_in},
            "chains": _chains_json(self.chains),
            "unreadable_records": self.unreadable,
        }


def gather_report(batch: str, sources: Sources, clock: Clock) -> Report:
    """The report of a batch: an execution id, or ``adhoc-…``.

    Raises:
        UsageError: the key names no batch.
        StoreUnwritable, FactsUnreadable: a database could not be read: no number is made up for it.
    """
    execution_id = parse_batch_key(batch)
    demand = None
    if execution_id is not None:
        with sources.open_facts() as facts:
            demand = demand_part(execution_id, sources.demands, facts, sources.records)
    supply = supply_part(batch, sources.supply, sources.records.refused_by_rule(batch))
    chains = chain_part(supply.task_ids, sources.supply, sources.demands, sources.open_facts)
    return Report(batch, clock.now(), demand, supply, chains, list(sources.records.unreadable))


def require_content(report: Report) -> None:
    """Refuse to report on nothing.

    Raises:
        NothingToReport: no candidate, row or task of the batch is there; says what the facts have.
    """
    if not report.is_empty:
        return
    if report.demand is None:
        raise NothingToReport(f"no task of batch {report.batch} is there", "see the request file's batch in the UI")
    if report.demand.status is None:
        raise NothingToReport(f"the facts have no execution {report.batch}, and nothing was run of it", LIST_EXECUTIONS)
    raise NothingToReport(
        f"nothing was run of execution {report.batch} yet: the facts have {report.demand.itemsets} itemsets of it",
        f"pattern2plan demand run --execution-id {report.batch} --output mysql_demand_content",
    )


def _demand_json(part: DemandPart) -> dict[str, Any]:
    values = asdict(replace(part, labels=[]))
    del values["labels"]
    if part.decisions is not None:
        values["decisions"] |= {"at": part.decisions.at.isoformat()}
    return values


def _supply_json(part: SupplyPart) -> dict[str, Any]:
    return {
        **part.batch.as_json(),
        "refused_by_rule": part.refused_by_rule,
        "refused": part.refused,
        "filtered": part.filtered,
        "errors": part.errors,
        "scores": [spread._asdict() for spread in part.spreads],
        "selected_with_invented_body": part.invented,
        "shortfalls": [
            {"task_id": short.task.task_id, "wanted": short.task.wanted, "selected": short.task.selected}
            | {"reasons": [reason._asdict() for reason in short.reasons]}
            for short in part.shortfalls
        ],
        "stopped": [stopped._asdict() for stopped in part.stopped],
        "tools": [tool._asdict() for tool in part.tools],
        "slowest_calls": [call._asdict() for call in part.slowest],
    }


def _chains_json(part: ChainPart) -> dict[str, Any]:
    broken = [{"task_id": chain.task_id, "broken": chain.broken} for chain in part.kept if not chain.closed]
    return {
        "chains": part.chains,
        "articles": part.articles,
        "broken": len(part.broken),
        "first_broken": broken[:MOST_BROKEN],
    }
