"""View, like and other counts as the platform writes them (S-022, WX9): a number, ``10万+``, or nothing."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from decimal import Decimal

from supply_assets.normalisation.texts import fold


@dataclass(frozen=True, slots=True)
class Count:
    """A count that was captured; ``capped`` where the platform only says "at least" (``10万+``)."""

    value: int
    capped: bool = False


PLATFORM_CAP = 100_000
"""The platform shows ``10万+`` above this; interfaces write the same cap as ``100001``."""

LARGEST = 2**63 - 1

_UNITS = {"": 1, "千": 10**3, "k": 10**3, "万": 10**4, "w": 10**4, "百万": 10**6, "千万": 10**7, "亿": 10**8}
_COUNT = re.compile(r"(\d{1,3}(?:,\d{3})+|\d+)(\.\d+)?(千万|百万|[千k万w亿])?(\+)?", re.ASCII)


def read_count(raw: int | float | str | None) -> Count | None:
    """``raw`` as a :class:`Count`, or ``None`` where nothing was captured; a captured 0 is ``Count(0)``.

    ``10万+``, ``100000+``, ``１０万＋`` and the cap's own ``100001`` become ``Count(100000, capped=True)``: a lower
    bound. Units are 千/k, 万/w, 百万, 千万, 亿; thousands may be set off by commas. Empty, ``-``, negative, not finite,
    fractional without a unit, beyond BIGINT, truth values and anything else that is no count give ``None``.
    """
    if isinstance(raw, bool):
        return None
    if isinstance(raw, float):
        return _whole(int(raw)) if math.isfinite(raw) and raw.is_integer() else None
    if isinstance(raw, int):
        return _whole(raw)
    return _written(raw) if raw else None


def _written(text: str) -> Count | None:
    parts = _COUNT.fullmatch(fold(text[:100]).replace(" ", ""))
    if parts is None:
        return None
    whole, fraction, unit, plus = parts.groups(default="")
    value = Decimal(whole.replace(",", "") + fraction) * _UNITS[unit]
    if not unit and value != int(value):
        return None
    return _whole(int(value), at_least=bool(plus))


def _whole(value: int, *, at_least: bool = False) -> Count | None:
    if not 0 <= value <= LARGEST:
        return None
    if value == PLATFORM_CAP + 1:
        return Count(PLATFORM_CAP, capped=True)
    return Count(value, capped=at_least)
