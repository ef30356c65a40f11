"""Values that strict JSON and Dagster metadata hold (field reports DG13 … DG15)."""

from __future__ import annotations

import math
from typing import Any

TEXT_LIMIT = 200


def plain(value: Any) -> Any:
    """No numpy scalar, no NaN, bounded text."""
    if hasattr(value, "item"):
        value = value.item()
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    text = str(value)
    return text if len(text) <= TEXT_LIMIT else text[: TEXT_LIMIT - 1] + "…"
