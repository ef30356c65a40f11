"""Taking demands in: only what closes today, and the same demand only once (S-001 … S-003)."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from sqlalchemy import text

from resources.databases.supply_store.engine import SupplyStore
from resources.databases.supply_store.tasks.snapshots import read_snapshots
from resources.databases.supply_store.tasks.tasks import TaskRow
from resources.foundation.errors import FactsUnreadable
from supply_assets.intake.intake import Intake
from supply_assets.orchestration.frames import demand_frame
from tests.counting_ids import CountingIds
from tests.small_facts import CAT, FEELING, good_candidate
from tests.supply_chain import PRICES, SupplyChain, ask, of_post, request

Row = dict[str, Any]
Change = Callable[[Row], None]
WORKERS = 4


def pack(row: Row) -> Row:
    inner: Row = row["ext_data"]["evidence_pack"]
    return inner


def put(name: str, value: Any) -> Change:
    return lambda row: row.update({name: value})


def put_in_pack(**values: Any) -> Change:
    return lambda row: pack(row).update(values)


def put_in_ext(**values: Any) -> Change:
    return lambda row: row["ext_data"].update(values)


def put_posts(*posts: str) -> Change:
    def change(row: Row) -> None:
        pack(row).update(matched_post_ids=list(posts), case_ids=list(posts), absolute_support=len(posts))
        row["ext_data"]["video_ids"] = list(posts)

    return change


def put_in_items(**values: Any) -> Change:
    """The first item of the itemset, wherever the pack names it."""

    def change(row: Row) -> None:
        for entries in ("category_bindings", "itemset_items", "element_bindings"):
            known = pack(row)[entries][0]
            known.update({name: value for name, value in values.items() if name in known})

    return change


def put_itemset(itemset_id: int) -> Change:
    def change(row: Row) -> None:
        pack(row)["itemset_ids"] = [itemset_id]
        for entries in ("category_bindings", "itemset_items", "element_bindings"):
            for entry in pack(row)[entries]:
                entry["itemset_id"] = itemset_id

    return change


def put_both(reason: str) -> Change:
    def change(row: Row) -> None:
        row["reason"] = reason

    return change


def put_in_binding(**values: Any) -> Change:
    return lambda row: pack(row)["element_bindings"][0].update(values)


TAMPERED: dict[str, tuple[Change, str, str]] = {
    "support": (put_in_pack(support=0.9), "D-034", "support is '0.9' in the pack and '0.5' in the facts"),
    "support as text": (put_in_pack(support="0.5"), "D-053", "support"),
    "support above 1": (put_in_pack(support=1.5), "D-053", "support"),
    "absolute support alone": (put_in_pack(absolute_support=4), "D-053", "absolute_support is 4"),
    "a post too many": (put_posts("p1", "p2", "p3", "p4"), "D-040", "p4"),
    "a post too few": (put_posts("p1", "p2"), "D-036", "absolute_support"),
    "another post": (put_posts("p1", "p2", "p4"), "D-040", "p4"),
    "posts out of order": (put_posts("p2", "p1", "p3"), "D-053", "sorted"),
    "videos alone": (put_in_ext(video_ids=["p1"]), "D-053", "video_ids"),
    "source post": (put_in_pack(source_post_id="p9"), "D-053", "source_post_id"),
    "category path": (put_in_items(category_path="/别处"), "D-035", "category_bindings"),
    "category full path": (put_in_items(category_full_path="/实质/别处"), "D-035", "category_bindings"),
    "category name": (put_in_items(category_name="狗"), "D-035", "category_bindings"),
    "category id": (put_in_items(category_id=FEELING), "D-035", "category_bindings"),
    "category that is not there": (put_in_items(category_id=99), "D-039", "99"),
    "category binding alone": (lambda row: pack(row)["category_bindings"].pop(), "D-053", "itemset_items"),
    "item": (put_in_items(itemset_item_id=5), "D-035", "category_bindings"),
    "element": (put_in_binding(element_name="狗"), "D-038", "element_bindings"),
    "element count": (put_in_binding(matched_element_count=9), "D-038", "element_bindings"),
    "element post": (put_in_binding(matched_post_ids=["p2"]), "D-053", "source_post_id"),
    "point type": (put_in_items(point_type="灵感点"), "D-035", "category_bindings"),
    "itemset": (put_itemset(1002), "D-034", "support"),
    "itemset of another scope": (put_itemset(1004), "D-033", "scope"),
    "itemset of another execution": (put_itemset(2001), "D-032", "584"),
    "itemset that is not there": (put_itemset(9), "D-031", "9"),
    "two itemsets": (put_in_pack(itemset_ids=[1001, 1002]), "D-053", "itemset_ids"),
    "mining config": (put_in_pack(mining_config_id=2083), "D-033", "mining_config_id"),
    "seed terms": (put_in_pack(seed_terms=["猫", "狗"]), "D-041", "狗"),
    "pack id of another row": (put_in_pack(demand_content_id=10_000), "D-064", "another row's id"),
    "pack without an id": (put_in_pack(demand_content_id=None), "D-064", "another row's id"),
    "certainty": (put_in_pack(source_certainty="claimed"), "D-053", "source_certainty"),
    "status": (put_in_pack(validation_status="failed"), "D-053", "validation_status"),
    "source system": (put_in_pack(pattern_source_system="mysql_topic"), "D-053", "pattern_source_system"),
    "a field too many": (put_in_pack(note="trust me"), "D-053", "note"),
    "a field too few": (lambda row: pack(row).pop("trace_id"), "D-053", "trace_id"),
    "name that is not covered": (put("name", "狗"), "D-041", "狗"),
    "name half covered": (put("name", "猫,狗"), "D-041", "狗"),
    "blank name": (put("name", " "), "D-053", "name"),
    "score": (put("score", 0.1), "D-021", "score is 0.1 in the row"),
    "score above 1": (put("score", 7.5), "D-053", "score"),
    "reason": (put("reason", "别的"), "D-052", "reason or suggestion"),
    "reason in ext_data": (put_in_ext(reason="别的"), "D-052", "reason or suggestion"),
    "suggestion": (put("suggestion", "别的"), "D-052", "reason or suggestion"),
    "business day": (put("dt", "2026060x"), "D-053", "dt"),
    "abandoned source": (put_in_ext(type="mysql_topic_pattern"), "D-053", "mysql_topic_pattern"),
}
"""How a row was altered after publishing; the rule it breaks then, and what the refusal names."""


def refused(intake: Intake) -> dict[int, tuple[str, str]]:
    return {refusal.demand_id: (refusal.rule_id, refusal.reason) for refusal in intake.refusals}


@pytest.mark.parametrize("how", TAMPERED)
def test_s002_a_row_that_was_altered_is_refused_and_the_others_are_taken_in(chain: SupplyChain, how: str) -> None:
    first, second = chain.publish(of_post("p1"), of_post("p2"))
    change, rule, named = TAMPERED[how]
    chain.alter_row(first, change)
    intake = chain.take_in()
    assert [task.demand_id for task in intake.tasks] == [second]
    assert list(refused(intake)) == [first]
    found_rule, reason = refused(intake)[first]
    assert (found_rule, named in reason) == (rule, True), (found_rule, reason)


@pytest.mark.real_server
def test_s002_every_altered_row_of_one_batch_is_refused_by_its_own_rule_on_mariadb(mariadb_chain: SupplyChain) -> None:
    chain = mariadb_chain
    good = chain.publish(of_post("p1"), PRICES)
    altered = {}
    for change, rule, _ in TAMPERED.values():
        row_id = chain.copy_row(good[0])
        chain.alter_row(row_id, put_in_pack(demand_content_id=row_id))
        chain.alter_row(row_id, change)
        altered[row_id] = rule
    intake = chain.take_in()
    assert [task.demand_id for task in intake.tasks] == good
    assert {row_id: rule for row_id, (rule, _) in refused(intake).items()} == altered


def test_s002_a_row_that_is_no_strict_json_is_refused_and_hides_no_other(chain: SupplyChain) -> None:
    first, second = chain.publish(of_post("p1"), of_post("p2"))
    chain.alter_row(first, put("ext_data", '{"evidence_pack": {"pattern_execution_id": 581}, "a": 1, "a": 2}'))
    intake = chain.take_in()
    assert [task.demand_id for task in intake.tasks] == [second]
    assert refused(intake)[first][0] == "D-053"
    assert "duplicate key 'a'" in refused(intake)[first][1]


def test_s002_a_pack_under_the_name_of_another_row_is_refused(any_chain: SupplyChain) -> None:
    [first] = any_chain.publish(of_post("p1"))
    second = any_chain.copy_row(first)
    intake = any_chain.take_in()
    assert [task.demand_id for task in intake.tasks] == [first]
    assert refused(intake)[second][0] == "D-064"


def test_s002_a_pack_of_another_execution_is_refused_where_it_claims_to_belong(chain: SupplyChain) -> None:
    [row_id] = chain.publish(of_post("p1"))
    chain.alter_row(row_id, put_in_pack(pattern_execution_id=584))
    assert chain.take_in().tasks == []
    intake = chain.take_in(584)
    assert (intake.tasks, refused(intake)[row_id][0]) == ([], "D-032")


@pytest.mark.parametrize(
    ("alteration", "rule"),
    [
        ("UPDATE pattern_mining_execution SET status = 'failed' WHERE id = 581", "D-030"),
        ("DELETE FROM pattern_itemset WHERE id = 1001", "D-031"),
        ("UPDATE pattern_itemset SET support = 0.25 WHERE id = 1001", "D-034"),
        ("UPDATE pattern_mining_category SET path = '/别处' WHERE id = 11", "D-035"),
        ("DELETE FROM pattern_itemset_post WHERE itemset_id = 1001 AND post_id = 'p3'", "D-036"),
        ("DELETE FROM pattern_mining_element WHERE post_id = 'p1' AND element_name = '猫'", "D-038"),
    ],
)
def test_s002_facts_that_changed_since_publishing_refuse_the_row(
    any_chain: SupplyChain, alteration: str, rule: str
) -> None:
    [row_id] = any_chain.publish(of_post("p1"))
    any_chain.facts.alter(alteration)
    intake = any_chain.take_in()
    assert (intake.tasks, refused(intake)[row_id][0]) == ([], rule)


def test_s002_facts_that_changed_for_one_row_leave_the_other(chain: SupplyChain) -> None:
    first, second = chain.publish(of_post("p1"), PRICES)
    chain.facts.alter("UPDATE pattern_mining_category SET path = '/别处' WHERE id = 11")
    intake = chain.take_in()
    assert ([task.demand_id for task in intake.tasks], list(refused(intake))) == ([second], [first])


def test_s002_weights_that_changed_refuse_the_score(chain: SupplyChain) -> None:
    [row_id] = chain.publish(of_post("p1"))
    chain.facts.alter("DELETE FROM pattern_mining_element WHERE post_id = 'p3' AND element_name = '猫'")
    assert refused(chain.take_in())[row_id][0] == "D-021"


def test_s002_a_row_refused_today_is_no_task_and_leaves_nothing(any_chain: SupplyChain) -> None:
    [row_id] = any_chain.publish(of_post("p1"))
    any_chain.alter_row(row_id, put("score", 0.1))
    any_chain.take_in()
    assert not any(any_chain.tables().values())


def test_s002_facts_that_cannot_be_read_take_nothing_in(any_chain: SupplyChain) -> None:
    any_chain.publish(of_post("p1"), PRICES)
    any_chain.facts.alter("DROP TABLE pattern_itemset_post")
    with pytest.raises(FactsUnreadable, match="pattern_itemset_post"):
        any_chain.take_in()
    assert not any(any_chain.tables().values())


def test_s002_a_refused_demand_stands_in_the_batch_with_its_rule(chain: SupplyChain) -> None:
    first, second = chain.publish(of_post("p1"), of_post("p2"))
    chain.alter_row(first, put("score", 0.1))
    intake = chain.take_in()
    frame = chain.read(lambda connection: demand_frame(connection, intake)).set_index("demand_id")
    assert frame.loc[first, ["state", "rule_id"]].tolist() == ["refused", "D-021"]
    assert frame.loc[second, ["state", "query", "itemset_id"]].tolist() == ["taken", "猫 治愈", 1001]


def test_s001_a_label_chooses_rows_of_its_own(chain: SupplyChain) -> None:
    [first] = chain.publish(of_post("p1"), label="monday")
    [second] = chain.publish(of_post("p1"), label="Monday")
    assert [task.demand_id for task in chain.take_in(run_label="monday").tasks] == [first]
    assert [task.demand_id for task in chain.take_in().tasks] == [first, second]
    assert chain.take_in(run_label="tuesday").tasks == []


def test_s001_an_execution_without_rows_is_an_empty_batch(chain: SupplyChain) -> None:
    assert chain.take_in(585) == Intake()


def snapshot_of(chain: SupplyChain, task: TaskRow) -> Any:
    rows = chain.read(lambda connection: read_snapshots(connection, [task.demand_snapshot_id]))
    return rows[task.demand_snapshot_id]


def test_s001_a_row_is_asked_for_by_its_name_and_widened_by_what_its_pack_binds(any_chain: SupplyChain) -> None:
    any_chain.publish(
        good_candidate(element_names=["治愈"], refs={"seed_terms": ["猫", " 猫 ", "治愈"], "case_ids": {}}),
        good_candidate(
            element_names=["布偶猫"],
            refs={"itemset_ids": [1002], "source_post_id": "p4", "case_ids": {}, "seed_terms": []},
        ),
    )
    first, second = (snapshot_of(any_chain, task) for task in any_chain.take_in(expected_count=7).tasks)
    assert (first.query, first.query_expansion) == ("治愈", ["猫", "🫠神兵𠮷", "猫咪", "情感"])
    assert (second.query, second.query_expansion) == ("布偶猫", ["治愈", "猫咪", "情感"])
    assert {first.expected_count, second.expected_count} == {7}
    assert (first.demand_code, second.demand_code) == ("581:1001", "581:1002")


def test_s001_a_category_whose_name_no_search_can_take_is_left_out_of_the_widening(chain: SupplyChain) -> None:
    chain.facts.alter(f"UPDATE pattern_mining_category SET name = '{'猫' * 256}' WHERE id = {CAT}")
    chain.publish(of_post("p1"))
    intake = chain.take_in()
    assert intake.refusals == []
    assert snapshot_of(chain, intake.tasks[0]).query_expansion == ["🫠神兵𠮷", "情感"]


def test_s001_a_name_that_holds_nothing_to_search_for_is_refused_and_the_others_are_taken_in(
    chain: SupplyChain,
) -> None:
    chain.facts.alter("UPDATE pattern_mining_element SET element_name = '🫠🫠' WHERE element_name = '🫠神兵𠮷'")
    first, second = chain.publish(good_candidate(element_names=["🫠🫠"], refs={"case_ids": {}}), of_post("p2"))
    intake = chain.take_in()
    assert [task.demand_id for task in intake.tasks] == [second]
    assert refused(intake)[first][0] == "S-001"
    assert "query" in refused(intake)[first][1]


def test_s006_the_evidence_is_inherited_by_snapshot_and_task(any_chain: SupplyChain) -> None:
    [row_id] = any_chain.publish(of_post("p1"))
    [task] = any_chain.take_in().tasks
    evidence = any_chain.task(task.task_id).ext["source_evidence"]
    assert snapshot_of(any_chain, task).source_payload["source_evidence"] == evidence
    assert evidence == {
        "origin": "demand_content",
        "demand_id": row_id,
        "demand_content_id": row_id,
        "pattern_execution_id": 581,
        "mining_config_id": 2081,
        "itemset_ids": [1001],
        "source_post_id": "p1",
        "categories": [
            {"id": CAT, "name": "猫咪", "path": "/动物/猫咪"},
            {"id": FEELING, "name": "情感", "path": "/情感"},
        ],
        "matched_post_ids": ["p1", "p2", "p3"],
        "pattern_trace_id": "trace-1",
    }


def test_s006_a_request_names_no_pattern_and_says_so(chain: SupplyChain) -> None:
    [task] = chain.ask(request()).tasks
    evidence = chain.task(task.task_id).ext["source_evidence"]
    assert (evidence["origin"], evidence["demand_id"], evidence["itemset_ids"]) == ("request", 7, [])
    assert evidence["demand_content_id"] is None


def test_s003_a_task_is_named_by_demand_query_platform_and_version(chain: SupplyChain) -> None:
    chain.publish(of_post("p1"))
    [task] = chain.take_in(ids=CountingIds("id")).tasks
    assert (task.task_id, task.trace_id) == ("id-1", "id-2")
    demand, query_hash, platform, version = str(task.idempotency_key).split(":")
    assert (demand, platform, version, len(query_hash)) == (str(task.demand_id), "weixin", "v1", 32)
    assert task.ext["batch"] == "581"


@pytest.mark.parametrize("query", ["猫 治愈", "猫，治愈", " 猫　治愈!", "猫\u200b 治愈"])
def test_s003_the_same_query_in_another_dress_is_the_same_in_the_key(chain: SupplyChain, query: str) -> None:
    [task] = chain.ask(request(query=query)).tasks
    [plain] = ask(chain.supply, request(query="猫治愈", demand_id=8)).tasks
    assert str(task.idempotency_key).split(":")[1] == str(plain.idempotency_key).split(":")[1]


def test_s003_the_same_again_is_the_same_task(any_chain: SupplyChain) -> None:
    any_chain.publish(of_post("p1"), PRICES)
    first, again = any_chain.take_in(), any_chain.take_in()
    assert (first.new, again.new) == (2, 0)
    assert [task.task_id for task in first.tasks] == [task.task_id for task in again.tasks]
    assert len(any_chain.tables()["supply_demand_snapshot"]) == 2


def test_s003_the_same_request_again_is_the_same_task(any_chain: SupplyChain) -> None:
    constraints = {"min_view_count": 3, "banned_words": ["广告"]}
    profile = {"age": 60.5, "tags": ["🫠"]}
    whole = request(query_expansion=["猫咪"], audience_profile=profile, quality_constraints=constraints)
    first, again = any_chain.ask(whole), any_chain.ask(whole)
    assert (first.new, again.new, again.tasks[0].task_id) == (1, 0, first.tasks[0].task_id)


@pytest.mark.parametrize(
    "change",
    [
        {"query": "猫"},
        {"expected_count": 4},
        {"query_expansion": ["猫咪"]},
        {"audience_profile": {"age": 60}},
        {"quality_constraints": {"banned_words": ["广告"]}},
    ],
    ids=lambda change: next(iter(change)),
)
def test_s003_what_changed_is_a_new_version_and_a_new_task(any_chain: SupplyChain, change: dict[str, Any]) -> None:
    [first] = any_chain.ask(request()).tasks
    [second] = any_chain.ask(request(**change)).tasks
    assert [snapshot_of(any_chain, task).version for task in (first, second)] == [1, 2]
    assert first.task_id != second.task_id
    assert any_chain.ask(request(**change)).new == 0


def end_all_tasks(chain: SupplyChain) -> None:
    """As if every task had been carried to its plan."""
    chain.supply.write(lambda connection: connection.execute(text("UPDATE supply_task SET status = 'COMPLETED'")))


def test_s003_force_makes_a_new_version_and_a_new_task(any_chain: SupplyChain) -> None:
    any_chain.publish(of_post("p1"))
    first = any_chain.take_in()
    assert any_chain.take_in(force=True).new == 0, "the first is open"
    end_all_tasks(any_chain)
    forced = any_chain.take_in(force=True)
    assert forced.new == 1
    assert [snapshot_of(any_chain, intake.tasks[0]).version for intake in (first, forced)] == [1, 2]
    assert any_chain.take_in().tasks[0].task_id == forced.tasks[0].task_id


def test_s003_evidence_that_changed_together_with_the_facts_is_a_new_version(chain: SupplyChain) -> None:
    [row_id] = chain.publish(of_post("p1"))
    [first] = chain.take_in().tasks
    chain.facts.alter("UPDATE pattern_itemset SET support = 0.25 WHERE id = 1001")
    chain.alter_row(row_id, put_in_pack(support=0.25))
    [second] = chain.take_in().tasks
    assert [snapshot_of(chain, task).version for task in (first, second)] == [1, 2]


def test_s003_a_republished_demand_is_a_demand_of_its_own(chain: SupplyChain) -> None:
    chain.publish(of_post("p1"))
    before = chain.take_in().tasks
    chain.publish(of_post("p1"), label="next week")
    after = chain.take_in()
    assert (after.new, len(after.tasks)) == (1, 2)
    assert after.tasks[0].task_id == before[0].task_id


def at_once(work: Callable[[], Intake], workers: int = WORKERS) -> list[Intake]:
    """The same intake by several workers that start together."""
    start = threading.Barrier(workers)

    def one(_: int) -> Intake:
        start.wait()
        return work()

    with ThreadPoolExecutor(workers) as pool:
        return list(pool.map(one, range(workers)))


def test_s003_intakes_at_once_make_one_task_a_demand(any_chain: SupplyChain) -> None:
    any_chain.publish(of_post("p1"), of_post("p2"), PRICES)
    intakes = at_once(any_chain.take_in)
    assert sum(intake.new for intake in intakes) == 3
    assert {tuple(task.task_id for task in intake.tasks) for intake in intakes} == {
        tuple(task.task_id for task in intakes[0].tasks)
    }
    tables = any_chain.tables()
    assert (len(tables["supply_task"]), len(tables["supply_demand_snapshot"])) == (3, 3)


def test_s003_requests_at_once_by_workers_with_stores_of_their_own_make_one_task(any_chain: SupplyChain) -> None:
    def work() -> Intake:
        store = SupplyStore(any_chain.supply.engine.url)
        try:
            return ask(store, *(request(demand_id=number) for number in range(1, 9)))
        finally:
            store.close()

    intakes = at_once(work)
    assert sum(intake.new for intake in intakes) == 8
    assert len({task.task_id for intake in intakes for task in intake.tasks}) == 8


def test_s003_two_forced_at_once_are_one_version_more(any_chain: SupplyChain) -> None:
    any_chain.ask(request())
    end_all_tasks(any_chain)
    intakes = at_once(lambda: any_chain.ask(request(), force=True), workers=2)
    assert [snapshot_of(any_chain, intake.tasks[0]).version for intake in intakes] == [2, 2]
    assert sum(intake.new for intake in intakes) == 1
