"""Log lines of one cause: the first is written, the others are counted, so that a service that is away is few lines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

import structlog
from structlog.typing import EventDict


class RepeatedLines:
    """A processor of structlog: drops a line whose event, cause and provider were written before."""

    def __init__(self) -> None:
        self._seen: Counter[tuple[str, str, str]] = Counter()

    def __call__(self, _logger: object, _method: str, line: EventDict) -> EventDict:
        cause = line.get("error_code") or line.get("state")
        if cause is None:
            return line
        key = (str(line.get("event")), str(cause), str(line.get("provider") or ""))
        self._seen[key] += 1
        if self._seen[key] > 1:
            raise structlog.DropEvent
        return line

    def summary(self) -> list[str]:
        """One line a cause of which lines were dropped."""
        dropped: Counter[str] = Counter()
        for (_, cause, _), times in self._seen.items():
            dropped[cause] += times - 1
        return [f"{cause}: {times} more log lines, not written" for cause, times in dropped.most_common() if times]


@contextmanager
def first_lines_alone() -> Iterator[RepeatedLines]:
    """While the block runs, what repeats a cause is counted instead of written."""
    processors = structlog.get_config()["processors"]
    repeated = RepeatedLines()
    structlog.configure(processors=[repeated, *processors])
    try:
        yield repeated
    finally:
        structlog.configure(processors=processors)
