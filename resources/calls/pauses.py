"""How long to wait before an attempt is repeated (S-010, GW4).

A plain rule instead of a retry library: outcomes are values, not exceptions; the pause depends on what the provider
asked for, on a cap beyond which it is not waited for at all, and on what is left of the call's deadline.
"""

from __future__ import annotations

import random
import re
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

JITTER = 0.1
_SECONDS = re.compile(r"\d+(\.\d+)?", re.ASCII)


def read_retry_after(header: str | None, now: datetime) -> float | None:
    """Seconds that a ``Retry-After`` header asks for: digits or an HTTP date; garbage is as good as absent.

    A date in the past is 0. ``now`` is an aware instant.
    """
    text = (header or "").strip()
    if _SECONDS.fullmatch(text):
        return float(text)
    try:
        instant = parsedate_to_datetime(text)
    except (ValueError, OverflowError):
        return None
    if instant.tzinfo is None:
        instant = instant.replace(tzinfo=UTC)
    return max(0.0, (instant - now).total_seconds())


def pause_s(failures: int, asked_s: float | None, backoff_s: float, draw: random.Random) -> float:
    """Seconds before the next attempt after ``failures`` (from 1) failed ones.

    Without a wish of the provider: ``backoff_s`` × 1, 2, 4 … ± 10 %. With one: at least that, at most 10 % more.
    """
    if asked_s is None:
        return float(backoff_s * 2 ** (failures - 1) * draw.uniform(1 - JITTER, 1 + JITTER))
    return asked_s * draw.uniform(1, 1 + JITTER)
