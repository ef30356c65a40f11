"""A demand that no longer closes makes no plan, and makes exactly one when it closes again (D-073)."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import httpx2
import pytest
from sqlalchemy import event, text

from resources.databases.supply_store.states import Stage, TaskStatus
from resources.databases.supply_store.tasks.stage_rows import stage_history
from resources.databases.supply_store.tasks.tasks import TaskRow
from resources.foundation.errors import FactsUnreadable, ServiceUnreachable, StoreUnwritable
from supply_assets.review.review import Decision, Reviewer, review_task
from supply_assets.review.review_list import list_for_review
from supply_assets.stages import create_plan
from supply_assets.standing.freezing import FreezeReport, freeze_open_demands
from supply_assets.tasks.batch_report import report_batch
from tests.supply_chain import PRICES, SupplyChain, of_post, request

DRIFT = "UPDATE pattern_itemset SET support = 0.25 WHERE id = 1001"
MENDED = "UPDATE pattern_itemset SET support = 0.5 WHERE id = 1001"
REASON = "D-034: pack_differs: support is '0.5' in the pack and '0.25' in the facts"
LI = Reviewer("李编辑", "再看看")


def freeze(place: SupplyChain) -> FreezeReport:
    with place.facts.open() as facts:
        return freeze_open_demands(place.supply, place.demands, facts, place.clock)


def numbers(report: FreezeReport) -> tuple[int, int, int, int]:
    """Open tasks, frozen, newly frozen, released."""
    return report.tasks, report.frozen, report.newly_frozen, report.released


def taken(place: SupplyChain, *candidates: dict[str, Any]) -> list[TaskRow]:
    """Tasks of freshly published demands, by demand."""
    place.publish(*candidates)
    return sorted(place.take_in(expected_count=3).tasks, key=lambda task: task.demand_id)


def ranked(place: SupplyChain, *candidates: dict[str, Any]) -> TaskRow:
    """The one task of a demand, ready for its plan."""
    [task] = taken(place, *candidates)
    place.run([task], through=Stage.RANK)
    task = place.task(task.task_id)
    assert (task.status, task.current_stage) == (TaskStatus.RANKED, Stage.CREATE_PLAN)
    return task


def go_on(place: SupplyChain, task: TaskRow) -> str:
    return str(place.run([task]).standing[task.task_id])


def plans_on_platform(address: str, task: TaskRow) -> int:
    plans = httpx2.get(f"{address}/admin/plans").json()["plans"]
    return sum(plan["task_id"] == task.task_id for plan in plans)


def events(place: SupplyChain, task: TaskRow) -> list[dict[str, Any]]:
    rows = place.tables()["supply_task_event"]
    return [row for row in rows if row["task_id"] == task.task_id and row["event_type"] in ("FROZEN", "THAWED")]


def as_if_killed_before_the_answer(place: SupplyChain, task: TaskRow) -> None:
    """The platform has the plan, and nobody recorded it."""
    place.supply.write(
        lambda connection: [
            connection.execute(text(statement), {"task_id": task.task_id})
            for statement in (
                "UPDATE supply_task SET status = 'RANKED', current_stage = 'CREATE_PLAN', finished_at = NULL "
                "WHERE task_id = :task_id",
                "UPDATE supply_crawler_plan SET plan_status = 'INTENDED', crawler_plan_id = NULL, "
                "response_payload = NULL WHERE task_id = :task_id",
            )
        ]
    )


@contextmanager
def statements_of(place: SupplyChain) -> Iterator[Counter[str]]:
    """Statements on the supply store, by their first word, while the block runs."""
    counted: Counter[str] = Counter()

    def note(_connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
        counted[statement.partition(" ")[0].upper()] += 1

    event.listen(place.supply.engine, "before_cursor_execute", note)
    yield counted
    event.remove(place.supply.engine, "before_cursor_execute", note)


def test_d073_a_drifted_demand_makes_no_plan_until_it_closes_again_and_then_exactly_one(
    any_chain: SupplyChain, cats: str
) -> None:
    place = any_chain
    drifted, sound = taken(place, of_post("p1"), PRICES)
    place.facts.alter(DRIFT)
    report = freeze(place)
    assert numbers(report) == (2, 1, 1, 0)
    assert (report.by_rule, report.left_out) == ({"D-034": 1}, 0)
    [shown] = report.kept
    assert (shown.task_id, shown.demand_content_id, shown.batch) == (drifted.task_id, drifted.demand_id, "581")
    kept = place.task(drifted.task_id).ext["frozen"]
    assert f"{kept['rule_id']}: {kept['reason']}" == REASON
    assert set(kept) == {"rule_id", "reason", "at"}

    outcome = place.run([drifted, sound])
    assert outcome.standing == {drifted.task_id: "held", sound.task_id: "completed"}
    assert [plans_on_platform(cats, task) for task in (drifted, sound)] == [0, 1]
    assert {row["task_id"] for row in place.tables()["supply_crawler_plan"]} == {sound.task_id}
    assert place.task(drifted.task_id).retry_count == 0
    history = place.read(lambda connection: stage_history(connection, [drifted.task_id]))
    assert (history[-1].stage_name, history[-1].stage_status) == (Stage.CREATE_PLAN, "SKIPPED")
    assert REASON in history[-1].output_payload["held"]
    assert [row["frozen"] for row in list_for_review(place.supply, None)] == [REASON]
    in_report = report_batch(place.supply, [drifted.task_id, sound.task_id], 0).tasks
    assert [task.frozen for task in in_report] == [REASON, None]

    place.facts.alter(MENDED)
    assert numbers(freeze(place)) == (1, 0, 0, 1)
    assert "frozen" not in place.task(drifted.task_id).ext
    assert go_on(place, drifted) == "completed"
    assert plans_on_platform(cats, drifted) == 1
    frozen, thawed = events(place, drifted)
    assert (frozen["event_type"], frozen["event_level"], frozen["stage_name"]) == ("FROZEN", "WARN", "INIT")
    assert frozen["event_payload"]["rule_id"] == thawed["event_payload"]["rule_id"] == "D-034"
    assert REASON in frozen["message"]
    assert (thawed["event_type"], thawed["event_level"]) == ("THAWED", "INFO")
    assert events(place, sound) == []


def test_d073_a_second_look_writes_nothing_and_another_reason_takes_the_place_of_the_first(
    any_chain: SupplyChain,
) -> None:
    place = any_chain
    first, *_ = taken(place, of_post("p1"), PRICES)
    place.facts.alter(DRIFT)
    freeze(place)
    before = place.tables()
    assert numbers(freeze(place)) == (2, 1, 0, 0)
    assert place.tables() == before
    place.facts.alter(MENDED, "UPDATE pattern_itemset SET scope = 'script' WHERE id = 1001")
    assert numbers(freeze(place)) == (2, 1, 0, 0)
    assert place.task(first.task_id).ext["frozen"]["rule_id"] == "D-033"
    assert [row["event_payload"]["rule_id"] for row in events(place, first)] == ["D-034", "D-033"]


def other_claim(row: dict[str, Any]) -> None:
    row["ext_data"]["evidence_pack"]["support"] = 0.25


def other_row(row: dict[str, Any]) -> None:
    row["ext_data"]["evidence_pack"]["demand_content_id"] += 100


def other_score(row: dict[str, Any]) -> None:
    row["score"] = 0.125


def no_row(row: dict[str, Any]) -> None:
    row["ext_data"] = "{}"


@pytest.mark.parametrize(
    ("change", "rule"),
    [(other_claim, "S-003"), (other_row, "S-006"), (other_score, "S-003"), (no_row, "D-053"), (None, "S-006")],
)
def test_d073_a_row_that_is_gone_or_is_not_what_was_taken_in_freezes_its_task(
    chain: SupplyChain, change: Callable[[dict[str, Any]], None] | None, rule: str
) -> None:
    first, _ = taken(chain, of_post("p1"), PRICES)
    if change is not None:
        chain.alter_row(first.demand_id, change)
    else:
        with chain.demands.engine.begin() as connection:
            connection.execute(text(f"DELETE FROM demand_content WHERE id = {first.demand_id}"))
    report = freeze(chain)
    assert [(task.task_id, task.rule_id) for task in report.kept] == [(first.task_id, rule)]


def test_d073_a_task_that_carries_other_evidence_than_its_row_is_frozen(chain: SupplyChain) -> None:
    first, second = taken(chain, of_post("p1"), PRICES)
    chain.alter_json(
        "supply_task", "ext", first.id, lambda ext: ext | {"source_evidence": {"origin": "demand_content"}}
    )
    chain.alter_json(
        "supply_task", "ext", second.id, lambda ext: ext | {"source_evidence": first.ext["source_evidence"]}
    )
    assert [task.rule_id for task in freeze(chain).kept] == ["S-006", "S-006"]


@pytest.mark.parametrize("frozen_before", [False, True])
@pytest.mark.parametrize("lost", ["facts", "demands"])
def test_d073_unknown_is_not_no_what_cannot_be_read_freezes_nothing_and_releases_nothing(
    chain: SupplyChain, lost: str, frozen_before: bool
) -> None:
    taken(chain, of_post("p1"), PRICES)
    if frozen_before:
        chain.facts.alter(DRIFT)
        freeze(chain)
        chain.facts.alter(MENDED)
    if lost == "facts":
        chain.facts.alter("DROP TABLE pattern_itemset_post")
    else:
        with chain.demands.engine.begin() as connection:
            connection.execute(text("DROP TABLE demand_content"))
    before = chain.tables()
    with pytest.raises(ServiceUnreachable) as raised:
        freeze(chain)
    assert isinstance(raised.value, FactsUnreadable if lost == "facts" else StoreUnwritable)
    assert chain.tables() == before


def test_d073_a_reviewer_does_not_lift_a_freeze_and_a_thaw_does_not_lift_a_hold(chain: SupplyChain, cats: str) -> None:
    task = ranked(chain, of_post("p1"))

    def decide(decision: Decision) -> None:
        review_task(chain.supply, chain.clock, task.task_id, decision, LI)

    decide(Decision.HOLD)
    chain.facts.alter(DRIFT)
    freeze(chain)
    decide(Decision.RELEASE)
    assert go_on(chain, task) == "held", "still frozen"
    decide(Decision.HOLD)
    chain.facts.alter(MENDED)
    assert freeze(chain).released == 1
    assert go_on(chain, task) == "held", "still held"
    assert plans_on_platform(cats, task) == 0
    decide(Decision.ACCEPT)
    assert go_on(chain, task) == "completed"
    assert plans_on_platform(cats, task) == 1


def test_d073_a_task_frozen_between_the_intent_and_the_call_is_not_sent_and_only_asked_for(
    any_chain: SupplyChain, cats: str
) -> None:
    place, original = any_chain, create_plan._send
    task = ranked(place, of_post("p1"))

    owners: list[str | None] = []

    async def frozen_first(*given: Any, **named: Any) -> Any:
        if not owners:
            place.facts.alter(DRIFT)
            await asyncio.to_thread(freeze, place)
            owners.append(place.task(task.task_id).ext["lease"]["owner"])
        return await original(*given, **named)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(create_plan, "_send", frozen_first)
        assert go_on(place, task) == "held"
    assert owners == [None], "the worker lost its lease"
    assert go_on(place, task) == "held", "the platform is asked, does not have it, and is sent nothing"
    assert plans_on_platform(cats, task) == 0
    [intent] = place.tables()["supply_crawler_plan"]
    assert (intent["plan_status"], intent["crawler_plan_id"]) == ("INTENDED", None)
    place.facts.alter(MENDED)
    freeze(place)
    assert go_on(place, task) == "completed"
    assert plans_on_platform(cats, task) == 1


def test_d073_a_plan_that_was_sent_before_the_freeze_is_adopted(finished: SupplyChain, cats: str) -> None:
    task = finished.task(finished.tables()["supply_task"][0]["task_id"])
    [sent] = [row for row in finished.tables()["supply_crawler_plan"] if row["task_id"] == task.task_id]
    as_if_killed_before_the_answer(finished, task)
    finished.facts.alter(DRIFT)
    assert numbers(freeze(finished)) == (1, 1, 1, 0)
    assert go_on(finished, task) == "completed"
    [adopted] = [row for row in finished.tables()["supply_crawler_plan"] if row["task_id"] == task.task_id]
    assert adopted["crawler_plan_id"] == sent["crawler_plan_id"]
    assert plans_on_platform(cats, task) == 1
    assert report_batch(finished.supply, [task.task_id], 0).tasks[0].frozen is None


@pytest.mark.parametrize("status", ["COMPLETED", "PLAN_CREATED", "FAILED"])
def test_d073_a_task_whose_plan_stands_is_not_touched(finished: SupplyChain, status: str) -> None:
    finished.supply.write(lambda connection: connection.execute(text(f"UPDATE supply_task SET status = '{status}'")))
    finished.facts.alter("DELETE FROM pattern_itemset")
    before = finished.tables()
    planned = {row["task_id"] for row in before["supply_crawler_plan"] if row["crawler_plan_id"]}
    assert planned == {row["task_id"] for row in before["supply_task"]}
    assert numbers(freeze(finished)) == (0, 0, 0, 0)
    assert finished.tables() == before


def test_d073_a_request_from_outside_is_never_frozen(chain: SupplyChain) -> None:
    chain.ask(request(demand_id=1))
    chain.facts.alter("DELETE FROM pattern_itemset")
    before = chain.tables()
    assert numbers(freeze(chain)) == (0, 0, 0, 0)
    assert chain.tables() == before


def test_d073_the_number_of_statements_does_not_grow_with_the_tasks(any_chain: SupplyChain) -> None:
    place = any_chain
    taken(place, of_post("p1"), PRICES)
    place.facts.alter("DELETE FROM pattern_itemset_post")
    with statements_of(place) as few:
        assert freeze(place).newly_frozen == 2
    place.facts.fill()
    for label in ("a", "b", "c", "d"):
        place.publish(of_post("p1"), of_post("p2"), of_post("p3"), PRICES, label=label)
    place.take_in(expected_count=3)
    place.facts.alter("DELETE FROM pattern_itemset_post")
    with statements_of(place) as many:
        assert freeze(place).newly_frozen == 16
    assert many == few
    place.facts.fill()
    with statements_of(place) as back:
        assert freeze(place).released == 18
    assert back.total() <= few.total()
