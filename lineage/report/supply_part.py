"""The supply half of a report: its tasks, what was refused on the way, how scores are spread, how long calls took."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from sqlalchemy import Connection

from resources.databases.supply_store.engine import SupplyStore
from resources.databases.supply_store.measures.batch_counts import (
    Spread,
    filter_counts,
    invented_bodies,
    refusal_counts,
    score_spreads,
)
from resources.databases.supply_store.measures.call_times import SlowCall, ToolTimes, slowest_calls, tool_times
from resources.databases.supply_store.states import Stage, TaskStatus
from resources.databases.supply_store.tasks.stage_rows import stage_history
from resources.databases.supply_store.tasks.tasks import TaskRow, tasks_of_batch
from supply_assets.review.review_state import is_held, review_of
from supply_assets.standing.freeze_state import freeze_of
from supply_assets.tasks.batch_report import BatchReport, TaskReport, report_batch

SLOWEST = 20
DONE = frozenset({TaskStatus.COMPLETED, TaskStatus.CANCELLED})


class Reason(NamedTuple):
    """Why articles are missing: a name that ``wording`` knows or a filter's own, and how many."""

    name: str
    number: int | None


@dataclass(frozen=True)
class Shortfall:
    """A task with fewer articles than wanted, and what is known of why."""

    task: TaskReport
    reasons: list[Reason] = field(default_factory=list)


class Stopped(NamedTuple):
    """An open task that makes no plan now: HELD by a person, or FROZEN by a rule."""

    task_id: str
    query: str
    state: str
    said: str
    by: str
    at: str


@dataclass(frozen=True)
class SupplyPart:
    """``refused_by_rule`` are published rows that intake refused; ``None`` where no intake is recorded.

    ``invented`` counts selected articles whose body the sandbox wrote.
    """

    batch: BatchReport
    taken_in: int
    refused_by_rule: dict[str, int] | None
    refused: dict[str, int]
    filtered: dict[str, int]
    spreads: list[Spread]
    invented: int
    shortfalls: list[Shortfall]
    stopped: list[Stopped]
    tools: list[ToolTimes]
    slowest: list[SlowCall]

    @property
    def task_ids(self) -> list[str]:
        return [task.task_id for task in self.batch.tasks]

    @property
    def unfinished(self) -> int:
        """Tasks that are neither completed nor cancelled."""
        return sum(task.status not in DONE for task in self.batch.tasks)

    @property
    def errors(self) -> dict[str, int]:
        """Tasks by error code, the most frequent first."""
        codes = Counter(task.error_code for task in self.batch.tasks if task.error_code)
        return dict(codes.most_common())

    @property
    def with_errors(self) -> list[TaskReport]:
        return [task for task in self.batch.tasks if task.error_code]


def supply_part(batch: str, store: SupplyStore, refused_by_rule: dict[str, int] | None) -> SupplyPart:
    """The numbers of a batch; the number of statements does not grow with its tasks.

    Raises:
        StoreUnwritable: the store could not be read.
    """
    with store.reading() as connection:
        rows = tasks_of_batch(connection, batch)
    report = report_batch(store, [row.task_id for row in rows], 0)
    short = [task for task in report.tasks if task.shortfall]
    with store.reading() as connection:
        return SupplyPart(
            batch=report,
            taken_in=len({row.demand_id for row in rows}),
            refused_by_rule=refused_by_rule,
            refused=refusal_counts(connection, batch),
            filtered=filter_counts(connection, batch),
            spreads=score_spreads(connection, batch),
            invented=invented_bodies(connection, batch),
            shortfalls=_shortfalls(connection, short),
            stopped=_stopped(rows, report),
            tools=tool_times(connection, batch),
            slowest=slowest_calls(connection, batch, SLOWEST),
        )


def _stopped(rows: Sequence[TaskRow], report: BatchReport) -> list[Stopped]:
    queries = {task.task_id: task.query for task in report.tasks}
    stopped = []
    for row in rows:
        query = queries.get(row.task_id, "")
        if is_held(row) and row.status not in DONE:
            review = review_of(row)
            said, by, at = (review.get(name, "") for name in ("reason", "by", "at"))
            stopped.append(Stopped(row.task_id, query, "HELD", said, by, at))
        freeze = freeze_of(row)
        if freeze is not None:
            stopped.append(Stopped(row.task_id, query, "FROZEN", freeze.reason, freeze.rule_id, freeze.at))
    return stopped


def _shortfalls(connection: Connection, short: Sequence[TaskReport]) -> list[Shortfall]:
    ranked: dict[str, Any] = {}
    for row in stage_history(connection, [task.task_id for task in short]):
        if row.stage_name == Stage.RANK and row.output_payload:
            ranked[row.task_id] = row.output_payload
    return [Shortfall(task, list(_reasons(task, ranked.get(task.task_id)))) for task in short]


def _reasons(task: TaskReport, ranking: Any) -> list[Reason]:
    """What stopped the task, then what the last ranking kept out, the largest number first."""
    stopped = [Reason("failed", None)] if task.status == TaskStatus.FAILED else []
    if not isinstance(ranking, dict):
        return [*stopped, Reason("not_ranked", None)]
    by_filter = ranking.get("by_filter")
    counted = dict(by_filter) if isinstance(by_filter, dict) else {}
    counted |= {"duplicate": ranking.get("duplicates"), "account_quota": ranking.get("over_account_quota")}
    kept_out = [Reason(str(name), lost) for name, lost in counted.items() if isinstance(lost, int) and lost > 0]
    found = [Reason("found", task.pool)]
    ended = [Reason("terms_exhausted", None)] if ranking.get("terms_exhausted") else []
    return [*stopped, *found, *sorted(kept_out, key=lambda one: -(one.number or 0)), *ended]
