"""Whether a published row still stands behind what was taken in from it (S-006, D-073).

It stands when it is there, is the row that the snapshot froze, carries the evidence that the task inherited, and its
pack closes against today's facts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from pydantic import ValidationError

from demand_assets.evidence.pack import DemandRow
from demand_assets.evidence.published_rows import names_itself
from demand_assets.evidence.row_proof import RowProof, Verdict
from resources.databases.demand_store.engine import DemandStore
from resources.databases.demand_store.statements import read_rows_by_id
from resources.databases.pattern_facts.engine import FactsDatabase
from resources.databases.supply_store.tasks.snapshots import SnapshotRow
from resources.databases.supply_store.tasks.tasks import TaskRow
from supply_assets.intake.intake import query_of_name
from supply_assets.intake.source_evidence import SourceEvidence, evidence_of_row


class IntakeRecord(NamedTuple):
    """What was taken in from a published row: the query and the row as the snapshot froze them, and the evidence."""

    demand_content_id: int
    evidence: SourceEvidence | None
    query: str
    frozen: Any


class Break(NamedTuple):
    """One reason why a row no longer stands behind a demand; ``code`` is empty where it is no rule of the closure."""

    rule_id: str
    code: str
    message: str

    @property
    def reason(self) -> str:
        """The message, after its code where it has one."""
        return f"{self.code}: {self.message}" if self.code else self.message

    def __str__(self) -> str:
        return f"{self.rule_id} {self.reason}" if self.code else self.message


@dataclass(frozen=True)
class DemandStanding:
    """The row as it can be read today, ``None`` where it cannot, and every reason why it no longer stands."""

    row: DemandRow | None = None
    breaks: list[Break] = field(default_factory=list)


def recheck_tasks(
    tasks: Sequence[TaskRow], snapshots: Mapping[int, SnapshotRow], demands: DemandStore, facts: FactsDatabase
) -> list[DemandStanding]:
    """How the rows behind tasks of published demands stand today, in their order; raises as ``recheck``."""
    return recheck([_intake_record(task, snapshots[task.demand_snapshot_id]) for task in tasks], demands, facts)


def _intake_record(task: TaskRow, snapshot: SnapshotRow) -> IntakeRecord:
    """A task's demand id is the id of the published row; evidence that cannot be read is none (S-003)."""
    try:
        evidence = SourceEvidence.model_validate(task.ext.get("source_evidence"), strict=True)
    except ValidationError:
        evidence = None
    payload: Any = snapshot.source_payload
    frozen = payload.get("demand") if isinstance(payload, dict) else None
    return IntakeRecord(task.demand_id, evidence, snapshot.query, frozen)


def recheck(taken: Sequence[IntakeRecord], demands: DemandStore, facts: FactsDatabase) -> list[DemandStanding]:
    """How the rows behind what was taken in stand today, in the order of ``taken``: one read of each kind.

    Raises:
        StoreUnwritable: the rows could not be read: nothing is said of any.
        FactsUnreadable: the facts could not be read: nothing is said of any.
    """
    if not taken:
        return []
    with demands.reading() as connection:
        raw_rows = {row["id"]: row for row in read_rows_by_id(connection, list({t.demand_content_id for t in taken}))}
    with facts.snapshot() as snapshot:
        verdicts = dict(zip(raw_rows, RowProof().verdicts(snapshot, list(raw_rows.values())), strict=True))
    return [_standing(one, verdicts.get(one.demand_content_id)) for one in taken]


def _standing(taken: IntakeRecord, verdict: Verdict | None) -> DemandStanding:
    if verdict is None:
        gone = f"demand_content {taken.demand_content_id} is not there any more"
        return DemandStanding(None, [Break("S-006", "", gone)])
    broken = [Break(drift.rule_id, drift.code, drift.message) for drift in verdict.broken]
    if verdict.row is None:
        return DemandStanding(None, broken)
    return DemandStanding(verdict.row, [*_differences(taken, verdict.row), *broken])


def _differences(taken: IntakeRecord, row: DemandRow) -> Iterator[Break]:
    if not names_itself(row) or evidence_of_row(row) != taken.evidence:
        yield Break("S-006", "", f"demand_content {row.id} carries other evidence than the task")
    if row.model_dump(mode="json") != taken.frozen:
        yield Break("S-003", "", f"demand_content {row.id} is not what the snapshot froze")
    if query_of_name(row.name) != taken.query:
        yield Break(
            "S-001", "", f"the snapshot asks for {taken.query!r}, which is not the name of demand_content {row.id}"
        )
