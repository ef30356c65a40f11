"""Values that strict JSON and Dagster metadata hold (field reports DG13 … DG15, PG6)."""

from __future__ import annotations

import math
from typing import Any

import pandas as pd

TEXT_LIMIT = 200


def plain(value: Any) -> Any:
    """No numpy scalar, no NaN, NaT or NA, bounded text; the same again for what it returned."""
    if value is pd.NaT or value is pd.NA:
        return None
    if hasattr(value, "item"):
        value = value.item()
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    text = str(value)
    return text if len(text) <= TEXT_LIMIT else text[: TEXT_LIMIT - 1] + "…"
