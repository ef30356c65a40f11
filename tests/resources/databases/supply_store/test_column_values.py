"""What columns hold and what they refuse, alike on every database (field reports MY1, MY4, MY5, MY6, MY8, MY13)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import select

from resources.databases.supply_store.articles.candidates import read_candidates, upsert_candidates
from resources.databases.supply_store.articles.features import NewFeature, read_features, upsert_features
from resources.databases.supply_store.articles.profiles import NewProfile, read_profiles, upsert_profiles
from resources.databases.supply_store.articles.scores import NewScore, read_scores, upsert_scores
from resources.databases.supply_store.column_types import (
    JsonFieldRefused,
    NaiveTime,
    Score,
    ScoreOutOfRange,
    ValueRefused,
    json_text,
    whole_utc,
)
from resources.databases.supply_store.engine import SupplyStore
from resources.databases.supply_store.tables import supply_candidate_content
from resources.databases.supply_store.tasks.snapshots import NewSnapshot, insert_snapshots, read_snapshots
from tests.resources.databases.supply_store.supply_rows import NOW, add_candidates, add_tasks, asked, candidate, read

WIDE = "🫠神兵𠮷"


def pool_with(supply: SupplyStore, **columns: Any) -> Any:
    supply.write(lambda connection: upsert_candidates(connection, [candidate(**columns)]))
    return read(supply, lambda connection: read_candidates(connection, ["t1"]))[0]


def test_my1_four_byte_characters_live_in_columns_and_in_json(supply: SupplyStore) -> None:
    found = pool_with(supply, title=WIDE, raw_payload={WIDE: [WIDE]})
    assert (found.title, found.raw_payload) == (WIDE, {WIDE: [WIDE]})
    assert asked(supply, "SELECT count(*) FROM supply_candidate_content WHERE title = :t", t=WIDE) == [(1,)]


@pytest.mark.parametrize("field", ["title", "digest", "account_name"])
def test_my1_half_a_character_is_refused_by_the_columns_name(supply: SupplyStore, field: str) -> None:
    with pytest.raises(ValueRefused, match=field):
        pool_with(supply, **{field: "a\ud83d"})


def test_my2_nothing_is_cut_what_is_too_long_is_refused_by_name(supply: SupplyStore) -> None:
    assert pool_with(supply, title="𠮷" * 512, url="u" * 1024).title == "𠮷" * 512
    for field, limit in (("title", 512), ("url", 1024), ("digest", 1000), ("reject_reason", 255)):
        with pytest.raises(ValueRefused, match=f"{field} holds {limit + 1} characters of at most {limit}"):
            pool_with(supply, **{field: "𠮷" * (limit + 1)})
    with pytest.raises(ValueRefused, match="summary holds more than 65535 bytes"):
        supply.write(
            lambda connection: upsert_features(
                connection, [NewFeature(task_id="t1", candidate_id=1, summary="中" * 21_846)]
            )
        )


@pytest.mark.parametrize("value", [{"a": 1}, {}])
def test_my4_json_is_an_object_and_is_decoded_once(supply: SupplyStore, value: dict[str, Any]) -> None:
    payload = value | {"text": '{"a": 1}', "big": 2**60, "half": 0.1, "no": None, "yes": True}
    assert pool_with(supply, raw_payload=payload).raw_payload == payload
    [(kind, valid)] = asked(
        supply, "SELECT json_type(raw_payload), json_valid(raw_payload) FROM supply_candidate_content"
    )
    assert (str(kind).lower(), valid) == ("object", 1)


@pytest.mark.parametrize("value", ["text", 12, 0, "", [], False, "null"])
def test_my4_a_scalar_or_list_comes_back_as_it_went(supply: SupplyStore, value: Any) -> None:
    found = pool_with(supply, raw_payload=value).raw_payload
    assert (found, type(found)) == (value, type(value))


def test_my5_none_is_sql_null(supply: SupplyStore) -> None:
    found = pool_with(supply, raw_payload=None, raw_statistics=None)
    assert (found.raw_payload, found.raw_statistics) == (None, None)
    where = "raw_payload IS NULL AND raw_statistics IS NULL"
    assert asked(supply, f"SELECT count(*) FROM supply_candidate_content WHERE {where}") == [(1,)]


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf")])
def test_my6_nan_inside_json_is_refused_with_its_path_and_takes_nothing_with_it(
    supply: SupplyStore, value: float
) -> None:
    rows = [candidate(1), candidate(2, raw_payload={"item": [{"lift": 1.0}, {"lift": value}]})]
    with pytest.raises(JsonFieldRefused, match=r"raw_payload: \$\.item\[1\]\.lift"):
        supply.write(lambda connection: upsert_candidates(connection, rows))
    assert asked(supply, "SELECT count(*) FROM supply_candidate_content") == [(0,)]


@pytest.mark.parametrize("value", [{"at": NOW}, {"some": {1, 2}}, {"amount": Decimal(1)}])
def test_my6_what_json_does_not_know_is_refused_with_its_path(value: dict[str, Any]) -> None:
    with pytest.raises(JsonFieldRefused, match=rf"ext: \$\.{next(iter(value))}"):
        json_text("ext", value)


@pytest.mark.parametrize(
    ("given_value", "stored"),
    [
        (100.0, 100.0),
        (99.995, 100.0),
        (0, 0.0),
        (-0.001, 0.0),
        (88.125, 88.12),
        (88.135, 88.14),
        (0.005, 0.0),
        (33.3, 33.3),
    ],
)
def test_my8_scores_are_rounded_half_even_to_two_decimals(
    supply: SupplyStore, given_value: float, stored: float
) -> None:
    add_tasks(supply)
    [first, *_] = add_candidates(supply)
    row = NewScore(task_id="t1", candidate_id=first.id, relevance_score=given_value, total_score=given_value)
    supply.write(lambda connection: upsert_scores(connection, [row]))
    [found] = read(supply, lambda connection: read_scores(connection, ["t1"]))
    assert (found.relevance_score, found.total_score) == (stored, stored)
    assert isinstance(found.total_score, float)


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("relevance_score", 100.01),
        ("quality_score", -0.01),
        ("popularity_score", 1e3),
        ("account_score", float("nan")),
        ("elder_fit_score", float("inf")),
        ("elder_fit_score", 1e300),
        ("diversity_penalty", 999.995),
        ("diversity_penalty", 1000),
        ("total_score", 9999.996),
        ("total_score", float("-inf")),
        ("relevance_score", "88%"),
        ("relevance_score", True),
    ],
)
def test_my8_a_score_that_does_not_fit_is_refused_by_its_columns_name(
    supply: SupplyStore, column: str, value: Any
) -> None:
    add_tasks(supply)
    rows = add_candidates(supply)
    scores = [
        NewScore(task_id="t1", candidate_id=rows[0].id),
        NewScore(task_id="t1", candidate_id=rows[1].id, **{column: value}),
    ]
    with pytest.raises(ScoreOutOfRange, match=column):
        supply.write(lambda connection: upsert_scores(connection, scores))
    assert asked(supply, "SELECT count(*) FROM supply_content_score") == [(0,)]


def test_my8_penalty_and_total_hold_what_their_columns_hold(supply: SupplyStore) -> None:
    add_tasks(supply)
    [first, *_] = add_candidates(supply)
    row = NewScore(task_id="t1", candidate_id=first.id, diversity_penalty=999.99, total_score=-9999.99)
    supply.write(lambda connection: upsert_scores(connection, [row]))
    [found] = read(supply, lambda connection: read_scores(connection, ["t1"]))
    assert (found.diversity_penalty, found.total_score) == (999.99, -9999.99)


@given(st.one_of(st.floats(), st.integers(), st.decimals(), st.text(max_size=5), st.booleans()))
def test_my8_any_number_is_stored_within_its_range_or_refused(value: Any) -> None:
    column = Score("relevance_score", 5, 0, 100)
    try:
        stored = column.stored(value)
    except ScoreOutOfRange:
        return
    assert 0 <= stored <= 100
    assert abs(stored - float(value)) <= 0.005 + 1e-9


def test_s021_unknown_scores_of_profiles_and_features_stay_unknown(supply: SupplyStore) -> None:
    add_tasks(supply)
    [first, *_] = add_candidates(supply)
    supply.write(
        lambda connection: (
            upsert_profiles(connection, [NewProfile(task_id="t1", account_id="gh_1")]),
            upsert_features(connection, [NewFeature(task_id="t1", candidate_id=first.id)]),
        )
    )
    [profile] = read(supply, lambda connection: read_profiles(connection, ["t1"]))
    [feature] = read(supply, lambda connection: read_features(connection, ["t1"]))
    assert (profile.vertical_score, profile.recent_article_count, profile.risk_tags) == (None, None, None)
    assert (feature.risk_score, feature.has_source_reference, feature.sentiment_score) == (None, None, None)


def test_my13_a_time_is_the_same_instant_after_the_round_trip(supply: SupplyStore) -> None:
    in_shanghai = datetime(2026, 6, 1, 7, 59, 59, tzinfo=timezone(timedelta(hours=8)))
    found = pool_with(supply, publish_time=in_shanghai).publish_time
    assert found == in_shanghai
    assert found.tzinfo is UTC
    [(stored,)] = asked(supply, "SELECT publish_time FROM supply_candidate_content")
    assert str(stored) == "2026-05-31 23:59:59"


def test_my13_the_fraction_is_dropped_and_not_rounded_into_the_future(supply: SupplyStore) -> None:
    late = datetime(2026, 6, 1, 23, 59, 59, 999_999, tzinfo=UTC)
    assert pool_with(supply, publish_time=late).publish_time == late.replace(microsecond=0)
    assert whole_utc("publish_time", late) == late.replace(microsecond=0), "MySQL rounds, MariaDB and SQLite cut"


def test_my13_a_time_without_zone_is_refused_by_name(supply: SupplyStore) -> None:
    with pytest.raises(NaiveTime, match="publish_time"):
        pool_with(supply, publish_time=datetime(2026, 6, 1))  # noqa: DTZ001


def test_pg6_no_time_is_null_and_a_nat_is_refused_by_name(supply: SupplyStore) -> None:
    assert pool_with(supply, publish_time=None).publish_time is None
    assert asked(supply, "SELECT count(*) FROM supply_candidate_content WHERE publish_time IS NULL") == [(1,)]
    with pytest.raises(NaiveTime, match="publish_time"):
        pool_with(supply, publish_time=pd.NaT)


def test_my13_what_the_server_stamps_is_utc(supply: SupplyStore) -> None:
    pool_with(supply)
    statement = select(supply_candidate_content.c.created_at)
    stamped = read(supply, lambda connection: connection.execute(statement).scalar_one())
    assert abs(stamped - datetime.now(UTC)) < timedelta(minutes=5)


def test_s003_a_snapshot_comes_back_as_it_went(supply: SupplyStore) -> None:
    row = NewSnapshot(
        demand_id=2**62, query=WIDE, query_expansion=[WIDE], audience_profile={"age": "50+"}, source_payload={"x": 1}
    )
    ids = supply.write(lambda connection: insert_snapshots(connection, [row]))
    found = read(supply, lambda connection: read_snapshots(connection, ids.values()))[ids[(2**62, 1)]]
    assert {name: getattr(found, name) for name in row.__dataclass_fields__} == {
        name: getattr(row, name) for name in row.__dataclass_fields__
    }
