"""Publish times: the same instant in UTC whatever its form; what is no time says why (S-022, WX10)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from supply_assets.normalisation.times import (
    BEFORE_PLATFORM,
    IN_FUTURE,
    MISSING,
    NOT_A_TIME,
    PLATFORM_START,
    ZERO,
    ReadTime,
    read_time,
)

NOW = datetime(2023, 11, 16, 3, 0, tzinfo=UTC)
INSTANT = datetime(2023, 11, 14, 22, 13, 20, tzinfo=UTC)


@pytest.mark.parametrize(
    "raw",
    [
        1_700_000_000,
        1_700_000_000.0,
        1_700_000_000_000,
        1_700_000_000_000_000,
        "1700000000",
        "1700000000000",
        " １７００００００００ ",
        "2023-11-14T22:13:20Z",
        "2023-11-15T06:13:20+08:00",
        "2023-11-15T06:13:20.000+0800",
        "2023-11-15 06:13:20 UTC+8",
        "Tue, 14 Nov 2023 22:13:20 GMT",
    ],
)
def test_wx10_one_instant_in_every_form_with_a_zone(raw: int | float | str) -> None:
    assert read_time(raw, now=NOW) == ReadTime(INSTANT, True, None)


@pytest.mark.parametrize(
    ("raw", "utc"),
    [
        ("2023-11-15 06:13", datetime(2023, 11, 14, 22, 13, tzinfo=UTC)),
        ("2023-11-15 06:13:20", INSTANT),
        ("2023/11/15 06:13:20", INSTANT),
        ("20231115061320", INSTANT),
        ("2023年11月15日 06:13:20", INSTANT),
        ("2023年11月15日 下午3:05", datetime(2023, 11, 15, 7, 5, tzinfo=UTC)),
        ("2023-11-15", datetime(2023, 11, 14, 16, tzinfo=UTC)),
        ("2023年11月15日", datetime(2023, 11, 14, 16, tzinfo=UTC)),
        ("20231115", datetime(2023, 11, 14, 16, tzinfo=UTC)),
        ("2017-7-1", datetime(2017, 6, 30, 16, tzinfo=UTC)),
        ("11月15日", datetime(2023, 11, 14, 16, tzinfo=UTC)),
        ("12月1日", datetime(2022, 11, 30, 16, tzinfo=UTC)),
        ("2月29日", datetime(2020, 2, 28, 16, tzinfo=UTC)),
        ("今天 08:00", datetime(2023, 11, 16, 0, tzinfo=UTC)),
        ("昨天", datetime(2023, 11, 14, 16, tzinfo=UTC)),
        ("昨天 12:30", datetime(2023, 11, 15, 4, 30, tzinfo=UTC)),
        ("前天", datetime(2023, 11, 13, 16, tzinfo=UTC)),
    ],
)
def test_wx10_texts_without_a_zone_are_shanghai_and_say_so(raw: str, utc: datetime) -> None:
    assert read_time(raw, now=NOW) == ReadTime(utc, False, None)


def test_wx10_yesterday_is_shanghai_s_yesterday() -> None:
    late = datetime(2023, 11, 15, 17, 0, tzinfo=UTC)  # 01:00 on the 16th in Shanghai
    assert read_time("昨天", now=late).instant == datetime(2023, 11, 14, 16, tzinfo=UTC)


@pytest.mark.parametrize(
    ("raw", "back"),
    [
        ("刚刚", timedelta()),
        ("5分钟前", timedelta(minutes=5)),
        ("半小时前", timedelta(minutes=30)),
        ("3小时前", timedelta(hours=3)),
        ("2天前", timedelta(days=2)),
        ("两周前", timedelta(days=14)),
        ("1个月前", timedelta(days=30)),
    ],
)
def test_wx10_times_before_now(raw: str, back: timedelta) -> None:
    assert read_time(raw, now=NOW) == ReadTime(NOW - back, True, None)


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        (None, MISSING),
        ("", MISSING),
        (" \u200b", MISSING),
        (0, ZERO),
        ("0", ZERO),
        (-5, BEFORE_PLATFORM),
        (2099, BEFORE_PLATFORM),
        ("1970-01-01", BEFORE_PLATFORM),
        ("2010-12-31 23:59", BEFORE_PLATFORM),
        (4_070_908_800, IN_FUTURE),
        ("2099-01-01", IN_FUTURE),
        (10**400, IN_FUTURE),
        (True, NOT_A_TIME),
        (float("nan"), NOT_A_TIME),
        (float("inf"), NOT_A_TIME),
        ("9" * 60, NOT_A_TIME),
        ("2023-11-15 25:00", NOT_A_TIME),
        ("2023-02-30", NOT_A_TIME),
        ("2月30日", NOT_A_TIME),
        ("20年前", BEFORE_PLATFORM),
        ("99999年前", NOT_A_TIME),
        ("以前", NOT_A_TIME),
        ("2023-11-15 06:13 +99:00", NOT_A_TIME),
    ],
)
def test_wx10_what_is_no_time_is_unknown_with_a_reason(raw: int | float | str | None, reason: str) -> None:
    assert read_time(raw, now=NOW) == ReadTime(None, False, reason)


def test_wx10_a_day_ahead_is_slack_and_more_is_the_future() -> None:
    ahead = int((NOW + timedelta(hours=24)).timestamp())
    assert read_time(ahead, now=NOW).instant is not None
    assert read_time(ahead + 1, now=NOW).reason == IN_FUTURE


def test_s022_now_must_carry_a_zone() -> None:
    with pytest.raises(ValueError, match="no zone"):
        read_time(1, now=NOW.replace(tzinfo=None))


@given(
    st.one_of(
        st.none(), st.integers(), st.floats(), st.text(max_size=40), st.from_regex(r"\d{4}-\d\d?-\d\d?( \d\d:\d\d)?")
    )
)
def test_wx10_any_input_is_an_instant_in_bounds_or_a_reason(raw: int | float | str | None) -> None:
    read = read_time(raw, now=NOW)
    assert (read.instant is None) == (read.reason is not None)
    if read.instant is not None:
        assert read.instant.tzinfo is UTC
        assert PLATFORM_START <= read.instant <= NOW + timedelta(days=1)
