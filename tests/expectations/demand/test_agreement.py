"""Packs that agree by digests are one row; every other pack is judged by rules over rows read afresh (D-071, D-072)."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import event

from demand_assets.evidence.closure import Accepted, Provenance, decide
from expectations.demand.frames import AGREED, ELEMENTS, ITEMS, PACKS, evidence_frames
from expectations.demand.pack_records import PackRecord
from expectations.demand.suites import EVIDENCE_SUITES
from expectations.engine.asset_checks import to_check_result
from expectations.engine.validation import SuiteResult, Verdict, merge, run_suites
from tests.small_facts import FactWorld, good_candidate

Pack = dict[str, Any]
ANSWERED_FOR = Path(__file__).with_name("answered_for.txt")
LISTS = ("matched_post_ids", "category_bindings", "element_bindings", "itemset_items", "case_ids")


def packs_of(world: FactWorld, *candidates: Any) -> list[Pack]:
    with world.open() as facts, facts.snapshot() as snapshot:
        decisions = decide(snapshot, 581, candidates, Provenance("trace"))
    assert all(isinstance(decision, Accepted) for decision in decisions)
    return [decision.pack.model_dump(mode="json") for decision in decisions if isinstance(decision, Accepted)]


@pytest.fixture
def pack(world: FactWorld) -> Pack:
    return packs_of(world, good_candidate())[0]


def frames_of(world: FactWorld, *packs: Pack) -> dict[str, Any]:
    records = [PackRecord.of(f"seq {n}", "猫,治愈", json.dumps(pack)) for n, pack in enumerate(packs)]
    with world.open() as facts, facts.snapshot() as snapshot:
        return evidence_frames(snapshot, 581, records)


def judged(frames: dict[str, Any]) -> dict[str, SuiteResult]:
    results = iter(run_suites([suite for group in EVIDENCE_SUITES.values() for suite in group], frames))
    return {name: merge(group, [next(results) for _ in group]) for name, group in EVIDENCE_SUITES.items()}


def test_d072_a_pack_that_closes_shows_the_digests_of_both_sides(world: FactWorld, pack: Pack):
    frames = frames_of(world, pack)
    assert set(frames) == {AGREED}
    ((_, claimed, fact),) = frames[AGREED].itertuples(index=False)
    assert claimed == fact
    assert [part.split(":")[0] for part in claimed.split()] == ["3", "2", "4"]
    results = judged(frames)
    assert {result.verdict for result in results.values()} == {Verdict.PASSED}
    for name, group in EVIDENCE_SUITES.items():
        shown = {(rule.rule_id, rule.says): rule for rule in results[name].rules}
        for rule in (rule for suite in group[:-1] for rule in suite.rules):
            assert shown[rule.rule_id, rule.says].rows == 1, "each rule is shown, with the packs that it holds for"


@pytest.mark.parametrize(
    ("suite", "rule", "alter"),
    [
        ("post_closure", "D-036", lambda p: p["matched_post_ids"].__setitem__(1, "p9")),
        ("post_closure", "D-036", lambda p: p["matched_post_ids"].reverse()),
        ("post_closure", "D-051", lambda p: p["case_ids"].pop()),
        ("post_closure", "D-037", lambda p: p.update(source_post_id="p9")),
        ("itemset_closure", "D-033", lambda p: p.update(mining_config_id=2111)),
        ("itemset_closure", "D-034", lambda p: p.update(support=0.4)),
        ("itemset_closure", "D-035", lambda p: p["category_bindings"].pop()),
        ("itemset_closure", "D-050", lambda p: p["itemset_items"][0].update(category_id=11.0)),
        ("category_tree_closure", "D-035", lambda p: p["category_bindings"][0].update(category_path="/动物/猫 咪")),
        ("category_tree_closure", "D-050", lambda p: p["category_bindings"][1].update(dimension=None)),
        ("element_closure", "D-038", lambda p: p["element_bindings"][0].update(matched_element_count=2)),
        ("element_closure", "D-038", lambda p: p["element_bindings"][1].update(element_name="治 愈")),
        ("element_closure", "D-038", lambda p: p["element_bindings"].pop()),
        ("evidence_truth", "D-041", lambda p: p.update(seed_terms=["狗"])),
        ("evidence_truth", "D-050", lambda p: p.update(trace_id=None)),
        ("pg_only", "D-052", lambda p: p.update(trace_id="topic_pattern_1")),
    ],
)
def test_d072_a_broken_rule_is_named_with_its_sample_beside_packs_that_agree(
    world: FactWorld, pack: Pack, suite: str, rule: str, alter: Callable[[Pack], object]
):
    altered = copy.deepcopy(pack)
    alter(altered)
    frames = frames_of(world, pack, altered, pack)
    assert len(frames[AGREED]) == 2
    assert list(frames[PACKS]["key"]) == ["seq 1"]
    broken = {r.rule_id: r for r in judged(frames)[suite].rules if r.verdict is Verdict.BROKEN}
    assert broken[rule].failing == 1
    assert broken[rule].rows > 2, "the packs that agree were judged too"
    assert [row["key"] for row in broken[rule].sample] == ["seq 1"]
    assert not to_check_result("validated_demands", judged(frames)[suite]).passed


@pytest.mark.parametrize(
    ("suite", "statement"),
    [
        ("evidence_truth", "UPDATE pattern_mining_execution SET status = 'failed' WHERE id = 581"),
        ("itemset_closure", "UPDATE pattern_itemset SET support = 0.4 WHERE id = 1001"),
        ("itemset_closure", "UPDATE pattern_itemset SET absolute_support = 4 WHERE id = 1001"),
        ("itemset_closure", "UPDATE pattern_mining_config SET execution_id = 584 WHERE id = 2081"),
        ("post_closure", "UPDATE pattern_itemset_post SET post_id = 'p9' WHERE itemset_id = 1001 AND post_id = 'p3'"),
        ("post_closure", "INSERT INTO pattern_itemset_post VALUES (1001, NULL)"),
        ("category_tree_closure", "UPDATE pattern_mining_category SET name = '猫' WHERE id = 11"),
        ("category_tree_closure", "UPDATE pattern_itemset_item SET point_type = '灵感点' WHERE id = 2"),
        ("element_closure", "UPDATE pattern_mining_element SET element_name = '治愈感' WHERE element_name = '治愈'"),
        ("element_closure", "DELETE FROM pattern_mining_element WHERE id = 1"),
        ("itemset_closure", "UPDATE pattern_itemset SET item_count = 3 WHERE id = 1001"),
        ("itemset_closure", "UPDATE pattern_mining_config SET min_support = 0.9 WHERE id = 2081"),
        ("category_tree_closure", "UPDATE pattern_mining_category SET level = 7 WHERE id = 11"),
        ("category_tree_closure", "UPDATE pattern_mining_category SET dimension = '意图' WHERE id = 11"),
    ],
)
def test_d072_changed_facts_end_the_agreement(world: FactWorld, pack: Pack, suite: str, statement: str):
    world.alter(statement)
    frames = frames_of(world, pack)
    assert AGREED not in frames
    assert judged(frames)[suite].verdict is Verdict.BROKEN


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_d072_whatever_is_altered_ends_the_agreement(sqlite_world: FactWorld, data: st.DataObject):
    (pack,) = packs_of(sqlite_world, good_candidate())
    field = data.draw(st.sampled_from(LISTS))
    entries = pack[field]
    place = data.draw(st.integers(0, len(entries) - 1))
    kind = data.draw(st.sampled_from(["removed", "repeated", "altered"]))
    if kind == "removed":
        entries.pop(place)
    elif kind == "repeated":
        entries.insert(place, entries[place])
    elif isinstance(entries[place], dict):
        name = data.draw(st.sampled_from(sorted(entries[place])))
        # Neither the contract nor the facts say anything of the itemset id in the short form (D-050).
        name = "category_id" if (field, name) == ("itemset_items", "itemset_id") else name
        entries[place][name] = _other(data, entries[place][name])
    else:
        entries[place] = _other(data, entries[place])
    assert AGREED not in frames_of(sqlite_world, pack)


@pytest.mark.parametrize(
    ("field", "name"),
    [
        ("category_bindings", "itemset_item_id"),
        ("element_bindings", "itemset_item_id"),
        ("element_bindings", "element_name"),
    ],
)
@pytest.mark.parametrize("value", [[], {}, [1]])
def test_d071_a_list_where_a_key_should_be_is_shown_as_broken(
    sqlite_world: FactWorld, field: str, name: str, value: object
):
    (pack,) = packs_of(sqlite_world, good_candidate())
    pack[field][0][name] = value
    assert Verdict.BROKEN in {result.verdict for result in judged(frames_of(sqlite_world, pack)).values()}


def _other(data: st.DataObject, value: object) -> object:
    values = st.text(max_size=3) | st.integers(-1, 2**63) | st.none() | st.sampled_from([[], [None], f"{value} ", {}])
    return data.draw(values.filter(lambda other: (type(other), other) != (type(value), value)))


def test_rows_that_repeat_in_the_facts_are_read_and_hold(world: FactWorld):
    refs = {"itemset_ids": [1002], "source_post_id": "p1", "case_ids": {}, "seed_terms": ["治愈"]}
    (pack,) = packs_of(world, good_candidate(refs=refs))
    frames = frames_of(world, pack)
    assert set(frames) == {PACKS, ITEMS, ELEMENTS}
    assert {result.verdict for result in judged(frames).values()} == {Verdict.PASSED}


def test_d071_a_suite_whose_frame_is_not_there_is_not_green(world: FactWorld, pack: Pack):
    frames = frames_of(world, pack)
    for result in run_suites([group[0] for group in EVIDENCE_SUITES.values()], frames):
        assert result.verdict is Verdict.NOT_EVALUATED


@pytest.mark.parametrize("missing", [PACKS, ITEMS, ELEMENTS])
def test_d071_a_frame_that_is_missing_beside_packs_that_agree_is_not_green(world: FactWorld, pack: Pack, missing: str):
    altered = copy.deepcopy(pack)
    altered["category_bindings"].pop()
    frames = frames_of(world, pack, altered)
    readers = {name for name, group in EVIDENCE_SUITES.items() if missing in {suite.frame for suite in group}}
    del frames[missing]
    assert {name for name, result in judged(frames).items() if result.verdict is Verdict.NOT_EVALUATED} == readers


def test_d034_a_support_that_facts_and_pack_both_have_wrong_is_looked_at_by_its_rule(world: FactWorld, pack: Pack):
    world.alter("UPDATE pattern_itemset SET support = 1.5 WHERE id = 1001")
    pack["support"] = 1.5
    broken = {rule.rule_id for rule in judged(frames_of(world, pack))["itemset_closure"].rules if rule.failing}
    assert "D-034" in broken


def test_d072_agreement_answers_for_each_rule_of_the_suites_and_for_no_other():
    """A rule that is new or other must be answered for in ``agreement.py``, and then written down here."""
    rules = {
        f"{name}: {rule.rule_id} {rule.says}"
        for name, group in EVIDENCE_SUITES.items()
        for rule in group[-1].stands_for
    }
    assert rules == set(ANSWERED_FOR.read_text(encoding="utf-8").splitlines())


@pytest.mark.parametrize("number", [1, 4])
def test_the_number_of_statements_does_not_grow(sqlite_world: FactWorld, number: int):
    (pack,) = packs_of(sqlite_world, good_candidate())
    sent: list[str] = []
    records = [PackRecord.of(str(n), "猫,治愈", json.dumps(pack | {"support": 0.5 + n % 2})) for n in range(number)]
    with sqlite_world.open() as facts:
        event.listen(facts.engine, "before_cursor_execute", lambda *call: sent.append(call[2]))
        with facts.snapshot() as snapshot:
            evidence_frames(snapshot, 581, records)
    assert len(sent) == (5 if number == 1 else 10) + sum(statement == "BEGIN" for statement in sent)
