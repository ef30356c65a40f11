"""Counts over the rows of tasks, for reports: one statement a table, however many tasks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from sqlalchemy import Connection, Integer, case, cast, func, select

from resources.databases.supply_store.rows import select_in
from resources.databases.supply_store.tables import supply_candidate_content as candidate
from resources.databases.supply_store.tables import supply_content_feature as feature
from resources.databases.supply_store.tables import supply_content_score as score


class PoolCounts(NamedTuple):
    """Candidates of a task: all, not refused, with their page read, scored, past the filters, selected."""

    candidates: int
    living: int
    read: int
    scored: int
    passed: int
    selected: int


def pool_counts(connection: Connection, task_ids: Sequence[str]) -> dict[str, PoolCounts]:
    """Counts by task id; a task without candidates is not among them."""
    living = func.sum(case((candidate.c.quality_flag == "REJECT", 0), else_=1))
    pools = select(candidate.c.task_id, func.count(), living).group_by(candidate.c.task_id)
    pages = select(feature.c.task_id, func.count()).group_by(feature.c.task_id)
    passed = func.sum(case((score.c.filter_status == "PASS", 1), else_=0))
    selected = func.sum(cast(score.c.is_selected, Integer))
    scores = select(score.c.task_id, func.count(), passed, selected).group_by(score.c.task_id)
    read = {row[0]: int(row[1]) for row in select_in(connection, pages, feature.c.task_id, task_ids)}
    of_scores = select_in(connection, scores, score.c.task_id, task_ids)
    ranked = {row[0]: (int(row[1]), int(row[2]), int(row[3])) for row in of_scores}
    return {
        row[0]: PoolCounts(int(row[1]), int(row[2]), read.get(row[0], 0), *ranked.get(row[0], (0, 0, 0)))
        for row in select_in(connection, pools, candidate.c.task_id, task_ids)
    }
