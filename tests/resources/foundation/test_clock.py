"""Time and ids (D-060): the business day is Shanghai's, ids never repeat."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest

from resources.foundation.clock import FixedClock, RandomIds, SystemClock, shanghai_dt


@pytest.mark.parametrize(
    ("instant", "day"),
    [
        (datetime(2026, 5, 31, 15, 59, 59, tzinfo=UTC), "20260531"),
        (datetime(2026, 5, 31, 16, 0, tzinfo=UTC), "20260601"),
        (datetime(2026, 12, 31, 16, 0, tzinfo=UTC), "20270101"),
        (datetime(2026, 6, 1, 0, 30, tzinfo=timezone(timedelta(hours=9))), "20260531"),
        (datetime(2026, 2, 28, 16, 0, tzinfo=UTC), "20260301"),
    ],
)
def test_d060_the_day_turns_at_midnight_in_shanghai(instant: datetime, day: str) -> None:
    assert shanghai_dt(FixedClock(instant)) == day


def test_d060_the_machines_clock_has_a_zone() -> None:
    assert SystemClock().now().utcoffset() == timedelta(0)


def test_ids_are_never_handed_out_twice() -> None:
    ids = RandomIds()

    assert len({ids.new() for _ in range(100)}) == 100
