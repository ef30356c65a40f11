"""What a batch came to: each task with its numbers, the funnel, the shortfalls, the exit code."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from sqlalchemy import Connection

from resources.databases.supply_store.articles.counting import PoolCounts, pool_counts
from resources.databases.supply_store.articles.plans import plans_of_tasks
from resources.databases.supply_store.engine import SupplyStore
from resources.databases.supply_store.states import TaskStatus
from resources.databases.supply_store.tasks.snapshots import read_snapshots
from resources.databases.supply_store.tasks.tasks import read_tasks
from resources.foundation.errors import PlatformUnreachable
from supply_assets.review.review_state import review_of
from supply_assets.standing.freeze_state import freeze_of
from supply_assets.tasks.platform_reach import AWAY

_ENDED = (TaskStatus.COMPLETED, TaskStatus.FAILED, TaskStatus.CANCELLED)
EMPTY = PoolCounts(candidates=0, living=0, read=0, scored=0, passed=0, selected=0)


@dataclass(frozen=True)
class TaskReport:
    """One task; counts of candidates."""

    task_id: str
    demand_id: int
    query: str
    status: str
    stage: str
    pool: int
    read: int
    passed: int
    selected: int
    wanted: int
    crawler_plan_id: str | None
    error_code: str | None
    error_message: str | None
    review: str | None
    frozen: str | None = None

    @property
    def shortfall(self) -> int:
        """Articles wanted and not selected."""
        return max(0, self.wanted - self.selected)


@dataclass(frozen=True)
class BatchReport:
    """All tasks of a batch by task, and how many demands were refused before they became one."""

    tasks: list[TaskReport]
    refused: int

    @property
    def funnel(self) -> dict[str, int]:
        """From demands to plans, in the order of the stages."""
        return {
            "demands": len(self.tasks) + self.refused,
            "tasks": len(self.tasks),
            "candidates": sum(task.pool for task in self.tasks),
            "read": sum(task.read for task in self.tasks),
            "passed": sum(task.passed for task in self.tasks),
            "selected": sum(task.selected for task in self.tasks),
            "plans": sum(task.crawler_plan_id is not None for task in self.tasks),
        }

    @property
    def by_status(self) -> dict[str, int]:
        return dict(Counter(task.status for task in self.tasks))

    @property
    def shortfall(self) -> int:
        return sum(task.shortfall for task in self.tasks)

    @property
    def unreached(self) -> list[TaskReport]:
        """Tasks that failed because a service was away."""
        return [task for task in self.tasks if task.status == TaskStatus.FAILED and task.error_code in AWAY]

    def unreachable(self) -> PlatformUnreachable:
        """What is said where a service was away: the causes, and what stands."""
        causes = Counter(str(task.error_code) for task in self.unreached)
        listed = ", ".join(f"{count} with {cause}" for cause, count in causes.most_common())
        funnel = self.funnel
        waiting = sum(task.status not in _ENDED for task in self.tasks)
        return PlatformUnreachable(
            f"the content platform could not be reached: of {funnel['tasks']} tasks {len(self.unreached)} failed "
            f"({listed}), {waiting} wait; {funnel['plans']} plans and {funnel['candidates']} candidates stand",
            "see `pattern2plan doctor`; when it answers, run the same command again: a task goes on where it stopped",
        )

    @property
    def exit_code(self) -> int:
        """0 where there are demands, every one was taken in and every task is completed in full; 3 where a service
        was away; else 1.
        """
        if self.unreached:
            return PlatformUnreachable.exit_code
        done = all(task.status == TaskStatus.COMPLETED for task in self.tasks)
        return 0 if self.tasks and done and not self.refused and not self.shortfall else 1

    def as_json(self) -> dict[str, Any]:
        """Plain values for scripts."""
        return {
            "funnel": self.funnel,
            "by_status": self.by_status,
            "shortfall": self.shortfall,
            "tasks": [asdict(task) | {"shortfall": task.shortfall} for task in self.tasks],
        }


def report_batch(store: SupplyStore, task_ids: Sequence[str], refused: int) -> BatchReport:
    """The numbers of a batch as the store has them; the number of statements does not grow with the tasks.

    Raises:
        StoreUnwritable: the store could not be read.
    """
    with store.reading() as connection:
        return BatchReport(_task_reports(connection, task_ids), refused)


def _task_reports(connection: Connection, task_ids: Sequence[str]) -> list[TaskReport]:
    tasks = read_tasks(connection, task_ids)
    snapshots = read_snapshots(connection, [task.demand_snapshot_id for task in tasks.values()])
    counts = pool_counts(connection, task_ids)
    plans = {plan.task_id: plan.crawler_plan_id for plan in plans_of_tasks(connection, task_ids)}
    reports = []
    for task in tasks.values():
        snapshot, pool = snapshots[task.demand_snapshot_id], counts.get(task.task_id, EMPTY)
        reports.append(
            TaskReport(
                task_id=task.task_id,
                demand_id=task.demand_id,
                query=snapshot.query,
                status=str(task.status),
                stage=str(task.current_stage),
                pool=pool.candidates,
                read=pool.read,
                passed=pool.passed,
                selected=pool.selected,
                wanted=snapshot.expected_count,
                crawler_plan_id=plans.get(task.task_id),
                error_code=task.error_code,
                error_message=task.error_message,
                review=review_of(task).get("state"),
                frozen=str(freeze) if (freeze := freeze_of(task)) else None,
            )
        )
    return reports
