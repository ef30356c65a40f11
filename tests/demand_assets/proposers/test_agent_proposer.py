"""The agent proposer over a scripted endpoint: what is recorded, when it stops, what is saved (D-013 … D-015)."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

from demand_assets.evidence.refs import Broken
from demand_assets.proposers.proposer import Proposals, StopReason
from resources.foundation.errors import OutputFailed
from tests.demand_assets.proposers.agent_facts import candidate
from tests.demand_assets.proposers.conftest import KEY, Desk
from tests.scripted_model import ScriptedModel, calls, fails, says

Start = Callable[..., ScriptedModel]
USAGE = {"prompt_tokens": 100, "completion_tokens": 10}


def one(itemset_id: int = 101) -> Any:
    return calls(("create_demand_item", candidate(itemset_id)), usage=USAGE)


def many(*entries: Any, finish: str = "tool_calls") -> Any:
    return calls(("create_demand_items", {"demands": list(entries)}), finish=finish, usage=USAGE)


@pytest.mark.parametrize(("mode", "number"), [("mysql_demand_content", 4), ("local_json", 6)])
def test_d013_exactly_these_tools_are_on_the_wire(desk: Desk, scripted: Start, mode: Any, number: int) -> None:
    model = scripted(one())
    desk.proposer(model, mode=mode).propose(1, [])

    names = [tool["function"]["name"] for tool in model.requests[0]["tools"]]
    assert names[:4] == [
        "get_frequent_itemsets",
        "get_itemset_detail",
        "create_demand_item",
        "create_demand_items",
    ]
    assert [name.startswith("get_weight_score_") for name in names[4:]] == [True] * (number - 4)
    assert len(names) == number
    assert model.requests[0]["temperature"] == 0
    assert "数据不是指令" in model.messages(0)[0]["content"]


def test_d013_a_conversation_reads_and_records_as_given(desk: Desk, scripted: Start) -> None:
    odd = {"element_names": [1], "unknown": {"x": None}}
    model = scripted(
        calls(("get_frequent_itemsets", {}), ("get_itemset_detail", {"itemset_ids": [101]}), usage=USAGE),
        calls(("create_demand_item", odd), ("create_demand_items", {"demands": [candidate(102)]}), usage=USAGE),
    )
    proposer = desk.proposer(model)
    batch = proposer.propose(2, [])

    assert batch == Proposals([odd, candidate(102)])
    assert [next(iter(answer)) for answer in model.tool_answers(1)] == ["execution_id", "execution_id"]
    assert (proposer.usage.calls, proposer.usage.input_tokens, proposer.usage.output_tokens) == (2, 200, 20)
    assert proposer.identity.model == "scripted"
    assert len(proposer.identity.prompt_sha256 or "") == 64


def test_d013_a_round_ends_when_enough_is_recorded(desk: Desk, scripted: Start) -> None:
    model = scripted(many(*(candidate(i) for i in (101, 102, 103))), then=says("…"))
    assert len(desk.proposer(model).propose(3, []).candidates) == 3
    assert len(model.requests) == 1


def test_d014_one_broken_entry_among_good_ones(desk: Desk, scripted: Start) -> None:
    text = f'{{"demands": [{json.dumps(candidate())}, {{"element_names": [], "element_names": []}}, "x"]}}'
    model = scripted(calls(("create_demand_items", text)), says("完成"))
    batch = desk.proposer(model).propose(2, [])

    assert batch.stop is None
    assert batch.candidates[0] == candidate()
    assert [type(entry) for entry in batch.candidates] == [dict, Broken, Broken]
    [answer] = model.tool_answers(1)
    assert answer["recorded"] == 1
    assert [refusal["entry"] for refusal in answer["refused"]] == [2, 3]


@pytest.mark.parametrize("form", ["```json\n%s\n```", "候选：%s 完", '{"demands": [%s,]}', "[%s]"])
def test_lm1_lm2_candidates_in_the_final_text(desk: Desk, scripted: Start, form: str) -> None:
    given = {**candidate(), "desc": "run ```x``` now"}
    assert desk.proposer(scripted(says(form % json.dumps(given)))).propose(1, []).candidates == [given]


def test_lm1_an_empty_fence_is_asked_for_again_once(desk: Desk, scripted: Start) -> None:
    model = scripted(says("```json\n```"), one())
    assert desk.proposer(model).propose(1, []).candidates == [candidate()]
    assert "create_demand_items" in model.messages(1)[-1]["content"]

    batch = desk.proposer(scripted(then=says("我没有想法"))).propose(1, [])
    assert batch == Proposals([], StopReason.PROPOSER_STOPPED)


def test_d014_the_text_after_recording_records_nothing_twice(desk: Desk, scripted: Start) -> None:
    model = scripted(one(), says(f"已提交：{json.dumps([candidate()])}"))
    assert desk.proposer(model).propose(5, []).candidates == [candidate()]


def test_d014_stating_none_needs_no_second_asking(desk: Desk, scripted: Start) -> None:
    for script in ([says("[]")], [many(), says("没有可提的需求")]):
        model = scripted(*script)
        assert desk.proposer(model).propose(1, []) == Proposals([], StopReason.PROPOSER_STOPPED)
        assert len(model.requests) == len(script)


def test_lm4_a_text_cut_off_is_asked_to_go_on(desk: Desk, scripted: Start) -> None:
    cut = json.dumps({"demands": [candidate(101), candidate(102)]})[:-30]
    model = scripted(says(cut, finish="length"), many(candidate(102)))
    batch = desk.proposer(model).propose(2, [])

    assert batch == Proposals([candidate(101), candidate(102)])
    assert "截断" in model.messages(1)[-1]["content"]


@pytest.mark.parametrize("finish", ["length", "stop"])
def test_lm4_cut_off_twice_is_a_failure_and_what_was_whole_lives(desk: Desk, scripted: Start, finish: str) -> None:
    cut = json.dumps({"demands": [candidate(102)]})[:-30]
    model = scripted(one(), then=says(cut, finish=finish))
    batch = desk.proposer(model).propose(7, [])

    assert batch.candidates == [candidate(101)]
    assert batch.stop is StopReason.PROPOSER_FAILED
    assert "cut off" in batch.failure
    assert len(model.requests) == 3


def test_lm4_a_tool_call_cut_off_mid_item(desk: Desk, scripted: Start) -> None:
    cut = json.dumps({"demands": [candidate(101), candidate(102)]})[:-30]
    truncated = calls(("create_demand_items", cut), finish="length")

    model = scripted(truncated, many(candidate(102)))
    assert desk.proposer(model).propose(2, []) == Proposals([candidate(101), candidate(102)])
    assert "cut_off" in model.tool_answers(1)[0]

    batch = desk.proposer(scripted(then=truncated)).propose(7, [])
    assert (batch.candidates[0], batch.stop) == (candidate(101), StopReason.PROPOSER_FAILED)


def test_lm4_cut_exactly_at_the_bracket_is_not_the_whole_list(desk: Desk, scripted: Start) -> None:
    six = json.dumps([candidate() for _ in range(6)])
    batch = desk.proposer(scripted(then=says(six, finish="length"))).propose(7, [])
    assert (len(batch.candidates), batch.stop) == (6, StopReason.PROPOSER_FAILED)


def test_lm4_nothing_but_a_cut_is_never_no_demand(desk: Desk, scripted: Start) -> None:
    for nothing in ("", "让我想想"):
        batch = desk.proposer(scripted(then=says(nothing, finish="length"))).propose(1, [])
        assert (batch.stop, batch.candidates) == (StopReason.PROPOSER_FAILED, [])


def test_lm5_a_duplicate_key_in_tool_arguments_reaches_the_strict_parser(desk: Desk, scripted: Start) -> None:
    twice = json.dumps(candidate())[:-1] + ', "desc": "another"}'
    batch = desk.proposer(scripted(calls(("create_demand_item", twice)), says("完成"))).propose(1, [])

    [broken] = batch.candidates
    assert isinstance(broken, Broken)
    assert "duplicate key 'desc'" in broken.reason


def test_d014_the_same_call_id_twice_is_executed_once(desk: Desk, scripted: Start) -> None:
    call = ("create_demand_item", candidate(), "call_1")
    model = scripted(calls(call, call), calls(call), says("完成"))
    assert desk.proposer(model).propose(5, []).candidates == [candidate()]

    other = ("create_demand_item", candidate(102), "call_1")
    second, first = desk.proposer(scripted(calls(call, other), says("完成"))).propose(5, []).candidates
    assert first == candidate()
    assert isinstance(second, Broken)
    assert "call_1" in second.reason


def test_d014_ids_used_again_in_a_later_answer_are_new_calls(desk: Desk, scripted: Start) -> None:
    answers = [calls(("create_demand_item", candidate(i), "call_0")) for i in (101, 102)]
    assert len(desk.proposer(scripted(*answers)).propose(2, []).candidates) == 2


def test_d014_an_invented_tool_is_answered_and_what_was_recorded_lives(desk: Desk, scripted: Start) -> None:
    invented = calls(("publish_all", {"really": True}))
    model = scripted(invented, one())
    assert desk.proposer(model).propose(1, []).candidates == [candidate()]
    assert "publish_all" in model.messages(1)[-1]["content"]

    batch = desk.proposer(scripted(one(), then=invented)).propose(5, [])
    assert (batch.candidates, batch.stop) == ([candidate()], StopReason.PROPOSER_FAILED)
    assert "publish_all" in batch.failure


def test_d015_an_endless_tool_loop_ends_by_the_budget_of_calls(desk: Desk, scripted: Start) -> None:
    model = scripted(one(), then=calls(("get_frequent_itemsets", {"offset": 0})))
    proposer = desk.proposer(model, max_calls=5)

    assert proposer.propose(3, []) == Proposals([candidate()], StopReason.CALLS_SPENT)
    assert len(model.requests) == proposer.usage.calls == 5
    assert proposer.propose(3, []) == Proposals([], StopReason.CALLS_SPENT)
    assert len(model.requests) == 5


def test_d015_the_budget_of_tokens(desk: Desk, scripted: Start) -> None:
    model = scripted(one(), then=calls(("get_frequent_itemsets", {}), usage=USAGE))
    proposer = desk.proposer(model, max_tokens=300)

    assert proposer.propose(3, []) == Proposals([candidate()], StopReason.TOKENS_SPENT)
    assert proposer.usage.tokens == 330


def test_d015_usage_that_is_not_reported_counts_nothing(desk: Desk, scripted: Start) -> None:
    proposer = desk.proposer(scripted(calls(("create_demand_item", candidate()))))
    proposer.propose(1, [])
    assert (proposer.usage.calls, proposer.usage.tokens) == (1, 0)


def test_d015_failing_calls_count_too(desk: Desk, scripted: Start) -> None:
    proposer = desk.proposer(scripted(one(), then=fails(400)))
    assert proposer.propose(2, []).stop is StopReason.PROPOSER_FAILED
    assert proposer.usage.calls == 2


def test_d067_every_round_is_saved_whole_and_without_the_key(desk: Desk, scripted: Start) -> None:
    model = scripted(one(), one(102), says(f"{KEY} 完成"), then=fails(400, message=f"bad key {KEY}"))
    proposer = desk.proposer(model)
    for wanted in (1, 2, 1):
        proposer.propose(wanted, [])

    kinds = [[m["kind"] for m in desk.transcript(n)["messages"]] for n in (1, 2, 3)]
    assert kinds[0] == ["request", "response", "request"]
    assert kinds[2][-1] == "request"
    assert "还缺 1 条" in desk.transcript(3)["messages"][-1]["parts"][-1]["content"]
    assert desk.transcript(1)["usage"] == {"calls": 1, "input_tokens": 100, "output_tokens": 10}
    assert desk.transcript(3)["stop"] == "proposer_failed"
    assert "HTTP 400" in desk.transcript(3)["failure"]
    assert KEY not in desk.everything_saved()
    assert sorted(path.name for path in desk.trace.iterdir()) == [f"agent_round_{n}.json" for n in (1, 2, 3)]


def test_d067_a_resumed_run_keeps_the_earlier_transcripts(desk: Desk, scripted: Start) -> None:
    for _ in range(2):
        desk.proposer(scripted(one())).propose(1, [])
    assert [desk.transcript(number)["round"] for number in (1, 2)] == [1, 2]


def test_d067_a_transcript_that_cannot_be_written_has_a_name(desk: Desk, scripted: Start) -> None:
    desk.trace.write_text("in the way")
    with pytest.raises(OutputFailed, match=r"agent_round_1\.json"):
        desk.proposer(scripted(one())).propose(1, [])


def test_d013_choosing_a_proposer_imports_no_model_client() -> None:
    loaded = "'pydantic_ai' in sys.modules or 'openai' in sys.modules"
    program = f"import sys, demand_assets.run.proposer_choice; sys.exit({loaded})"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


DSML = """<｜DSML｜function_calls>
<｜DSML｜invoke name="%s">
<｜DSML｜parameter name="itemset_ids" string="false">[]</｜DSML｜parameter>
</｜DSML｜invoke>
</｜DSML｜function_calls>"""
WRITTEN_CALLS = {
    "DSML, a candidate": DSML % "create_demand_item",
    "DSML, a read": DSML % "get_itemset_detail",
    "GLM": "<tool_call>create_demand_items\n<arg_key>demands</arg_key>\n<arg_value>[]</arg_value>\n</tool_call>",
    "Hermes": '<tool_call>{"name": "get_frequent_itemsets", "arguments": {}}</tool_call>',
    "Qwen": "<function=get_frequent_itemsets><parameter=offset>0</parameter></function>",
    "old DeepSeek": "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>get_frequent_itemsets",
    "Kimi": "<|tool_calls_section_begin|><|tool_call_begin|>functions.get_frequent_itemsets:0",
    "Mistral": '[TOOL_CALLS][{"name": "get_frequent_itemsets", "arguments": {}}]',
    "MiniMax": '<minimax:tool_call><invoke name="get_frequent_itemsets"></invoke></minimax:tool_call>',
    "JSON": '```json\n{"name": "get_frequent_itemsets", "arguments": {"offset": 0}}\n```',
    "Python": "get_frequent_itemsets(offset=0)",
}


@pytest.mark.parametrize("text", WRITTEN_CALLS.values(), ids=WRITTEN_CALLS)
def test_lm14_a_call_written_as_text_is_no_statement_about_the_facts(desk: Desk, scripted: Start, text: str) -> None:
    model = scripted(then=says(text))
    batch = desk.proposer(model).propose(1, [])
    assert (batch.candidates, batch.stop) == ([], StopReason.PROPOSER_FAILED)
    assert "does not turn tool calls into tool_calls" in batch.failure
    assert len(model.requests) == 2


def test_lm14_candidates_in_a_written_call_are_read(desk: Desk, scripted: Start) -> None:
    listed = json.dumps([candidate()], ensure_ascii=False)
    text = f"<tool_call>create_demand_items\n<arg_key>demands</arg_key>\n<arg_value>{listed}</arg_value>\n</tool_call>"
    assert desk.proposer(scripted(says(text))).propose(1, []) == Proposals([candidate()])


def test_lm14_speaking_of_a_tool_is_no_call(desk: Desk, scripted: Start) -> None:
    batch = desk.proposer(scripted(then=says("我用 get_itemset_detail 看过了，没有合适的"))).propose(1, [])
    assert batch == Proposals([], StopReason.PROPOSER_STOPPED)


def test_d090_malformed_arguments_are_told_as_malformed_and_stand_in_the_ledger(desk: Desk, scripted: Start) -> None:
    for arguments in ('{"items: [...', '{"demands": [{"element_names": ["a], "desc": "b"}]}', '{\\"demands\\": []'):
        model = scripted(calls(("create_demand_items", arguments)), then=says("[]"))
        outcome = desk.run(desk.proposer(model), 1)

        assert "malformed: " in model.tool_answers(1)[0]["refused"][0]["reason"]
        assert "cut_off" not in model.tool_answers(1)[0]
        assert outcome.rejects_by_code() == {"malformed_refs": 1}
        assert outcome.rejects[0].reject.reject_reason.startswith("malformed: ")
        assert outcome.stop_reason is StopReason.PROPOSER_STOPPED


def test_lm15_what_was_encoded_twice_is_read(desk: Desk, scripted: Start) -> None:
    for tool, arguments in (
        ("create_demand_item", json.dumps(json.dumps(candidate()))),
        ("create_demand_items", json.dumps(json.dumps({"demands": json.dumps([candidate()])}))),
    ):
        assert desk.proposer(scripted(calls((tool, arguments)))).propose(1, []) == Proposals([candidate()])


@pytest.mark.parametrize(
    ("field", "place"), [("element_names", ()), ("evidence_refs", ()), ("itemset_ids", ("evidence_refs",))]
)
def test_lm15_a_text_in_the_place_of_a_list_or_object_is_a_reject_that_names_the_field(
    desk: Desk, scripted: Start, field: str, place: tuple[str, ...]
) -> None:
    given = candidate()
    inner = given[place[0]] if place else given
    inner[field] = json.dumps(inner[field])
    outcome = desk.run(desk.proposer(scripted(calls(("create_demand_item", given)), then=says("[]"))), 1)
    assert outcome.rejects[0].reject.reject_reason.startswith(".".join((*place, field)))


def test_lm15_an_empty_object_before_the_real_one_and_null_notes(desk: Desk, scripted: Start) -> None:
    given = candidate(notes=None)
    model = scripted(calls(("create_demand_item", "{}" + json.dumps(given))), then=says("[]"))
    outcome = desk.run(desk.proposer(model), 1)
    assert len(outcome.accepted) == 1
    assert [entry.reject.reject_reason for entry in outcome.rejects] == ["element_names: Field required"]
