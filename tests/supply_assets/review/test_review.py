"""A named person's decision holds against every worker, up to the moment the plan is on its way (S-030)."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx2
import pytest

from resources.databases.supply_store.articles.candidates import read_candidate
from resources.databases.supply_store.articles.plans import NewPlan, plans_of_tasks, reserve_plan
from resources.databases.supply_store.articles.scores import ScoreRow, read_scores
from resources.databases.supply_store.states import Stage, TaskStatus
from resources.databases.supply_store.tasks.leases import acquire
from resources.databases.supply_store.tasks.stage_rows import stage_history
from resources.databases.supply_store.tasks.tasks import read_task
from resources.foundation.clock import SystemClock
from resources.foundation.errors import NoSuchTask, UsageError
from supply_assets.review.review import Decision, Reviewer, ReviewRefused, review_candidate, review_task
from supply_assets.review.review_list import list_for_review
from supply_assets.stages.stage import Attempt, StageEnd
from supply_assets.tasks import task_run
from supply_assets.tasks.replay import replay
from tests.supply_chain import SupplyChain, request

LI = Reviewer("李编辑", "标题与正文不符")
HOLD, RELEASE, ACCEPT, REJECT = Decision.HOLD, Decision.RELEASE, Decision.ACCEPT, Decision.REJECT
Hook = Callable[[str], Any]


def decide(place: SupplyChain, decision: Decision, *, task: str | None = None, candidate: int | None = None) -> str:
    if task is not None:
        return review_task(place.supply, place.clock, task, decision, LI)
    return review_candidate(place.supply, place.clock, candidate or 0, decision, LI)


def scores(place: SupplyChain, task_id: str) -> dict[int, ScoreRow]:
    return {row.candidate_id: row for row in place.read(lambda connection: read_scores(connection, [task_id]))}


def selected(place: SupplyChain, task_id: str) -> list[int]:
    chosen = [row for row in scores(place, task_id).values() if row.is_selected]
    return [row.candidate_id for row in sorted(chosen, key=lambda row: row.rank_no or 0)]


def link_of(place: SupplyChain, candidate_id: int) -> str:
    candidate = place.read(lambda connection: read_candidate(connection, candidate_id))
    assert candidate is not None
    return candidate.url


def events(place: SupplyChain, task_id: str) -> list[dict[str, Any]]:
    rows = place.tables()["supply_task_event"]
    return [row for row in rows if row["task_id"] == task_id and row["event_type"] == "MANUAL_INTERVENTION"]


def planned(address: str, task_id: str) -> list[list[str]]:
    """The links of each plan that the platform has of a task."""
    plans = httpx2.get(f"{address}/admin/plans").json()["plans"]
    return [[content["url"] for content in plan["contents"]] for plan in plans if plan["task_id"] == task_id]


@pytest.fixture
def task_id(chain: SupplyChain, cats: str) -> str:
    """A task that was ranked and has no plan yet."""
    [task] = chain.ask(request()).tasks
    chain.run([task], through=Stage.RANK)
    assert chain.task(task.task_id).status is TaskStatus.RANKED
    return task.task_id


def go_on(place: SupplyChain, task_id: str, through: Stage = Stage.FINALIZE) -> str:
    outcome = place.run([place.task(task_id)], through)
    return str(outcome.standing[task_id])


@pytest.mark.parametrize("name", ["", " ", "\u200b", "x" * 65, "\udcff", "a\x00"])
def test_s030_nobody_decides_without_a_name(name: str) -> None:
    with pytest.raises(UsageError, match="--by"):
        Reviewer(name, "why")


@pytest.mark.parametrize("reason", ["", "\n", "\u200b", "x" * 201, "\udcff", "a\x00"])
def test_s030_nobody_decides_without_a_reason(reason: str) -> None:
    with pytest.raises(UsageError, match="--reason"):
        Reviewer("li", reason)


@pytest.mark.parametrize("back", [RELEASE, ACCEPT])
def test_s030_a_held_task_has_no_plan_until_it_is_given_back(
    chain: SupplyChain, cats: str, task_id: str, back: Decision
) -> None:
    assert decide(chain, HOLD, task=task_id) == "HELD"
    for _ in range(2):
        assert go_on(chain, task_id) == "held"
    assert (planned(cats, task_id), chain.tables()["supply_crawler_plan"]) == ([], [])
    history = chain.read(lambda connection: stage_history(connection, [task_id]))
    assert [row.stage_status for row in history if row.stage_name == Stage.CREATE_PLAN] == ["SKIPPED", "SKIPPED"]
    decide(chain, back, task=task_id)
    assert go_on(chain, task_id) == "completed"
    assert len(planned(cats, task_id)) == 1


def test_s030_a_task_that_is_held_before_it_starts_is_searched_and_ranked_and_not_planned(
    chain: SupplyChain, cats: str
) -> None:
    [task] = chain.ask(request()).tasks
    decide(chain, HOLD, task=task.task_id)
    assert go_on(chain, task.task_id) == "held"
    assert selected(chain, task.task_id)
    assert planned(cats, task.task_id) == []


def test_s030_a_rejected_task_is_cancelled_for_good(chain: SupplyChain, cats: str, task_id: str) -> None:
    assert decide(chain, REJECT, task=task_id) == "REJECTED"
    assert chain.task(task_id).status is TaskStatus.CANCELLED
    assert go_on(chain, task_id) == "cancelled"
    assert planned(cats, task_id) == []
    for decision in Decision:
        with pytest.raises(ReviewRefused, match="CANCELLED"):
            decide(chain, decision, task=task_id)


def test_s030_a_decision_is_an_event_with_name_reason_and_place(chain: SupplyChain, task_id: str) -> None:
    [first, *_] = selected(chain, task_id)
    decide(chain, HOLD, task=task_id)
    decide(chain, REJECT, candidate=first)
    by_task, by_candidate = events(chain, task_id)
    assert (by_task["stage_name"], by_task["event_level"]) == ("CREATE_PLAN", "INFO")
    assert by_task["event_payload"] == {
        "decision": "hold", "by": LI.name, "reason": LI.reason, "candidate_id": None,
    }  # fmt: skip
    assert by_candidate["event_payload"] | {"decision": "hold", "candidate_id": None} == by_task["event_payload"]
    assert by_candidate["event_payload"]["candidate_id"] == first
    assert LI.reason in by_candidate["message"]
    review = chain.task(task_id).ext["review"]
    assert (review["state"], review["by"], review["reason"]) == ("HELD", LI.name, LI.reason)


def test_s030_a_rejected_candidate_of_a_ranked_task_is_ranked_out_and_not_planned(
    chain: SupplyChain, cats: str, task_id: str
) -> None:
    [first, *others] = selected(chain, task_id)
    assert decide(chain, REJECT, candidate=first) == "REJECTED"
    task = chain.task(task_id)
    assert (task.status, task.current_stage) == (TaskStatus.ENRICHED, Stage.RANK)
    assert go_on(chain, task_id) == "completed"
    row = scores(chain, task_id)[first]
    assert (row.is_selected, row.filter_reason, row.rank_no) == (False, "manual_reject", None)
    assert selected(chain, task_id)[:2] == others
    [links] = planned(cats, task_id)
    assert link_of(chain, first) not in links
    assert replay(chain.supply, task_id).moved == 0


def test_s030_a_held_candidate_waits_and_a_released_one_is_back(chain: SupplyChain, task_id: str) -> None:
    before = selected(chain, task_id)
    decide(chain, HOLD, candidate=before[0])
    go_on(chain, task_id, Stage.RANK)
    assert scores(chain, task_id)[before[0]].filter_reason == "manual_hold"
    decide(chain, RELEASE, candidate=before[0])
    go_on(chain, task_id, Stage.RANK)
    assert selected(chain, task_id) == before


def test_s030_an_accepted_candidate_passes_the_filters_of_taste(chain: SupplyChain, cats: str) -> None:
    constraints = {"banned_words": ["指南"]}
    [task] = chain.ask(request(quality_constraints=constraints)).tasks
    go_on(chain, task.task_id, Stage.RANK)
    banned = [row for row in scores(chain, task.task_id).values() if row.filter_reason == "banned_word"]
    best = max(banned, key=lambda row: row.total_score)
    decide(chain, ACCEPT, candidate=best.candidate_id)
    go_on(chain, task.task_id, Stage.RANK)
    row = scores(chain, task.task_id)[best.candidate_id]
    assert (row.filter_status, row.filter_reason) == ("PASS", None)


def test_s030_a_task_that_selected_nothing_is_planned_with_what_a_person_accepts(chain: SupplyChain, cats: str) -> None:
    constraints = {"banned_words": ["猫"]}
    [task] = chain.ask(request(expected_count=1, quality_constraints=constraints)).tasks
    go_on(chain, task.task_id, Stage.RANK)
    assert chain.task(task.task_id).current_stage is Stage.FINALIZE
    banned = [row for row in scores(chain, task.task_id).values() if row.filter_reason == "banned_word"]
    decide(chain, ACCEPT, candidate=banned[0].candidate_id)
    assert go_on(chain, task.task_id) == "completed"
    assert planned(cats, task.task_id) == [[link_of(chain, banned[0].candidate_id)]]


def test_s030_a_task_that_is_not_ranked_yet_keeps_its_place(chain: SupplyChain, cats: str) -> None:
    [task] = chain.ask(request()).tasks
    go_on(chain, task.task_id, Stage.RECALL)
    candidate = chain.tables()["supply_candidate_content"][0]["id"]
    decide(chain, REJECT, candidate=candidate)
    assert chain.task(task.task_id).current_stage is Stage.ACCOUNT_ENRICH
    assert go_on(chain, task.task_id) == "completed"
    assert scores(chain, task.task_id)[candidate].filter_reason == "manual_reject"


def test_s030_an_article_that_is_gone_cannot_be_brought_back(chain: SupplyChain, task_id: str) -> None:
    [first, *_] = selected(chain, task_id)
    with chain.supply.engine.begin() as connection:
        connection.exec_driver_sql(
            f"UPDATE supply_candidate_content SET quality_flag = 'REJECT', reject_reason = 'deleted' WHERE id = {first}"
        )
    for decision in Decision:
        with pytest.raises(ReviewRefused, match="no article any more: deleted"):
            decide(chain, decision, candidate=first)
    assert events(chain, task_id) == []


@pytest.mark.parametrize("decision", Decision)
def test_s030_a_completed_task_is_out_of_reach(finished: SupplyChain, decision: Decision) -> None:
    before = finished.tables()
    [row, *_] = before["supply_task"]
    [candidate, *_] = selected(finished, row["task_id"])
    for subject in ({"task": row["task_id"]}, {"candidate": candidate}):
        with pytest.raises(ReviewRefused, match="COMPLETED"):
            decide(finished, decision, **subject)
    assert finished.tables() == before


@pytest.mark.parametrize("decision", Decision)
def test_s030_a_plan_on_its_way_is_out_of_reach(chain: SupplyChain, task_id: str, decision: Decision) -> None:
    [first, *_] = selected(chain, task_id)
    plan = NewPlan(task_id=task_id, plan_type="BY_CONTENT", request_payload={}, plan_status="INTENDED")

    def intend(connection: Any) -> None:
        acquire(connection, task_id, "worker", now=SystemClock().now(), ttl_s=60)
        reserve_plan(connection, read_task(connection, task_id), plan, "worker")

    chain.supply.write(intend)
    before = chain.tables()
    for subject in ({"task": task_id}, {"candidate": first}):
        with pytest.raises(ReviewRefused, match="on its way"):
            decide(chain, decision, **subject)
    assert chain.tables() == before


@pytest.mark.parametrize("candidate", [0, -1, 10**6, 2**63, 2**70])
def test_s030_a_candidate_that_is_not_there_is_named(any_chain: SupplyChain, candidate: int) -> None:
    with pytest.raises(UsageError, match="there is no candidate"):
        review_candidate(any_chain.supply, any_chain.clock, candidate, REJECT, LI)


def test_s030_a_task_that_is_not_there_is_named(any_chain: SupplyChain) -> None:
    with pytest.raises(NoSuchTask, match="nope"):
        decide(any_chain, HOLD, task="nope")


def meanwhile(monkeypatch: pytest.MonkeyPatch, stage: Stage, hook: Hook, *, after: bool = False) -> None:
    """Let a person act while a worker is in a stage: as it begins, or when its work is done and not yet written."""
    handler = task_run.HANDLERS[stage]
    pending = [hook]

    async def handled(attempt: Attempt) -> StageEnd:
        end = await handler(attempt) if after else None
        if pending:
            await asyncio.to_thread(pending.pop(), attempt.task.task_id)
        return end or await handler(attempt)

    monkeypatch.setitem(task_run.HANDLERS, stage, handled)  # type: ignore[arg-type]


@pytest.mark.parametrize("stage", [Stage.RANK, Stage.CREATE_PLAN])
def test_s030_a_candidate_rejected_between_ranking_and_planning_is_in_no_plan(
    any_chain: SupplyChain, cats: str, monkeypatch: pytest.MonkeyPatch, stage: Stage
) -> None:
    place = any_chain
    [task] = place.ask(request()).tasks
    rejected: list[int] = []

    def reject_the_best(task_id: str) -> None:
        rejected.append(replay(place.supply, task_id).rows[0].candidate_id)
        decide(place, REJECT, candidate=rejected[0])

    meanwhile(monkeypatch, stage, reject_the_best, after=stage is Stage.RANK)
    assert go_on(place, task.task_id) == "completed"
    [links] = planned(cats, task.task_id)
    assert link_of(place, rejected[0]) not in links
    assert len(links) == 3
    assert scores(place, task.task_id)[rejected[0]].filter_reason == "manual_reject"
    assert len(place.read(lambda connection: plans_of_tasks(connection, [task.task_id]))) == 1


def test_s030_a_task_held_as_its_plan_is_begun_has_no_plan(
    chain: SupplyChain, cats: str, task_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    meanwhile(monkeypatch, Stage.CREATE_PLAN, lambda task_id: decide(chain, HOLD, task=task_id))
    assert go_on(chain, task_id) == "held"
    assert planned(cats, task_id) == []


@pytest.mark.parametrize("stage", [Stage.RECALL, Stage.CONTENT_ENRICH, Stage.RANK])
def test_s030_a_task_rejected_while_a_worker_has_it_is_cancelled(
    chain: SupplyChain, cats: str, monkeypatch: pytest.MonkeyPatch, stage: Stage
) -> None:
    [task] = chain.ask(request()).tasks
    meanwhile(monkeypatch, stage, lambda task_id: decide(chain, REJECT, task=task_id), after=True)
    assert go_on(chain, task.task_id) == "cancelled"
    assert chain.task(task.task_id).status is TaskStatus.CANCELLED
    assert planned(cats, task.task_id) == []
    attempts = chain.read(lambda connection: stage_history(connection, [task.task_id]))
    assert (attempts[-1].stage_status, attempts[-1].error_code) == ("FAILED", "cancelled")
    assert "RUNNING" not in {attempt.stage_status for attempt in attempts}


def test_s030_a_task_whose_selection_did_not_close_is_ranked_again_by_a_review(
    chain: SupplyChain, cats: str, task_id: str
) -> None:
    [first, *_] = selected(chain, task_id)
    with chain.supply.engine.begin() as connection:
        connection.exec_driver_sql(f"UPDATE supply_candidate_content SET quality_flag = 'HELD' WHERE id = {first}")
    assert go_on(chain, task_id) == "failed"
    assert chain.task(task_id).error_code == "selection_open"
    decide(chain, RELEASE, candidate=first)
    assert go_on(chain, task_id) == "completed"
    assert len(planned(cats, task_id)) == 1


def test_s030_decisions_at_once_each_stand_whole(any_chain: SupplyChain, cats: str) -> None:
    place = any_chain
    [task] = place.ask(request()).tasks
    go_on(place, task.task_id, Stage.RANK)
    chosen = selected(place, task.task_id)
    start = threading.Barrier(len(chosen))

    def one(candidate: int) -> str:
        start.wait()
        return decide(place, REJECT, candidate=candidate)

    with ThreadPoolExecutor(len(chosen)) as pool:
        assert list(pool.map(one, chosen)) == ["REJECTED"] * len(chosen)
    assert {event["event_payload"]["candidate_id"] for event in events(place, task.task_id)} == set(chosen)
    go_on(place, task.task_id, Stage.RANK)
    assert not set(selected(place, task.task_id)) & set(chosen)


def test_s030_open_tasks_wait_for_a_person_and_ended_ones_do_not(finished: SupplyChain, cats: str) -> None:
    assert list_for_review(finished.supply, None) == []
    tasks = finished.ask(request(demand_id=901), request(demand_id=902, query="狗")).tasks
    decide(finished, HOLD, task=tasks[1].task_id)
    first, second = list_for_review(finished.supply, None)
    assert (first["task_id"], first["status"], first["review"]) == (tasks[0].task_id, "PENDING", None)
    assert (second["query"], second["review"], second["by"], second["reason"]) == ("狗", "HELD", LI.name, LI.reason)
    decide(finished, REJECT, task=tasks[1].task_id)
    assert [row["task_id"] for row in list_for_review(finished.supply, None)] == [tasks[0].task_id]


def test_s030_the_candidates_of_a_task_are_listed_by_rank(finished: SupplyChain) -> None:
    task_id = finished.tables()["supply_task"][0]["task_id"]
    rows = list_for_review(finished.supply, task_id)
    assert [row["candidate_id"] for row in rows if row["selected"]] == selected(finished, task_id)
    assert [row["rank"] for row in rows[:4]] == [1, 2, 3, 4]
    assert len(rows) == len(scores(finished, task_id))
    with pytest.raises(NoSuchTask):
        list_for_review(finished.supply, "nope")
