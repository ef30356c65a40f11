"""A past task ranked again from what is stored: the same under the same weights, without call or write (S-027)."""

from __future__ import annotations

import socket
from typing import Any, NoReturn

import pytest

from resources.foundation.errors import NoSuchTask
from supply_assets.scoring.ranking.rank import SCORE_VERSION
from supply_assets.scoring.records import Weights
from supply_assets.tasks.replay import Replay, replay
from tests.supply_chain import SupplyChain, of_post, request

POPULAR = Weights(relevance=0, popularity=1, quality=0, account=0, elder=0)


def tasks_of(place: SupplyChain) -> list[str]:
    return [row["task_id"] for row in place.tables()["supply_task"]]


def assert_as_stored(replayed: Replay) -> None:
    """Every candidate has the rank, the total and the verdict that stand."""
    assert replayed.moved == 0
    assert {row.candidate_id: round(row.new_total, 2) for row in replayed.rows} == {
        row.candidate_id: row.stored_total for row in replayed.rows
    }
    assert any(row.new_selected for row in replayed.rows)


@pytest.fixture
def unplugged(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever opens a connection fails the test."""

    def refuse(*_: Any) -> NoReturn:
        raise AssertionError("replay opened a connection")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket.socket, "connect_ex", refuse)


@pytest.mark.usefixtures("unplugged")
def test_s027_the_default_weights_give_the_stored_ranking(finished: SupplyChain) -> None:
    replays = [replay(finished.supply, task_id) for task_id in tasks_of(finished)]
    assert len(replays) == 4
    for replayed in replays:
        assert_as_stored(replayed)
        assert (replayed.stored_version, replayed.new_version) == (SCORE_VERSION, SCORE_VERSION)


def test_s027_the_stored_parts_are_computed_again_to_the_cent(finished: SupplyChain) -> None:
    [task_id, *_] = tasks_of(finished)
    stored = {row["candidate_id"]: row for row in finished.tables()["supply_content_score"]}
    for article in replay(finished.supply, task_id).ranking.articles:
        row = stored[article.candidate_id]
        again = (article.relevance, article.popularity, article.quality, article.account, article.elder)
        assert [round(part, 2) for part in again] == [
            row[f"{name}_score"] for name in ("relevance", "popularity", "quality", "account", "elder_fit")
        ]


@pytest.mark.usefixtures("unplugged")
def test_s027_other_weights_give_another_ranking_beside_the_stored_one(finished: SupplyChain) -> None:
    [task_id, *_] = tasks_of(finished)
    plain, popular = replay(finished.supply, task_id), replay(finished.supply, task_id, POPULAR, "by-views")
    assert popular.moved > 0
    assert popular.new_version == "by-views"
    before = {row.candidate_id: (row.stored_rank, row.stored_total) for row in plain.rows}
    assert {row.candidate_id: (row.stored_rank, row.stored_total) for row in popular.rows} == before
    ranked = [row for row in popular.rows if row.new_rank is not None]
    assert [row.new_rank for row in ranked] == list(range(1, len(ranked) + 1))
    assert [row.new_total for row in ranked] == sorted((row.new_total for row in ranked), reverse=True)


def test_s027_weights_of_the_run_give_its_ranking_and_the_defaults_another(chain: SupplyChain, cats: str) -> None:
    [task] = chain.ask(request()).tasks
    chain.run([task], weights=POPULAR)
    assert replay(chain.supply, task.task_id, POPULAR).moved == 0
    assert replay(chain.supply, task.task_id).moved > 0


@pytest.mark.parametrize("weights", [Weights(), POPULAR])
def test_s027_nothing_is_written(finished: SupplyChain, weights: Weights) -> None:
    before = finished.tables()
    for task_id in tasks_of(finished):
        replay(finished.supply, task_id, weights, "other")
    assert finished.tables() == before


def test_s027_features_come_from_what_the_platform_answered_and_not_from_what_was_made_of_it(
    finished: SupplyChain,
) -> None:
    [task_id, *_] = tasks_of(finished)
    with finished.supply.engine.begin() as connection:
        connection.exec_driver_sql("UPDATE supply_content_feature SET readability_score = 1, risk_score = 99")
        connection.exec_driver_sql(
            "UPDATE supply_account_profile SET credibility_score = 1 WHERE credibility_score IS NOT NULL"
        )
    assert_as_stored(replay(finished.supply, task_id))
    for row in finished.tables()["supply_content_feature"]:
        finished.alter_json("supply_content_feature", "raw_detail_payload", row["id"], without_text)
    emptied = replay(finished.supply, task_id)
    assert {row.new_filter_reason for row in emptied.rows if row.stored_selected} == {"low_quality"}


def without_text(payload: Any) -> Any:
    payload["detail"] |= {"text": "", "image_count": 0, "video_count": 0, "has_source_reference": False}
    return payload


def test_s027_a_task_that_was_not_ranked_yet_has_a_new_ranking_only(chain: SupplyChain) -> None:
    chain.publish(of_post("p1"))
    [task] = chain.take_in().tasks
    replayed = replay(chain.supply, task.task_id)
    assert (replayed.rows, replayed.stored_version) == ((), None)


def test_s027_a_task_that_is_not_there_is_named(chain: SupplyChain) -> None:
    with pytest.raises(NoSuchTask, match="nope"):
        replay(chain.supply, "nope")


@pytest.mark.real_server
@pytest.mark.usefixtures("cats")
def test_s027_mariadb_gives_the_same_ranking_back(mariadb_chain: SupplyChain) -> None:
    tasks = mariadb_chain.ask(request(expected_count=4), request(demand_id=8, query="猫 降价50%")).tasks
    mariadb_chain.run(tasks)
    for task in tasks:
        assert_as_stored(replay(mariadb_chain.supply, task.task_id))
