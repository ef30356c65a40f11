"""Links without secrets, and the rule of pauses (S-012, WX1, WX3, GW4)."""

from __future__ import annotations

import random
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from resources.calls.pauses import pause_s, read_retry_after
from resources.links.public_page import page_address
from resources.links.secrets import body_without_secrets, text_without_secrets, without_secrets

NOW = datetime(2026, 7, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("url", "kept"),
    [
        ("https://h/s?a=1&pass_ticket=x&b=2#rd", "https://h/s?a=1&b=2#rd"),
        ("https://h/s?a=1&amp;pass_ticket=x", "https://h/s?a=1"),
        ("https://mp.weixin.qq.com/s?key=x&uin=y", "https://mp.weixin.qq.com/s"),
        ("https://h/s?key=x&exportkey=y", "https://h/s?key=x"),
        ("https://h/s?timestamp=1&copy=2", "https://h/s?timestamp=1&copy=2"),
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
    ("text", "kept"),
    [
        ("看 https://mp.weixin.qq.com/s?a=1&amp;key=S3CR&b=2 吧", "看 https://mp.weixin.qq.com/s?a=1&amp;key=&b=2 吧"),
        ("https://h/s?key=1&pass_ticket=S3CR", "https://h/s?key=1&pass_ticket="),
        ("/s?__biz=a&uin=S3CR", "/s?__biz=a&uin="),
        (
            "https://weixin110.qq.com/r?url=https%3A%2F%2Fmp.weixin.qq.com%2Fs%3Fa%3D1%26key%3DS3CR%26b%3D2",
            "https://weixin110.qq.com/r?url=https%3A%2F%2Fmp.weixin.qq.com%2Fs%3Fa%3D1%26key%3D%26b%3D2",
        ),
    ],
)
def test_wx22_a_text_that_is_kept_loses_what_is_a_session_s_and_keeps_what_names_a_page(text: str, kept: str) -> None:
    assert text_without_secrets(text) == kept


@pytest.mark.parametrize(
    ("link", "params"),
    [
        ("?src=11&timestamp=149&ver=1&signature=a*b+c-", "signature=a*b+c- src=11 timestamp=149 ver=1"),
        ("?src=11&amp;timestamp=149&amp;ver=1&amp;signature=s&amp;new=1", "signature=s src=11 timestamp=149 ver=1"),
    ],
)
def test_wx2_a_temporary_link_is_asked_for_as_it_was_given(link: str, params: str) -> None:
    expected = dict(part.split("=") for part in params.split())

    assert page_address(f"https://mp.weixin.qq.com/s{link}") == ("/s", expected)


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
