"""What a combination of words is worth: how many posts carry it, and how much oftener than by chance (D-080)."""

from __future__ import annotations

import math
from collections.abc import Sequence

_DECIMALS = 4


def lift_of(joint: int, df: Sequence[int], post_total: int) -> float:
    """``(joint ÷ N) ÷ Π (df ÷ N)``, 4 decimals; 0.0 where nothing carries a term."""
    if joint == 0 or post_total == 0 or not all(df):
        return 0.0
    expected = math.prod(df) / float(post_total) ** (len(df) - 1)
    return round(joint / expected, _DECIMALS)


def worth_of(joint: int, lift: float) -> float:
    """``joint × log2(lift)``, 4 decimals: many posts, and more than chance; 0.0 without lift."""
    return round(joint * math.log2(lift), _DECIMALS) if lift > 0 else 0.0
