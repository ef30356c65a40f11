"""What the database adds up over a batch: refused and filtered candidates, the spread of scores (S-023)."""

from __future__ import annotations

from typing import Any

from sqlalchemy import text

from resources.databases.supply_store.articles.scores import NewScore, upsert_scores
from resources.databases.supply_store.engine import SupplyStore
from resources.databases.supply_store.measures.batch_counts import Spread, filter_counts, refusal_counts, score_spreads
from resources.databases.supply_store.tasks.ext import set_ext
from resources.databases.supply_store.tasks.tasks import tasks_of_batch
from tests.resources.databases.supply_store.supply_rows import add_candidates, add_tasks, read


def add_scores(store: SupplyStore, task_id: str, *scores: dict[str, Any]) -> None:
    ids = [candidate.id for candidate in add_candidates(store, len(scores), task_id)]
    rows = [NewScore(task_id=task_id, candidate_id=of, **values) for of, values in zip(ids, scores, strict=True)]
    store.write(lambda connection: upsert_scores(connection, rows))


def passed(total: float, **columns: Any) -> dict[str, Any]:
    return {"total_score": total, "filter_status": "PASS", **columns}


def test_s023_scores_are_spread_in_bars_of_five_with_what_lies_beyond_at_the_ends(supply: SupplyStore) -> None:
    add_tasks(supply, ("t1",), batch="b")
    chosen = {"is_selected": True, "rank_no": 1}
    kept_out = {"total_score": 50, "filter_status": "REJECT", "filter_reason": "duplicate"}
    add_scores(
        supply, "t1", passed(-3.5), passed(4.99), passed(5), passed(94.99), passed(95), passed(100, **chosen), kept_out
    )
    spreads = read(supply, lambda connection: score_spreads(connection, "b"))
    assert [spread.score for spread in spreads][1:] == [
        "relevance_score", "popularity_score", "quality_score", "account_score", "elder_fit_score",
    ]  # fmt: skip
    assert spreads[0] == Spread(
        "total_score", (2, 1, *[0] * 16, 1, 2), (*[0] * 19, 1), mean=49.41, lowest=-3.5, highest=100.0
    )
    assert read(supply, lambda connection: filter_counts(connection, "b")) == {"duplicate": 1}


def test_a_batch_counts_its_own_tasks_alone_and_not_those_of_a_key_in_other_case(supply: SupplyStore) -> None:
    add_tasks(supply, ("t1", "t2"), batch="b")
    supply.write(lambda connection: set_ext(connection, "t2", "batch", "B"))
    for task_id in ("t1", "t2"):
        add_scores(supply, task_id, passed(50))
    refused = "UPDATE supply_candidate_content SET quality_flag = 'REJECT', reject_reason = task_id"
    supply.write(lambda connection: connection.execute(text(refused)))
    assert [task.task_id for task in read(supply, lambda c: tasks_of_batch(c, "b"))] == ["t1"]
    assert read(supply, lambda c: refusal_counts(c, "b")) == {"t1": 1}
    assert sum(read(supply, lambda c: score_spreads(c, "b"))[0].passed) == 1
