"""A request from outside is taken as it is meant or refused with its field named, never bent (S-001)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from resources.foundation.errors import UsageError
from supply_assets.intake.request import SupplyRequest, is_storable, make_options, parse_requests, read_request_file

GOOD = {"demand_id": 7, "query": "猫 治愈"}
HALF = "\ud83d"
REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"query": ""}, "query"),
    ({"query": " \t\u3000"}, "query"),
    ({"query": "\u200b\ufeff"}, "query"),
    ({"query": "，、！"}, "query"),
    ({"query": "a\x00b"}, "query"),
    ({"query": f"猫{HALF}"}, "query"),
    ({"query": "猫" * 256}, "query"),
    ({"query": 5}, "query"),
    ({"query": None}, "query"),
    ({"query": ["猫"]}, "query"),
    ({"platform": "douyin"}, "platform"),
    ({"platform": "WEIXIN"}, "platform"),
    ({"platform": ""}, "platform"),
    ({"expected_count": 0}, "expected_count"),
    ({"expected_count": 201}, "expected_count"),
    ({"expected_count": -1}, "expected_count"),
    ({"expected_count": 2.0}, "expected_count"),
    ({"expected_count": "10"}, "expected_count"),
    ({"expected_count": True}, "expected_count"),
    ({"expected_count": None}, "expected_count"),
    ({"demand_id": 0}, "demand_id"),
    ({"demand_id": -7}, "demand_id"),
    ({"demand_id": 2**63}, "demand_id"),
    ({"demand_id": "7"}, "demand_id"),
    ({"demand_id": True}, "demand_id"),
    ({"demand_id": None}, "demand_id"),
    ({"query_expansion": ["猫", " "]}, "query_expansion.1"),
    ({"query_expansion": ["猫"] * 51}, "query_expansion"),
    ({"query_expansion": "猫"}, "query_expansion"),
    ({"query_expansion": [f"{HALF}"]}, "query_expansion.0"),
    ({"demand_code": "x" * 65}, "demand_code"),
    ({"demand_code": ""}, "demand_code"),
    ({"audience_profile": ["old"]}, "audience_profile"),
    ({"audience_profile": {"age": f"60{HALF}"}}, "audience_profile"),
    ({"audience_profile": {"age": float("nan")}}, "audience_profile"),
    ({"audience_profile": {"age": {1, 2}}}, "audience_profile"),
    ({"quality_constraints": {"min_view_count": -1}}, "quality_constraints.min_view_count"),
    ({"quality_constraints": {"banned_words": [""]}}, "quality_constraints.banned_words.0"),
    ({"quality_constraints": {"blocked_accounts": [3]}}, "quality_constraints.blocked_accounts.0"),
    ({"quality_constraints": {"min_views": 3}}, "quality_constraints.min_views"),
    ({"querry": "猫"}, "querry"),
    ({HALF: "猫"}, "request 1"),
    ({"x" * 9_000: 1}, "xxx"),
]


def write(path: Path, content: object) -> Path:
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path


@pytest.mark.parametrize(("change", "field"), REFUSED, ids=lambda value: ascii(value)[:40])
def test_s001_a_field_outside_what_it_takes_is_refused_by_its_name(change: dict[str, Any], field: str) -> None:
    with pytest.raises(UsageError) as refused:
        parse_requests([GOOD | {"demand_id": 6}, GOOD | change])
    assert refused.value.message.startswith("request 2: ") or field == "request 1"
    assert field in refused.value.message or field == "request 1"
    assert len(str(refused.value)) < 400
    assert is_storable(str(refused.value).replace(HALF, "")), "one line that can be shown"


@pytest.mark.parametrize("missing", ["demand_id", "query"])
def test_s001_what_must_be_said_is_named_where_it_is_not(missing: str) -> None:
    with pytest.raises(UsageError, match=f"request 1: {missing}"):
        parse_requests([{name: value for name, value in GOOD.items() if name != missing}])


@pytest.mark.parametrize("entry", [None, 7, "猫", [], True])
def test_s001_an_entry_that_is_no_object_is_refused_by_its_place(entry: object) -> None:
    with pytest.raises(UsageError, match="request 2: request"):
        parse_requests([GOOD, entry])


def test_s001_one_demand_asked_for_twice_is_refused() -> None:
    with pytest.raises(UsageError, match="demand_id 7 is asked for twice"):
        parse_requests([GOOD, {"demand_id": 8, "query": "狗"}, GOOD | {"query": "别的"}])


def test_s001_what_is_not_said_has_the_sources_defaults() -> None:
    [request] = parse_requests([GOOD])
    assert (request.expected_count, request.platform, request.query_expansion) == (10, "weixin", [])
    assert (request.audience_profile, request.quality_constraints, request.demand_code) == (None, None, None)


@pytest.mark.parametrize("count", [1, 200])
def test_s001_the_bounds_of_a_count_are_inside(count: int) -> None:
    assert parse_requests([GOOD | {"expected_count": count}])[0].expected_count == count


def test_s001_blanks_around_a_text_are_nobodys_wish() -> None:
    assert parse_requests([GOOD | {"query": " 猫 治愈\u3000"}])[0].query == "猫 治愈"


@given(st.text(min_size=1, max_size=40))
def test_s001_any_query_is_kept_whole_or_refused_by_name(query: str) -> None:
    try:
        [request] = parse_requests([GOOD | {"query": query}])
    except UsageError as refused:
        named = refused.message
    else:
        named = "request 1: query: kept"
        assert request.query.strip() == query.strip()
        assert is_storable(request.query)
    assert named.startswith("request 1: query: ")


def test_s001_a_file_holds_one_request_or_a_list_of_them(tmp_path: Path) -> None:
    one = read_request_file(write(tmp_path / "one.json", GOOD))
    many = read_request_file(write(tmp_path / "many.json", [GOOD, {"demand_id": 8, "query": "狗"}]))
    assert one == many[:1] == [SupplyRequest(**GOOD)]
    assert len(many) == 2


@pytest.mark.parametrize(
    ("content", "named"),
    [
        ("", "not strict JSON"),
        ("猫", "not strict JSON"),
        ("{'demand_id': 7}", "not strict JSON"),
        ('{"demand_id": 7, "query": "猫", "query": "狗"}', "duplicate key 'query'"),
        ('{"demand_id": NaN, "query": "猫"}', "NaN"),
        ('{"demand_id": 1e999, "query": "猫"}', "1e999"),
        ("[" * 100_000, "not strict JSON"),
        ("[]", "holds no request"),
        ("null", "request 1"),
    ],
    ids=lambda value: value[:20],
)
def test_s001_a_file_that_is_no_list_of_requests_is_refused_by_its_name(
    tmp_path: Path, content: str, named: str
) -> None:
    path = write(tmp_path / "requests.json", content)
    with pytest.raises(UsageError) as refused:
        read_request_file(path)
    assert named in refused.value.message
    assert "requests.json" in refused.value.message or named == "request 1"


def test_s001_bytes_that_are_no_text_are_refused(tmp_path: Path) -> None:
    (tmp_path / "requests.json").write_bytes(b"\xff\xfe{}")
    with pytest.raises(UsageError, match=r"requests\.json: not strict JSON"):
        read_request_file(tmp_path / "requests.json")


@pytest.mark.parametrize("name", ["missing.json", "."])
def test_s001_a_file_that_cannot_be_read_is_named(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError, match="request file"):
        read_request_file(tmp_path / name)


@pytest.mark.parametrize(
    ("option", "value", "named"),
    [
        ("expected_count", 0, "--expected-count"),
        ("expected_count", 201, "--expected-count"),
        ("plan_type", "BY_MAGIC", "--plan-type"),
        ("plan_type", "by_content", "--plan-type"),
        ("produce_plan_id", "", "--produce-plan-id"),
        ("produce_plan_id", "x" * 129, "--produce-plan-id"),
        ("produce_plan_id", HALF, "--produce-plan-id"),
        ("colour", "red", "--colour"),
    ],
)
def test_s001_an_option_outside_what_it_takes_is_named_as_it_is_typed(option: str, value: object, named: str) -> None:
    with pytest.raises(UsageError, match=named):
        make_options(**{option: value})
