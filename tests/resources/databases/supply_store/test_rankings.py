"""Profiles, features and scores of a task's pool: written over, added to, replaced (S-021, S-023, S-042)."""

from __future__ import annotations

from typing import Any

import pytest

from resources.databases.supply_store.articles.features import FeatureRow, NewFeature, read_features, upsert_features
from resources.databases.supply_store.articles.profiles import NewProfile, ProfileRow, read_profiles, upsert_profiles
from resources.databases.supply_store.articles.scores import (
    NewScore,
    ScoreRow,
    read_scores,
    replace_scores,
    upsert_scores,
)
from resources.databases.supply_store.engine import SupplyStore
from resources.foundation.errors import StoreUnwritable
from tests.resources.databases.supply_store.supply_rows import add_candidates, add_tasks, read, statements_of


def profiles(store: SupplyStore) -> list[ProfileRow]:
    return read(store, lambda connection: read_profiles(connection, ["t1"]))


def features(store: SupplyStore) -> list[FeatureRow]:
    return read(store, lambda connection: read_features(connection, ["t1"]))


def scores(store: SupplyStore) -> list[ScoreRow]:
    return read(store, lambda connection: read_scores(connection, ["t1"]))


def score(candidate_id: int, **columns: Any) -> NewScore:
    return NewScore(task_id="t1", candidate_id=candidate_id, **columns)


def test_s021_what_one_stage_knows_of_an_account_the_next_adds_to(supply: SupplyStore) -> None:
    first = NewProfile(
        task_id="t1", account_id="gh_1", account_name="名", verify_status=1, raw_profile_payload={"a": 1}
    )
    later = NewProfile(
        task_id="t1", account_id="gh_1", vertical_score=70.125, risk_tags=["标题党"], raw_history_payload=[1]
    )
    for row in (first, later):
        supply.write(lambda connection, row=row: upsert_profiles(connection, [row]))
    [found] = profiles(supply)
    assert (found.account_name, found.verify_status, found.raw_profile_payload) == ("名", 1, {"a": 1})
    assert (found.vertical_score, found.risk_tags, found.raw_history_payload) == (70.12, ["标题党"], [1])


def test_s021_features_of_a_page_are_written_over_and_belong_to_a_candidate(supply: SupplyStore) -> None:
    [first, *_] = add_candidates(supply)
    for length in (10, 20):
        row = NewFeature(task_id="t1", candidate_id=first.id, content_length=length, has_source_reference=True)
        supply.write(lambda connection, row=row: upsert_features(connection, [row]))
    [found] = features(supply)
    assert (found.content_length, found.has_source_reference) == (20, True)
    with pytest.raises(StoreUnwritable, match=r"(?i)foreign key"):
        supply.write(lambda connection: upsert_features(connection, [NewFeature(task_id="t1", candidate_id=10**6)]))


def test_s023_a_score_is_written_over_as_a_whole(supply: SupplyStore) -> None:
    [first, *_] = add_candidates(supply)
    before = score(first.id, filter_status="REJECT", filter_reason="clickbait", rank_no=1, score_detail={"a": 1})
    after = score(first.id, filter_status="PASS", is_selected=True, score_version="v2")
    for row in (before, after):
        supply.write(lambda connection, row=row: upsert_scores(connection, [row]))
    [found] = scores(supply)
    assert (found.filter_status, found.filter_reason, found.rank_no, found.score_detail) == ("PASS", None, None, None)
    assert (found.is_selected, found.score_version) == (True, "v2")


def test_s042_a_new_ranking_takes_the_place_of_the_old_one(supply: SupplyStore) -> None:
    add_tasks(supply, ["t1", "t2"])
    first, second, third = add_candidates(supply)
    [other, *_] = add_candidates(supply, 1, "t2")
    elsewhere = NewScore(task_id="t2", candidate_id=other.id)
    supply.write(lambda connection: upsert_scores(connection, [elsewhere]))
    for chosen in ([first, second], [second, third], []):
        rows = [score(row.id, total_score=row.id) for row in chosen]
        supply.write(lambda connection, rows=rows: replace_scores(connection, "t1", rows))
        assert {row.candidate_id for row in scores(supply)} == {row.id for row in chosen}
    assert len(read(supply, lambda connection: read_scores(connection, ["t2"]))) == 1
    with pytest.raises(ValueError, match="not of task t1"):
        supply.write(lambda connection: replace_scores(connection, "t1", [elsewhere]))


def test_s041_the_number_of_statements_does_not_depend_on_the_number_of_rows(supply: SupplyStore) -> None:
    rows = add_candidates(supply, 300)
    sent = []
    for some in (rows[:1], rows):
        with statements_of(supply) as statements:
            supply.write(
                lambda connection, some=some: (
                    upsert_profiles(connection, [NewProfile(task_id="t1", account_id=f"gh_{row.id}") for row in some]),
                    upsert_features(connection, [NewFeature(task_id="t1", candidate_id=row.id) for row in some]),
                    replace_scores(connection, "t1", [score(row.id) for row in some]),
                )
            )
        sent.append(len(statements))
    assert sent[0] == sent[1]
    assert len(profiles(supply)) == len(features(supply)) == len(scores(supply)) == 300
