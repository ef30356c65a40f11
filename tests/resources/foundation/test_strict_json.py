"""JSON that cannot lie (LM5, D-053)."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from resources.foundation.strict_json import JsonRefused, dumps, loads

PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(value=PLAIN)
def test_d053_what_is_written_is_read_back(value: object) -> None:
    assert loads(dumps(value)) == value
    assert loads(dumps(value, indent=1).encode()) == value


@pytest.mark.parametrize("value", [2**53 + 1, 2**63 - 1, -(2**80), "🫠神兵𠮷", "a\x00b", 'q"\\', "降价50%"])
def test_d053_numbers_and_texts_are_exact(value: object) -> None:
    assert loads(dumps({"v": value})) == {"v": value}


def test_d053_chinese_stays_readable() -> None:
    assert dumps({"名": "猫"}) == '{"名": "猫"}'


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, "\ud800", {"a": {1, 2}}, b"x", object(), {(1,): 2}])
def test_d053_what_has_no_strict_form_is_refused(value: object) -> None:
    with pytest.raises(JsonRefused, match="no strict JSON form") as caught:
        dumps({"v": [value]})

    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "key"),
    [('{"a":1,"a":1}', "a"), ('{"evidence":[1],"evidence":[999]}', "evidence"), ('[{"x":{"b":1,"b":2}}]', "b")],
)
def test_lm5_d053_a_duplicate_key_at_any_depth_is_refused(text: str, key: str) -> None:
    with pytest.raises(JsonRefused, match=f"duplicate key '{key}'"):
        loads(text)


def test_lm5_the_same_key_in_two_objects_is_fine() -> None:
    assert loads('{"a":{"a":1},"b":[{"a":2},{"a":3}]}') == {"a": {"a": 1}, "b": [{"a": 2}, {"a": 3}]}


NOT_JSON = [
    "",
    " ",
    "{",
    "{} {}",
    "{'a':1}",
    '{"a":1,}',
    "NaN",
    "[Infinity]",
    '{"a":-Infinity}',
    "01",
    "// x",
    "\ufeff{}",
]
NOT_JSON += [
    '"a\nb"',
    '"\x00"',
    "9" * 5000,
    "[" * 100_000,
    '{"a":' * 100_000,
    "True",
    "None",
    "undefined",
    "1_000",
    "0x1",
]


@pytest.mark.parametrize("text", NOT_JSON, ids=lambda text: repr(text[:12]))
def test_d053_what_is_no_json_is_refused_in_one_line(text: str) -> None:
    for given_text in (text, text.encode()):
        if given_text == "\ufeff{}".encode():
            continue
        with pytest.raises(JsonRefused) as caught:
            loads(given_text)
        assert "\n" not in str(caught.value)
        assert len(str(caught.value)) < 400


def test_d053_bytes_that_are_not_utf8_are_refused() -> None:
    with pytest.raises(JsonRefused, match="not strict JSON"):
        loads(b'{"a": "\xff"}')
