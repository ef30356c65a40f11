"""Links without secrets, and the rule of pauses (S-012, WX1, WX3, GW4)."""

from __future__ import annotations

import random
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from resources.calls.links import body_without_secrets, page_address, without_secrets
from resources.calls.pauses import pause_s, read_retry_after

NOW = datetime(2026, 7, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("url", "kept"),
    [
        ("https://h/s?a=1&pass_ticket=x&b=2#rd", "https://h/s?a=1&b=2#rd"),
        ("https://h/s?a=1&amp;pass_ticket=x", "https://h/s?a=1"),
        ("https://h/s?key=x&uin=y", "https://h/s"),
        ("https://h/s?keyword=x", "https://h/s?keyword=x"),
        ("https://h/s/abc", "https://h/s/abc"),
    ],
)
def test_wx3_session_parameters_are_taken_off_a_link(url: str, kept: str) -> None:
    assert without_secrets(url) == kept


@pytest.mark.parametrize(
    "body",
    [
        b'<a href="https://h/s?a=1&pass_ticket=S3CR&b=2">',
        b'<a href="https://h/s?a=1&amp;pass_ticket=S3CR&amp;b=2">',
        b'{"url": "https://h/s?a=1\\u0026pass_ticket=S3CR\\u0026b=2"}',
        b"'https://h/s?a=1\\x26pass_ticket=S3CR\\x26b=2'",
    ],
)
def test_wx3_a_body_that_is_kept_holds_no_ticket(body: bytes) -> None:
    clean = body_without_secrets(body)

    assert b"S3CR" not in clean
    assert clean.count(b"b=2") == 1


@pytest.mark.parametrize(
    "url", ["", "x", "https://h/s/abc", "https://mp.weixin.qq.com/", "https://[::1", "https://mp.weixin.qq.com/s?x=1"]
)
def test_wx4_what_is_no_article_link_has_no_page(url: str) -> None:
    assert page_address(url) is None


@given(st.text())
def test_gw4_any_header_is_read_without_an_exception(header: str) -> None:
    seconds = read_retry_after(header, NOW)

    assert seconds is None or seconds >= 0


@given(st.integers(1, 3), st.none() | st.floats(0, 30), st.integers())
def test_s010_pauses_double_and_never_come_before_the_wish(failures: int, asked: float | None, seed: int) -> None:
    pause = pause_s(failures, asked, 2, random.Random(seed))
    least = 2 * 2 ** (failures - 1) * 0.9 if asked is None else asked

    assert least <= pause <= least / (0.9 if asked is None else 1) * 1.1 + 1e-9
