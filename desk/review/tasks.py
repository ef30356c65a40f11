"""What the pages show: open tasks, and one task with its evidence, its candidates and what was decided of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from resources.databases.supply_store.articles.candidates import CandidateRow
from resources.databases.supply_store.articles.plans import plans_of_tasks
from resources.databases.supply_store.articles.scores import ScoreRow
from resources.databases.supply_store.engine import SupplyStore
from resources.databases.supply_store.events import EventRow, read_events
from resources.databases.supply_store.states import ENDED, TaskStatus
from resources.databases.supply_store.tasks.review_pages import Kind, ReviewPage, review_counts, review_page
from resources.databases.supply_store.tasks.snapshots import SnapshotRow, read_snapshots
from resources.databases.supply_store.tasks.tasks import TaskRow, read_task
from supply_assets.intake.source_evidence import SourceEvidence
from supply_assets.review.review_list import candidates_by_rank
from supply_assets.review.review_state import review_of
from supply_assets.standing.freeze_state import Freeze, freeze_of

SIZE = 50
MOST_CANDIDATES = 300
MOST_DECISIONS = 1_000
DECISIONS = frozenset({"MANUAL_INTERVENTION", "FROZEN", "THAWED"})


@dataclass(frozen=True)
class TaskListing:
    """One page of open tasks."""

    kind: Kind
    text: str
    page: ReviewPage
    counts: dict[Kind, int]


@dataclass(frozen=True)
class TaskView:
    """One task; candidates by rank, those without one last."""

    task: TaskRow
    snapshot: SnapshotRow
    candidates: list[tuple[CandidateRow, ScoreRow | None]]
    left_out: int
    history: list[EventRow]
    has_plan: bool

    @property
    def evidence(self) -> SourceEvidence | None:
        """What the task inherited; ``None`` where it was altered into something else."""
        try:
            return SourceEvidence.model_validate(self.task.ext.get("source_evidence"), strict=True)
        except ValidationError:
            return None

    @property
    def support(self) -> float | None:
        """The itemset's share of posts, as the demand stood when it was taken in."""
        found: Any = self.snapshot.source_payload
        for name in ("demand", "ext_data", "evidence_pack", "support"):
            found = found.get(name) if isinstance(found, dict) else None
        return found if isinstance(found, float) else None

    @property
    def review(self) -> dict[str, str]:
        return review_of(self.task)

    @property
    def freeze(self) -> Freeze | None:
        return freeze_of(self.task)

    @property
    def is_open(self) -> bool:
        """Whether a decision changes anything (as ``review`` refuses it otherwise)."""
        return not self.has_plan and (self.task.status not in ENDED or self.task.status == TaskStatus.FAILED)


def listing(store: SupplyStore, kind: Kind, text: str, before: int | None) -> TaskListing:
    """A page of open tasks.

    Raises:
        StoreUnwritable: the store could not be read.
    """
    with store.reading() as connection:
        return TaskListing(kind, text, review_page(connection, kind, text, before, SIZE), review_counts(connection))


def task_view(store: SupplyStore, task_id: str) -> TaskView:
    """One task.

    Raises:
        NoSuchTask: there is none.
        StoreUnwritable: the store could not be read.
    """
    with store.reading() as connection:
        task = read_task(connection, task_id)
        snapshot = read_snapshots(connection, [task.demand_snapshot_id])[task.demand_snapshot_id]
        found = candidates_by_rank(connection, task_id)
        history = read_events(connection, task_id, MOST_DECISIONS, DECISIONS)
        has_plan = bool(plans_of_tasks(connection, [task_id]))
    left_out = max(0, len(found) - MOST_CANDIDATES)
    return TaskView(task, snapshot, found[:MOST_CANDIDATES], left_out, history[::-1], has_plan)
