"""Works measured in turn, five times: a busy machine spoils all works of a turn alike. Medians, spread and ratios."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tests.bench.closure import timed

RUNS = 5


def side_by_side(works: Mapping[str, Callable[[], Any]]) -> dict[str, list[float]]:
    """Seconds of each work, one entry a turn."""
    seconds: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(RUNS):
        for name, work in works.items():
            seconds[name].append(timed(work)[0])
    return seconds


def ratios(over: Sequence[float], under: Sequence[float]) -> list[float]:
    """Ratios within each turn."""
    return [one / other for one, other in zip(over, under, strict=True)]


def middle(values: Sequence[float]) -> dict[str, float]:
    """Median, and the spread around it."""
    return {"median": statistics.median(values), "least": min(values), "most": max(values)}
