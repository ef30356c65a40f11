"""Time and ids from injectable sources, so that runs repeat."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Protocol
from zoneinfo import ZoneInfo

SHANGHAI = ZoneInfo("Asia/Shanghai")


class Clock(Protocol):
    """Tells the present instant, always with a zone."""

    def now(self) -> datetime: ...


class SystemClock:
    """The machine's clock, in UTC."""

    def now(self) -> datetime:
        return datetime.now(UTC)


@dataclass(frozen=True)
class FixedClock:
    """A clock that stands still."""

    instant: datetime

    def now(self) -> datetime:
        return self.instant


class IdSource(Protocol):
    """Hands out identifiers that were never handed out before."""

    def new(self) -> str: ...


class RandomIds:
    """Random version 4 UUIDs as 32 hexadecimal digits."""

    def new(self) -> str:
        return uuid.uuid4().hex


def epoch_ms(instant: datetime) -> int:
    """Whole milliseconds since 1970 of an aware instant, cut and not rounded."""
    return int(instant.timestamp() * 1000)


def shanghai_dt(clock: Clock) -> str:
    """Business day ``yyyymmdd`` in Asia/Shanghai (D-060)."""
    return clock.now().astimezone(SHANGHAI).strftime("%Y%m%d")
