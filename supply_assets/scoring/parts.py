"""One part of a total: a score of 0 … 100 and the inputs that made it.

Belongs here: the record that every part is returned as, and the clamp that keeps it in range (S-023, S-026).
Does not belong here: formulas. All of scoring may import it.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

ROUND = 2
LOWEST, HIGHEST = 0.0, 100.0


class Part(NamedTuple):
    """A score of 0 … 100 and, as plain JSON values, what it was made of (``score_detail``)."""

    score: float
    inputs: dict[str, Any]


def clamp(value: float) -> float:
    """``value`` cut to 0 … 100 and rounded to ``ROUND`` decimals, which DECIMAL(5,2) holds (S-023, S-041).

    Raises:
        ValueError: ``value`` is NaN; a part that is not known is imputed or left out, never NaN.
    """
    if math.isnan(value):
        raise ValueError("a score is not a number")
    return round(min(HIGHEST, max(LOWEST, value)), ROUND)
