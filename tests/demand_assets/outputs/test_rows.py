"""Rows of demand_content: columns, business day, name (D-060), score (D-021) and ext_data (D-052)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest

from demand_assets.evidence.pack import check_row
from demand_assets.outputs.rows import demand_row
from resources.databases.demand_store.tables import demand_content
from resources.foundation.clock import FixedClock, shanghai_dt
from resources.foundation.errors import PackRefused
from tests.demand_assets.outputs.accepted import TODAY, accept
from tests.small_facts import FactWorld, good_candidate

COLUMNS = ["id", "merge_leve2", "name", "reason", "suggestion", "score", "ext_data", "dt"]


def test_d060_columns_are_these_and_the_level_is_spelled_merge_leve2(sqlite_world: FactWorld) -> None:
    row = demand_row(accept(sqlite_world, good_candidate())[0], TODAY, 7)
    assert [column.name for column in demand_content.columns] == COLUMNS
    assert list(row) == COLUMNS


@pytest.mark.parametrize(
    ("instant", "expected"),
    [
        (datetime(2026, 5, 31, 15, 59, 59, 999_999, UTC), "20260531"),
        (datetime(2026, 5, 31, 16, 0, 0, tzinfo=UTC), "20260601"),
        (datetime(2026, 6, 1, 15, 59, 59, tzinfo=UTC), "20260601"),
        (datetime(2026, 5, 31, 23, 30, tzinfo=timezone(timedelta(hours=8))), "20260531"),
        (datetime(2026, 12, 31, 8, 0, tzinfo=timezone(timedelta(hours=-8))), "20270101"),
    ],
)
def test_d060_dt_is_the_day_in_shanghai_on_both_sides_of_midnight(instant: datetime, expected: str) -> None:
    assert shanghai_dt(FixedClock(instant)) == expected


def test_d060_dt_does_not_depend_on_the_zone_of_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    import time

    for zone in ("Pacific/Kiritimati", "America/Los_Angeles", "UTC"):
        monkeypatch.setenv("TZ", zone)
        time.tzset()
        assert shanghai_dt(FixedClock(datetime(2026, 5, 31, 16, 0, tzinfo=UTC))) == "20260601"
    monkeypatch.undo()
    time.tzset()


@pytest.mark.parametrize("names", [["猫", "治愈"], ["治愈", "猫"], ["猫"]])
def test_d060_name_is_the_element_names_joined_by_a_comma_in_their_order(
    sqlite_world: FactWorld, names: list[str]
) -> None:
    row = demand_row(accept(sqlite_world, good_candidate(element_names=names))[0], TODAY, None)
    assert row["name"] == ",".join(names)


def test_d052_ext_data_keeps_the_old_fields_and_the_label_beside_the_pack(sqlite_world: FactWorld) -> None:
    row = demand_row(accept(sqlite_world, good_candidate())[0], TODAY, 7)
    ext_data = row["ext_data"]
    assert set(ext_data) == {"reason", "desc", "type", "video_ids", "run_label", "evidence_pack"}
    assert (ext_data["reason"], ext_data["desc"], ext_data["type"]) == ("常一起出现", "猫与治愈的内容", "pattern")
    assert (row["reason"], row["suggestion"]) == ("常一起出现", "猫与治愈的内容")
    assert ext_data["video_ids"] == ext_data["evidence_pack"]["matched_post_ids"] == ["p1", "p2", "p3"]
    assert ext_data["evidence_pack"]["demand_content_id"] == row["id"] == 7


def test_d021_score_is_the_mean_of_what_the_pack_binds(sqlite_world: FactWorld) -> None:
    # 3 of 5 posts carry 猫; 情感 is carried by 6 posts, the most of any category.
    assert accept(sqlite_world, good_candidate())[0].score == pytest.approx((0.6 + 1.0) / 2)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("dt", "2026-06-01"),
        ("score", 1.5),
        ("score", float("nan")),
        ("name", " "),
        ("name", "x" * 256),
    ],
)
def test_d066_a_row_that_breaks_the_contract_is_refused_by_the_name_of_the_field(
    sqlite_world: FactWorld, field: str, value: object
) -> None:
    row = demand_row(accept(sqlite_world, good_candidate())[0], TODAY, 7)
    with pytest.raises(PackRefused, match=rf"\b{field}\b"):
        check_row(row | {field: value}, "test")


@pytest.mark.parametrize("word", ["mysql_topic_pattern", "topic_pattern_"])
def test_d052_the_abandoned_source_is_named_in_no_row(sqlite_world: FactWorld, word: str) -> None:
    row = demand_row(accept(sqlite_world, good_candidate())[0], TODAY, 7)
    with pytest.raises(PackRefused, match=word):
        check_row(row | {"reason": f"from {word}x"}, "test")
