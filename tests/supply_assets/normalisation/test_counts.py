"""Counts: lower bounds, zero and nothing are told apart (S-022, WX9)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from supply_assets.normalisation.counts import Count, read_count


@pytest.mark.parametrize(
    "raw", ["10万+", "100000+", "１０万＋", "10 万 +", "10w+", "10W+", 100_001, 100_001.0, "100001", "100,001"]
)
def test_wx9_s022_the_platform_s_cap_is_a_lower_bound(raw: str | int | float) -> None:
    assert read_count(raw) == Count(100_000, capped=True)


@pytest.mark.parametrize(
    ("raw", "value"),
    [
        (0, 0),
        ("0", 0),
        (12, 12),
        (12.0, 12),
        ("1.2万", 12_000),
        ("1.23456万", 12_345),
        ("3千", 3_000),
        ("5k", 5_000),
        ("10万", 100_000),
        ("2百万", 2_000_000),
        ("1.1亿", 110_000_000),
        ("1,234", 1_234),
        ("１，２３４", 1_234),
        (150_000, 150_000),
    ],
)
def test_wx9_s022_a_captured_count_is_its_value(raw: str | int | float, value: int) -> None:
    assert read_count(raw) == Count(value)


def test_wx9_s022_a_plus_elsewhere_is_a_lower_bound_too() -> None:
    assert read_count("999+") == Count(999, capped=True)


@pytest.mark.parametrize(
    "raw", [None, "", " ", "-", "--", "NaN", "null", float("nan"), float("inf"), -1, -0.5, "-5", "+5"]
)
def test_wx9_s022_what_was_not_captured_is_not_zero(raw: str | int | float | None) -> None:
    assert read_count(raw) is None


@pytest.mark.parametrize(
    "raw", [True, False, 12.5, "12.5", "1,23", "1万2", "abc", "十万", 2**63, "9" * 40, "1.2.3万", "万"]
)
def test_wx9_s022_what_is_no_count_is_nothing(raw: str | int | float | bool) -> None:
    assert read_count(raw) is None


@given(st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text()))
def test_wx9_s022_any_input_is_a_count_in_range_or_nothing(raw: int | float | str | None) -> None:
    count = read_count(raw)
    assert count is None or 0 <= count.value < 2**63


@given(st.integers(0, 2**63 - 1).filter(lambda n: n != 100_001))
def test_wx9_s022_a_number_and_its_digits_are_one_count(value: int) -> None:
    assert read_count(value) == read_count(str(value)) == read_count(f"{value:,}") == Count(value)
