"""The agent through the decision loop: lies are rejected, corrections go back, rounds and budgets end (D-043a)."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from demand_assets.evidence.codes import RejectCode
from demand_assets.proposers.proposer import StopReason
from resources.databases.pattern_facts.engine import FactsDatabase
from resources.foundation.errors import FactsUnreadable
from tests.demand_assets.proposers.agent_facts import INJECTION, OTHER_ITEMSET, candidate, posts_of
from tests.demand_assets.proposers.conftest import Desk
from tests.scripted_model import Scripted, ScriptedModel, calls, fails, says

Start = Callable[..., ScriptedModel]


def one(given: object) -> Scripted:
    return calls(("create_demand_item", given), usage={"prompt_tokens": 10, "completion_tokens": 1})


def test_d015_accepted_demands_come_out(desk: Desk, scripted: Start) -> None:
    model = scripted(one(candidate(101)), one(candidate(102)))
    outcome = desk.run(desk.proposer(model), 2)

    assert outcome.stop_reason is StopReason.COUNT_REACHED
    assert [demand.pack.itemset_ids for demand in outcome.accepted] == [[101], [102]]
    assert outcome.usage.calls == 2
    assert outcome.identity.proposer == "agent"


@pytest.mark.parametrize(
    ("given", "code"),
    [
        (candidate(itemset_ids=[OTHER_ITEMSET]), RejectCode.ITEMSET_OTHER_EXECUTION),
        (candidate(itemset_ids=[424242]), RejectCode.ITEMSET_NOT_FOUND),
        (candidate(source_post_id="p105_1"), RejectCode.SOURCE_POST_NOT_MATCHED),
        (candidate(seed_terms=["月饼"]), RejectCode.SEED_TERMS_NOT_COVERED),
        (candidate(category_ids=[20]), RejectCode.CATEGORY_NOT_IN_ITEMSET),
        (candidate(itemset_ids=[True]), RejectCode.MALFORMED_REFS),
        (candidate(itemset_ids=["ITEMSET-101"]), RejectCode.MALFORMED_REFS),
        (candidate(itemset_ids=[101.0]), RejectCode.MALFORMED_REFS),
        (candidate(itemset_ids=[" 101"]), RejectCode.MALFORMED_REFS),
    ],
)
def test_lm6_lm7_a_candidate_that_lies_is_rejected(
    desk: Desk, scripted: Start, given: object, code: RejectCode
) -> None:
    outcome = desk.run(desk.proposer(scripted(one(given), then=says("[]"))), 1)

    assert outcome.accepted == []
    assert [entry.reject.reject_code for entry in outcome.rejects] == [code]
    assert outcome.stop_reason is StopReason.PROPOSER_STOPPED


def test_lm6_digit_strings_are_ids(desk: Desk, scripted: Start) -> None:
    outcome = desk.run(desk.proposer(scripted(one(candidate(itemset_ids=["101"], category_ids=["010"])))), 1)
    assert outcome.accepted[0].pack.itemset_ids == [101]


def test_lm7_claims_beside_the_candidate_fields_go_nowhere(desk: Desk, scripted: Start) -> None:
    given = candidate(support=0.99, matched_post_ids=["x"], validation_status="passed")
    outcome = desk.run(desk.proposer(scripted(one({**given, "score": 1, "status": "accepted"}))), 1)

    pack = outcome.accepted[0].pack
    assert pack.support == 0.6
    assert pack.matched_post_ids == posts_of(101)
    assert "0.99" not in pack.model_dump_json()


def test_lm9_an_obeyed_injection_changes_nothing(desk: Desk, scripted: Start) -> None:
    lie = {
        **candidate(104, source_post_id="p101_1", case_ids={}),
        "validation_status": "passed",
        "desc": "accepted",
    }
    model = scripted(
        calls(("get_itemset_detail", {"itemset_ids": [104]})),
        calls(("create_demand_item", lie)),
        then=says(f"{INJECTION}：accepted"),
    )
    outcome = desk.run(desk.proposer(model), 1)

    assert outcome.accepted == []
    assert outcome.rejects_by_code() == {"source_post_not_matched": 1}
    tool_message = next(m for m in model.messages(1) if m["role"] == "tool")
    assert json.loads(tool_message["content"])["itemsets"][0]["items"][1]["element_name"] == INJECTION
    assert "只是数据" in model.messages(1)[0]["content"]


def test_d043a_corrections_go_back_and_are_used(desk: Desk, scripted: Start) -> None:
    model = scripted(one(candidate(source_post_id="p101_9", case_ids={})), one(candidate()))
    outcome = desk.run(desk.proposer(model), 1)

    assert outcome.stop_reason is StopReason.COUNT_REACHED
    said = model.messages(1)[-1]["content"]
    assert model.messages(1)[-1]["role"] == "user"
    correction = json.loads(said[said.index("{") :])["rejected"][0]["corrections"][0]
    assert correction["code"] == "source_post_not_matched"
    assert correction["offending"] == "p101_9"
    assert correction["nearest"] in posts_of(101)


def test_d043a_at_most_three_rounds_of_corrections(desk: Desk, scripted: Start) -> None:
    model = scripted(then=one(candidate(itemset_ids=[424242])))
    outcome = desk.run(desk.proposer(model), 1)

    assert outcome.stop_reason is StopReason.ROUNDS_SPENT
    assert len(model.requests) == 4
    assert len(outcome.rejects) == 4


def test_d043a_rounds_without_rejects_are_no_corrections(desk: Desk, scripted: Start) -> None:
    model = scripted(*(step for i in range(101, 106) for step in (one(candidate(i)), says("完成"))))
    outcome = desk.run(desk.proposer(model), 5)
    assert outcome.stop_reason is StopReason.COUNT_REACHED
    assert len(outcome.accepted) == 5


def test_d015_budgets_end_the_run_with_what_was_accepted(desk: Desk, scripted: Start) -> None:
    then = calls(("get_frequent_itemsets", {}), usage={"prompt_tokens": 100, "completion_tokens": 0})
    for limit, reason in (
        ({"max_calls": 4}, StopReason.CALLS_SPENT),
        ({"max_tokens": 150}, StopReason.TOKENS_SPENT),
    ):
        outcome = desk.run(desk.proposer(scripted(one(candidate()), then=then), **limit), 2)
        assert (len(outcome.accepted), outcome.stop_reason) == (1, reason)


def test_d014_a_failing_endpoint_ends_the_run_with_what_was_accepted(desk: Desk, scripted: Start) -> None:
    outcome = desk.run(desk.proposer(scripted(one(candidate()), then=fails(500))), 2)
    assert (len(outcome.accepted), outcome.stop_reason) == (1, StopReason.PROPOSER_FAILED)
    assert "HTTP 500" in outcome.failure


def test_d014_every_reject_among_good_ones_has_its_reason(desk: Desk, scripted: Start) -> None:
    text = f'{{"demands": [{json.dumps(candidate(101))}, {{"a": 1, "a": 2}}, 12, {json.dumps(candidate(102))}]}}'
    model = scripted(calls(("create_demand_items", text)), then=says("[]"))
    outcome = desk.run(desk.proposer(model), 4)

    assert len(outcome.accepted) == 2
    reasons = [entry.reject.reject_reason for entry in outcome.rejects]
    assert reasons == ["duplicate key 'a'", "not a JSON object"]


def test_d042_unreadable_facts_are_neither_a_model_failure_nor_no_demand(
    desk: Desk, scripted: Start, facts: FactsDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    def gone(*_: object) -> None:
        raise FactsUnreadable("the facts database is gone")

    proposer = desk.proposer(scripted(then=calls(("get_frequent_itemsets", {}))))
    monkeypatch.setattr("demand_assets.proposers.agent.tools.list_topic_itemsets", gone)
    with pytest.raises(FactsUnreadable):
        proposer.propose(1, [])
