"""Counts over all tasks of a batch, for its report: refused and filtered candidates, and how scores are spread.

Belongs here: sums that the database makes, a statement each, whatever the number of tasks. Counts by task are in
``counting``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Connection, Integer, String, case, cast, func, select

from resources.databases.supply_store.tables import supply_candidate_content as c
from resources.databases.supply_store.tables import supply_content_feature as f
from resources.databases.supply_store.tables import supply_content_score as s
from resources.databases.supply_store.tasks.tasks import task_ids_of_batch

BIN = 5
BINS = 20
SCORES = (
    "total_score", "relevance_score", "popularity_score", "quality_score", "account_score", "elder_fit_score",
)  # fmt: skip


class Spread(NamedTuple):
    """How the scores of candidates past the filters are spread over 0 … 100, in bars of five.

    ``passed`` counts all of them, ``selected`` those among them that were selected; a total beyond 0 … 100, which
    a penalty can make, stands in the bar at that end.
    """

    score: str
    passed: tuple[int, ...]
    selected: tuple[int, ...]
    mean: float
    lowest: float
    highest: float


def refusal_counts(connection: Connection, batch: str) -> dict[str, int]:
    """Candidates that were refused before ranking, by reason, the most frequent first."""
    reason = func.coalesce(c.c.reject_reason, c.c.quality_flag)
    refused = c.c.quality_flag.in_(("REJECT", "REJECTED"))
    return _counted(connection, reason, c.c.task_id.in_(task_ids_of_batch(batch)), refused)


def filter_counts(connection: Connection, batch: str) -> dict[str, int]:
    """Ranked candidates that a filter kept out, by reason, the most frequent first."""
    return _counted(
        connection, s.c.filter_reason, s.c.task_id.in_(task_ids_of_batch(batch)), s.c.filter_reason.is_not(None)
    )


def _counted(connection: Connection, reason: ColumnElement[Any], *where: ColumnElement[bool]) -> dict[str, int]:
    number = func.count()
    statement = select(reason, number).where(*where).group_by(reason).order_by(number.desc(), reason)
    return {str(row[0]): int(row[1]) for row in connection.execute(statement)}


def invented_bodies(connection: Connection, batch: str) -> int:
    """Selected articles whose body the sandbox wrote: their quality is not that of a real article (S-014)."""
    said = cast(func.json_extract(f.c.raw_detail_payload, "$.detail.body_is_invented"), String)
    statement = (
        select(func.count())
        .select_from(s.join(f, (f.c.candidate_id == s.c.candidate_id) & (f.c.task_id == s.c.task_id)))
        .where(s.c.task_id.in_(task_ids_of_batch(batch)), s.c.is_selected == 1, said.in_(("1", "true")))
    )
    return int(connection.execute(statement).scalar_one())


def score_spreads(connection: Connection, batch: str) -> list[Spread]:
    """The total and its five parts; empty where no candidate passed. One statement."""
    chosen = cast(s.c.is_selected, Integer)
    columns: list[ColumnElement[Any]] = []
    for name in SCORES:
        of_bin = _bin_conditions(s.c[name])
        columns += [func.sum(case((inside, 1), else_=0)) for inside in of_bin]
        columns += [func.sum(case((inside, chosen), else_=0)) for inside in of_bin]
        columns += [func.avg(s.c[name]), func.min(s.c[name]), func.max(s.c[name])]
    statement = select(func.count(), *columns).where(
        s.c.task_id.in_(task_ids_of_batch(batch)), s.c.filter_status == "PASS"
    )
    number, *sums = connection.execute(statement).one()
    if not number:
        return []
    width = 2 * BINS + 3
    return [_spread(name, sums[place * width : (place + 1) * width]) for place, name in enumerate(SCORES)]


def _bin_conditions(score: ColumnElement[Any]) -> list[ColumnElement[bool]]:
    inner = [(score >= low) & (score < low + BIN) for low in range(BIN, 100 - BIN, BIN)]
    return [score < BIN, *inner, score >= 100 - BIN]


def _spread(name: str, sums: Sequence[Any]) -> Spread:
    passed, selected = sums[:BINS], sums[BINS : 2 * BINS]
    mean, lowest, highest = (round(float(value), 2) for value in sums[2 * BINS :])
    return Spread(name, tuple(map(int, passed)), tuple(map(int, selected)), mean, lowest, highest)
