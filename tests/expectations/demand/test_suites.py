"""The suites over packs of the small facts: an altered field is red, and nothing is green over nothing."""

from __future__ import annotations

import gc
import json
import math
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pandas as pd
import pytest

from demand_assets.evidence.closure import Accepted, Provenance, decide
from expectations.demand.downstream_contract import ROWS, rows_frame
from expectations.demand.frames import evidence_frames
from expectations.demand.pack_records import PackRecord
from expectations.demand.suites import EVIDENCE_SUITES, OUTPUT_SUITES
from expectations.demand.write_scope import EFFECTS, file_effects, statement_effects
from expectations.engine.asset_checks import to_check_result
from expectations.engine.rules import KEY, Suite, one_of, present, rows_exist, same, within
from expectations.engine.validation import SuiteResult, Verdict, merge, run_suites
from resources.platform.plain_values import plain
from tests.small_facts import FactWorld, good_candidate


@pytest.fixture
def pack(sqlite_world: FactWorld) -> dict[str, Any]:
    with sqlite_world.open() as facts, facts.snapshot() as snapshot:
        (decision,) = decide(snapshot, 581, [good_candidate()], Provenance("trace"))
    assert isinstance(decision, Accepted)
    return decision.pack.model_dump(mode="json")


def look(world: FactWorld, *packs: dict[str, Any], name: str = "猫,治愈") -> dict[str, SuiteResult]:
    records = [PackRecord.of(str(place), name, json.dumps(pack)) for place, pack in enumerate(packs)]
    with world.open() as facts, facts.snapshot() as snapshot:
        frames = evidence_frames(snapshot, 581, records)
    results = iter(run_suites([suite for group in EVIDENCE_SUITES.values() for suite in group], frames))
    return {key: merge(group, [next(results) for _ in group]) for key, group in EVIDENCE_SUITES.items()}


def broken(result: SuiteResult) -> set[str]:
    return {rule.rule_id for rule in result.rules if rule.verdict is Verdict.BROKEN}


def test_d070_every_evidence_suite_blocks_and_no_output_suite_does():
    assert all(suite.blocking for group in EVIDENCE_SUITES.values() for suite in group)
    assert not any(suite.blocking for group in OUTPUT_SUITES.values() for suite in group)
    assert len({*EVIDENCE_SUITES, *OUTPUT_SUITES}) == 8


def test_a_pack_that_closes_passes_all(sqlite_world: FactWorld, pack: dict[str, Any]):
    assert {r.verdict for r in look(sqlite_world, pack).values()} == {Verdict.PASSED}


@pytest.mark.parametrize(
    ("suite", "rule", "changes"),
    [
        ("evidence_truth", "D-050", {"source_certainty": "model_said"}),
        ("evidence_truth", "D-050", {"validation_status": None}),
        ("evidence_truth", "D-012", {"source_kind": "direct_case"}),
        ("evidence_truth", "D-050", {"case_id_type": "video_id"}),
        ("evidence_truth", "D-050", {"trace_id": None}),
        ("evidence_truth", "D-030", {"pattern_execution_id": 584}),
        ("evidence_truth", "D-041", {"seed_terms": ["量子纠缠瑜伽"]}),
        ("evidence_truth", "D-041", {"seed_terms": []}),
        ("pg_only", "D-050", {"pattern_source_system": "mysql"}),
        ("pg_only", "D-052", {"trace_id": "topic_pattern_1"}),
        ("pg_only", "D-050", {"decode_case_ids": ["1"]}),
        ("itemset_closure", "D-031", {"itemset_ids": [999]}),
        ("itemset_closure", "D-034", {"itemset_ids": [1001, 1002]}),
        ("itemset_closure", "D-033", {"itemset_ids": [1004]}),
        ("itemset_closure", "D-032", {"itemset_ids": [2001]}),
        ("itemset_closure", "D-033", {"mining_config_id": 2083}),
        ("itemset_closure", "D-034", {"support": 0.51}),
        ("itemset_closure", "D-034", {"support": None}),
        ("itemset_closure", "D-036", {"absolute_support": 4}),
        ("itemset_closure", "D-035", {"category_bindings": []}),
        ("itemset_closure", "D-050", {"itemset_items": []}),
        ("post_closure", "D-036", {"matched_post_ids": ["p1", "p2"]}),
        ("post_closure", "D-036", {"matched_post_ids": ["p1", "p2", "p4"]}),
        ("post_closure", "D-036", {"matched_post_ids": []}),
        ("post_closure", "D-051", {"case_ids": ["p1"]}),
        ("post_closure", "D-037", {"source_post_id": "p4"}),
        ("element_closure", "D-051", {"element_bindings": []}),
    ],
)
def test_d072_an_altered_field_is_red_under_its_rule(
    sqlite_world: FactWorld, pack: dict[str, Any], suite: str, rule: str, changes: dict[str, Any]
):
    results = look(sqlite_world, pack | changes, pack)
    assert rule in broken(results[suite])
    assert results[suite].verdict is Verdict.BROKEN


@pytest.mark.parametrize(
    ("suite", "table", "field", "value"),
    [
        ("category_tree_closure", "category_bindings", "category_id", 13),
        ("category_tree_closure", "category_bindings", "category_path", "/别处"),
        ("category_tree_closure", "category_bindings", "category_full_path", "/别处"),
        ("category_tree_closure", "category_bindings", "category_name", None),
        ("category_tree_closure", "category_bindings", "point_type", "灵感点"),
        ("category_tree_closure", "category_bindings", "dimension", "意图"),
        ("category_tree_closure", "category_bindings", "element_name", "狗"),
        ("category_tree_closure", "category_bindings", "itemset_item_id", 7),
        ("category_tree_closure", "category_bindings", "itemset_id", 1002),
        ("itemset_closure", "itemset_items", "category_id", 13),
        ("element_closure", "element_bindings", "element_name", "狗"),
        ("element_closure", "element_bindings", "matched_element_count", 9),
        ("element_closure", "element_bindings", "matched_post_count", 2),
        ("element_closure", "element_bindings", "matched_post_ids", ["p2"]),
        ("element_closure", "element_bindings", "category_id", 13),
        ("element_closure", "element_bindings", "itemset_item_id", 2),
    ],
)
def test_d072_an_altered_binding_is_red(
    sqlite_world: FactWorld, pack: dict[str, Any], suite: str, table: str, field: str, value: object
):
    pack[table][0][field] = value
    assert look(sqlite_world, pack)[suite].verdict is Verdict.BROKEN


@pytest.mark.parametrize(
    ("suite", "statement"),
    [
        ("evidence_truth", "UPDATE pattern_mining_execution SET status = 'failed' WHERE id = 581"),
        ("itemset_closure", "UPDATE pattern_itemset SET support = 0.4 WHERE id = 1001"),
        ("itemset_closure", "UPDATE pattern_mining_config SET scope = 'script' WHERE id = 2081"),
        ("post_closure", "DELETE FROM pattern_itemset_post WHERE itemset_id = 1001 AND post_id = 'p3'"),
        ("post_closure", "INSERT INTO pattern_itemset_post VALUES (1001, ' ')"),
        ("category_tree_closure", "UPDATE pattern_mining_category SET path = '' WHERE id = 11"),
        ("category_tree_closure", "UPDATE pattern_itemset_item SET category_id = NULL WHERE id = 1"),
        ("element_closure", "DELETE FROM pattern_mining_element WHERE post_id = 'p1'"),
    ],
)
def test_d072_the_suites_read_the_facts_afresh(
    sqlite_world: FactWorld, pack: dict[str, Any], suite: str, statement: str
):
    sqlite_world.alter(statement)
    assert look(sqlite_world, pack)[suite].verdict is Verdict.BROKEN


def test_d071_ck5_no_rows_is_its_own_verdict_and_never_green(sqlite_world: FactWorld):
    for result in look(sqlite_world).values():
        assert result.verdict is Verdict.NO_ROWS
        assert not to_check_result("validated_demands", result).passed


def test_d071_an_empty_frame_beside_a_full_one_is_a_fault(sqlite_world: FactWorld, pack: dict[str, Any]):
    results = look(sqlite_world, pack | {"element_bindings": [], "category_bindings": []})
    assert results["category_tree_closure"].verdict is Verdict.BROKEN
    assert results["element_closure"].verdict is Verdict.BROKEN


SMALL = Suite(
    "small",
    "rows",
    "",
    False,
    (*rows_exist(), *one_of("R1", "a", [1], ""), *within("R2", "b", 0, 1, ""), *present("R3", ["c"], "")),
)


def verdict(frame: pd.DataFrame) -> Verdict:
    (result,) = run_suites([SMALL], {"rows": frame})
    return result.verdict


def rows(**columns: list[Any]) -> pd.DataFrame:
    size = len(next(iter(columns.values())))
    good = {KEY: list(map(str, range(size))), "a": [1] * size, "b": [0.5] * size, "c": ["x"] * size}
    return pd.DataFrame({name: pd.Series(values, dtype=object) for name, values in (good | columns).items()})


@pytest.mark.parametrize("columns", [{"a": [None, None]}, {"b": [None, None]}, {"c": [None, None]}, {"b": [0.5, None]}])
def test_d071_ck6_an_all_null_column_is_broken(columns: dict[str, list[Any]]):
    assert verdict(rows(**columns)) is Verdict.BROKEN


@pytest.mark.parametrize("value", [math.inf, -math.inf, math.nan, 1.0001])
def test_ck9_infinite_and_missing_numbers_break_a_range(value: float):
    assert verdict(rows(b=[0.5, value])) is Verdict.BROKEN


def test_d071_a_missing_column_could_not_be_evaluated():
    assert verdict(rows(c=["x"]).drop(columns="a")) is Verdict.NOT_EVALUATED


def test_d071_two_nulls_are_not_equal():
    suite = Suite("s", "rows", "", False, same("R", "a", "b", ""))
    (result,) = run_suites([suite], {"rows": rows(a=[None], b=[None])})
    assert result.verdict is Verdict.BROKEN


def test_ck8_200_000_failing_rows_leave_a_bounded_result():
    frame = pd.DataFrame({KEY: range(200_000), "a": 2, "b": 0.5, "c": "x"})
    (result,) = run_suites([SMALL], {"rows": frame})
    (rule,) = [rule for rule in result.rules if rule.verdict is Verdict.BROKEN]
    assert rule.failing == 200_000
    assert len(rule.sample) <= 5
    check = to_check_result("x", result)
    assert (
        len(json.dumps([record.data for record in check.metadata["results"].value.records], allow_nan=False)) < 64_000
    )


def test_ck12_many_runs_in_one_process_leave_nothing_behind():
    def living() -> int:
        gc.collect()
        return sum(str(type(thing).__module__).startswith("great_expectations") for thing in gc.get_objects())

    for _ in range(3):
        verdict(rows(c=["x"]))
    before = living()
    for _ in range(30):
        assert verdict(rows(c=["x"])) is Verdict.PASSED
    assert living() <= before + 5


def test_ck12_runs_of_several_threads_do_not_mix():
    frames = [rows(a=[1 + number % 2]) for number in range(16)]
    with ThreadPoolExecutor(4) as pool:
        verdicts = list(pool.map(verdict, frames))
    assert verdicts == [Verdict.PASSED, Verdict.BROKEN] * 8


@pytest.mark.parametrize("value", [pd.NA, None, math.nan, math.inf, 2**60, "x" * 10_000, True])
def test_dg14_values_for_metadata_are_plain(value: Any):
    shown = plain(None if value is pd.NA else value)
    assert len(json.dumps(shown, allow_nan=False)) < 300


def test_d063_only_the_allowed_statements_pass():
    (suite,) = OUTPUT_SUITES["write_scope"]
    good = statement_effects({"SELECT demand_content": 2, "INSERT demand_content": 1, "UPDATE demand_content": 1})
    bad = statement_effects({"INSERT demand_content": 1, "DELETE demand_content": 1})
    other = statement_effects({"INSERT demand_task": 1})
    verdicts = [run_suites([suite], {EFFECTS: frame})[0].verdict for frame in (good, bad, other)]
    assert verdicts == [Verdict.PASSED, Verdict.BROKEN, Verdict.BROKEN]


def test_d061_only_the_allowed_files_pass():
    (suite,) = OUTPUT_SUITES["write_scope"]
    allowed = frozenset({"a.json"})
    verdicts = [
        run_suites([suite], {EFFECTS: file_effects(files, allowed)})[0].verdict
        for files in ({"a.json": 3}, {"a.json": 3, "b.json": 1})
    ]
    assert verdicts == [Verdict.PASSED, Verdict.BROKEN]


def test_d051_a_row_without_its_own_id_is_red():
    (suite,) = OUTPUT_SUITES["downstream_contract"]
    row = {"id": 3, "name": "x", "ext_data": {"evidence_pack": {"demand_content_id": 4}, "run_label": "l"}}
    (result,) = run_suites([suite], {ROWS: rows_frame([row], "l")})
    assert {"D-064", "D-053"} <= broken(result)
