"""Time and ids (D-060): the business day is Shanghai's, ids can be counted."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest

from resources.foundation.clock import CountingIds, FixedClock, RandomIds, SystemClock, shanghai_dt


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
    random, counting = RandomIds(), CountingIds("run")

    assert len({random.new() for _ in range(100)}) == 100
    assert [counting.new() for _ in range(3)] == ["run-1", "run-2", "run-3"]
