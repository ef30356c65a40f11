"""One funnel a run label: what its runs proposed, what became of it, each step counted over the same runs.

Runs into files publish nothing and are in no funnel. Where the records of a label's runs are not all there, what they
proposed and accepted is "not recorded here": another number would not belong to the rows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from lineage.report.records import Decisions
from supply_assets.tasks.batch_report import TaskReport


class Step(NamedTuple):
    """A step of a funnel; ``None`` is "not recorded here"."""

    name: str
    number: int | None


@dataclass(frozen=True)
class LabelledRows:
    """A label's published rows by id, and what its runs proposed and accepted where all of them are recorded."""

    label: str
    row_ids: frozenset[int]
    recorded_runs: int
    proposed: int | None
    accepted: int | None


@dataclass(frozen=True)
class LabelFunnel:
    """From what the runs of a label proposed to the plans of its rows."""

    label: str
    recorded_runs: int
    steps: list[Step]


def labelled_rows(labels: Mapping[int, str], decisions: Sequence[Decisions]) -> list[LabelledRows]:
    """The labels that have rows or a recorded run, by the newest row; ``labels`` are those of the rows, by id."""
    rows: dict[str, set[int]] = {}
    for row_id in sorted(labels, reverse=True):
        rows.setdefault(labels[row_id], set()).add(row_id)
    runs: dict[str, list[Decisions]] = {}
    for decided in decisions:
        if decided.publishes and decided.label is not None:
            runs.setdefault(decided.label, []).append(decided)
    return [_of_label(label, rows.get(label, set()), runs.get(label, [])) for label in [*rows, *(runs.keys() - rows)]]


def _of_label(label: str, row_ids: set[int], runs: Sequence[Decisions]) -> LabelledRows:
    accepted = sum(run.accepted for run in runs)
    # Fewer accepted than rows: a run of this label left its record elsewhere, or its folder has had its time.
    whole = bool(runs) and accepted >= len(row_ids)
    proposed = sum(run.proposed for run in runs)
    return LabelledRows(label, frozenset(row_ids), len(runs), proposed if whole else None, accepted if whole else None)


def label_funnels(labels: Sequence[LabelledRows], tasks: Sequence[TaskReport]) -> list[LabelFunnel]:
    """A funnel a label, through the tasks of its rows."""
    label_of = {row_id: found.label for found in labels for row_id in found.row_ids}
    of_label: dict[str, list[TaskReport]] = {}
    for task in tasks:
        if task.demand_id in label_of:
            of_label.setdefault(label_of[task.demand_id], []).append(task)
    return [
        LabelFunnel(found.label, found.recorded_runs, _steps(found, of_label.get(found.label, []))) for found in labels
    ]


def _steps(found: LabelledRows, tasks: Sequence[TaskReport]) -> list[Step]:
    counted = Counter[str]()
    for task in tasks:
        counted.update(candidates=task.pool, read=task.read, passed=task.passed, selected=task.selected)
    return [
        Step("proposed", found.proposed),
        Step("accepted", found.accepted),
        Step("published", len(found.row_ids)),
        Step("taken_in", len({task.demand_id for task in tasks})),
        Step("tasks", len(tasks)),
        *(Step(name, counted[name]) for name in ("candidates", "read", "passed", "selected")),
        Step("plans", sum(task.crawler_plan_id is not None for task in tasks)),
    ]


def sum_over(labels: Sequence[LabelledRows], rows: int) -> tuple[int | None, int | None]:
    """Proposed and accepted of all labels; ``None`` where those of one of them, or of a row, are not known."""
    proposed = [found.proposed for found in labels if found.proposed is not None]
    accepted = [found.accepted for found in labels if found.accepted is not None]
    of_all_rows = sum(len(found.row_ids) for found in labels) == rows
    whole = bool(labels) and of_all_rows and len(proposed) == len(labels)
    return (sum(proposed), sum(accepted)) if whole else (None, None)
