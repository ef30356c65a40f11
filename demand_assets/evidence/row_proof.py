"""The one proof of a published row (S-002, D-073): a row and today's facts in, every broken rule out.

``demand verify``, ``trace``, drift, standing, intake and the sink judge by :class:`RowProof`, so none is milder than
another. A further part of the proof is a function of a row and its facts, in a module of its own, and a line in
``PARTS``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import Connection

from demand_assets.evidence.pack import DemandRow
from demand_assets.evidence.published_rows import names_itself, read_published_row, row_key
from demand_assets.evidence.reproof import Drift, Published, reprove
from demand_assets.evidence.weights import WeightScores, read_weight_scores
from resources.foundation.errors import PackRefused

MOST_EXECUTIONS = 4


class Verdict(NamedTuple):
    """The row as it could be read, ``None`` where it could not, and every rule that it breaks; none: it closes."""

    row: DemandRow | None
    broken: list[Drift]


class RowProof:
    """Proves pages of rows; the weight scores of an execution are read once a pass, in the first page's snapshot."""

    def __init__(self) -> None:
        self._weights: dict[int, WeightScores] = {}

    def verdicts(self, connection: Connection, raw_rows: Sequence[Mapping[str, Any]]) -> list[Verdict]:
        """A verdict a row, in their order; five statements an execution, and two for its scores."""
        read = [_read(raw) for raw in raw_rows]
        rows = [row for row in read if isinstance(row, DemandRow)]
        by_key: dict[str, list[Drift]] = {}
        published = [Published(_key(row), row.name, row.ext_data.evidence_pack) for row in rows]
        for drift in reprove(connection, published):
            by_key.setdefault(drift.key, []).append(drift)
        return [self._verdict(connection, entry, by_key) for entry in read]

    def _verdict(
        self, connection: Connection, entry: DemandRow | Drift, of_packs: Mapping[str, list[Drift]]
    ) -> Verdict:
        if isinstance(entry, Drift):
            return Verdict(None, [entry])
        weights = self._weights_of(connection, entry.ext_data.evidence_pack.pattern_execution_id)
        broken = [*_own_id(entry), *_texts(entry), *of_packs.get(_key(entry), ())]
        return Verdict(entry, [*broken, *(drift for part in PARTS for drift in part(entry, weights))])

    def _weights_of(self, connection: Connection, execution_id: int) -> WeightScores:
        found = self._weights.pop(execution_id, None) or read_weight_scores(connection, execution_id)
        self._weights[execution_id] = found
        while len(self._weights) > MOST_EXECUTIONS:
            del self._weights[next(iter(self._weights))]
        return found


def _key(row: DemandRow) -> str:
    return row_key({"id": row.id})


def _read(raw: Mapping[str, Any]) -> DemandRow | Drift:
    try:
        return read_published_row(raw)
    except PackRefused as error:
        return Drift(row_key(raw), "D-053", "malformed_row", error.message)


def _own_id(row: DemandRow) -> Iterator[Drift]:
    if not names_itself(row):
        yield Drift(_key(row), "D-064", "malformed_row", "demand_content_id is another row's id")


def _texts(row: DemandRow) -> Iterator[Drift]:
    for field, said, kept in (
        ("reason", row.reason, row.ext_data.reason),
        ("suggestion", row.suggestion, row.ext_data.desc),
    ):
        if said != kept:
            message = f"reason or suggestion differs from ext_data: {field} is {said[:120]!r}, kept is {kept[:120]!r}"
            yield Drift(_key(row), "D-052", "row_differs", message)


def _score(row: DemandRow, weights: WeightScores) -> Iterator[Drift]:
    score = weights.of_pack(row.ext_data.evidence_pack)
    if row.score != score:
        message = f"score is {row.score} in the row and {score} by the facts"
        yield Drift(_key(row), "D-021", "row_differs", message)


PARTS: tuple[Callable[[DemandRow, WeightScores], Iterator[Drift]], ...] = (_score,)
