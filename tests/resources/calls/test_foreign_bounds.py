"""What is too heavy is told before it is parsed; what is only untidy is not (S-011)."""

from __future__ import annotations

import pytest

from resources.calls.foreign_text.json_bounds import check_json
from resources.calls.foreign_text.page_bounds import check_page
from resources.calls.foreign_text.unreadable import Unreadable
from resources.foundation import strict_json

MANY_KEYS = ",".join(f'"k{number}":0' for number in range(50_000))


@pytest.mark.parametrize(
    ("page", "fault"),
    [
        ("<div>" * 200_000, "more than 100000 tags"),
        ("<div>" * 20_000, "nested deeper"),
        ("<div></x>" * 20_000, "nested deeper"),
        ("<script>x</script>" + "<b a><p>" * 2_000, "nested deeper"),
        ("<p " + " ".join(f"a{number}=1" for number in range(30_000)) + ">", "too many attributes"),
        ("x" * 9_000_000, "longer than"),
    ],
    ids=["many", "deep", "badly_closed", "formatted", "attributes", "long"],
)
def test_a_page_that_would_take_minutes_is_told_before_it_is_parsed(page: str, fault: str) -> None:
    with pytest.raises(Unreadable, match=fault):
        check_page(page)


@pytest.mark.parametrize(
    "page",
    [
        "<p>一段" * 20_000,
        "<br><img src=x>" * 10_000,
        "<ul>" + "<li>项" * 5_000,
        "<svg>" + "<path d='M0'/>" * 5_000 + "</svg>",
        "<script>" + "if (a<b) x='<div>';" * 5_000 + "</script><p>文",
        "<!--" + "<div>" * 5_000 + "--><p>文",
        "<script>" * 50_000,
        "<section><span>字</span></section>" * 20_000,
    ],
    ids=["paragraphs", "leaves", "items", "drawing", "script", "comment", "cut_scripts", "sections"],
)
def test_an_untidy_page_is_not_a_heavy_one(page: str) -> None:
    check_page(page)


@pytest.mark.parametrize(
    ("body", "fault"),
    [
        (b"[" * 1_000_000, "more than 500000 values"),
        (b"[" * 10_000, "nested deeper"),
        (b'{"a":' * 200 + b"1" + b"}" * 200, "nested deeper"),
        (b"[" + b"{}," * 600_000 + b"{}]", "more than 500000 values"),
        (b'["' + b'","' * 1_000_001 + b'"]', "quotes"),
        (b"[" * 200 + b'"' + b'\\"' * 900_000, "nested deeper"),
    ],
    ids=["brackets", "lists", "objects", "values", "texts", "cut_text"],
)
def test_json_that_is_too_heavy_is_told_before_it_is_parsed(body: bytes, fault: str) -> None:
    with pytest.raises(Unreadable, match=fault):
        check_json(body)


@pytest.mark.parametrize(
    "body",
    [
        b'{"html":"' + b"[{," * 600_000 + b'"}',
        b'{"a":"\\"[[[["}' + b"[" * 90 + b"]" * 90,
        b"[" * 100 + b"]" * 100 + b"[],{}" * 1_000,
        b"not JSON at all",
    ],
    ids=["a_page", "escapes", "wide", "no_json"],
)
def test_what_stands_in_texts_and_beside_each_other_is_not_depth(body: bytes) -> None:
    check_json(body)


@pytest.mark.parametrize(
    "text",
    [f'{{{MANY_KEYS},"k49999":1}}', "[" * 100_000, "9" * 100_000, f"[{'9' * 5_000}]", f"[{'9' * 400_000}.5]"],
    ids=["repeated_key", "deep", "number", "number_in_list", "fraction"],
)
def test_lm5_what_is_refused_is_refused_in_linear_time(text: str) -> None:
    with pytest.raises(strict_json.JsonRefused):
        strict_json.loads(text)
