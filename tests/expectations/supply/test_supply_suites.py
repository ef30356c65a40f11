"""The 24 checks over a sound batch, over an empty one and over one that is topped up; statements do not grow."""

from __future__ import annotations

import re
from typing import Any

import pandas as pd
import pytest
from sqlalchemy import event

from expectations.engine.asset_checks import to_check_result
from expectations.engine.rules import KEY
from expectations.engine.validation import Verdict
from expectations.supply.batch_rows import Batch
from expectations.supply.frames import BUILDERS, supply_frames
from expectations.supply.suites import SUPPLY_SUITES
from resources.databases.supply_store.engine import SupplyStore
from tests.expectations.supply.supply_batch import EMPTY, FAILED, PLANNED, batch_frames, broken, look, spoil, top_up

ASSETS = list(SUPPLY_SUITES)


def test_section_5_each_asset_has_its_three_checks_and_results_show_the_shortfall():
    assert set(SUPPLY_SUITES) == set(BUILDERS)
    extra = {asset: set(suites) - {"complete", "shape", "closure"} for asset, suites in SUPPLY_SUITES.items()}
    assert extra == {asset: set() for asset in ASSETS} | {"supply_results": {"shortfall"}}
    assert all({"complete", "shape", "closure"} <= set(suites) for suites in SUPPLY_SUITES.values())


def test_section_5_what_guards_the_plan_blocks():
    blocking = {
        (asset, name)
        for asset, suites in SUPPLY_SUITES.items()
        for name, group in suites.items()
        if any(suite.blocking for suite in group)
    }
    scores = {("content_scores", name) for name in ("complete", "shape", "closure")}
    assert blocking == scores | {("supply_tasks", "complete"), ("supply_tasks", "closure")}


def test_section_5_each_rule_names_a_rule_of_the_contract_and_says_what_to_do():
    rules = [rule for suites in SUPPLY_SUITES.values() for group in suites.values() for s in group for rule in s.rules]
    assert all(rule.rule_id.startswith("S-") and rule.fix.strip() for rule in rules)


def test_s042_a_sound_batch_is_green_and_its_shortfall_is_shown(batch_store: SupplyStore):
    tasks, demands = batch_frames(batch_store)
    results = {asset: broken(look(batch_store, asset, tasks, demands)) for asset in ASSETS}
    assert results == {asset: {} for asset in ASSETS} | {"supply_results": {"shortfall": {"S-025"}}}


def test_s025_a_batch_is_green_after_a_second_round_of_recall(batch_store: SupplyStore):
    top_up(batch_store)
    tasks, demands = batch_frames(batch_store)
    results = {asset: broken(look(batch_store, asset, tasks, demands)) for asset in ASSETS}
    assert results == {asset: {} for asset in ASSETS} | {"supply_results": {"shortfall": {"S-025"}}}


@pytest.mark.real_server
def test_s041_the_same_batch_is_green_on_a_server(served_batch: SupplyStore):
    tasks, demands = batch_frames(served_batch)
    results = {asset: broken(look(served_batch, asset, tasks, demands)) for asset in ASSETS}
    assert results == {asset: {} for asset in ASSETS} | {"supply_results": {"shortfall": {"S-025"}}}


@pytest.mark.real_server
@pytest.mark.parametrize(
    ("asset", "check", "statement"),
    [
        ("content_scores", "closure", "json_set(raw_payload, '$.link_resolved', json_extract('false', '$'))"),
        ("candidate_pool", "closure", "json_remove(raw_payload, '$.provider')"),
    ],
)
def test_s041_json_columns_are_read_alike_on_a_server(
    served_batch: SupplyStore, asset: str, check: str, statement: str
):
    spoil(served_batch, f"UPDATE supply_candidate_content SET raw_payload = {statement} WHERE task_id = '{PLANNED}'")
    assert set(broken(look(served_batch, asset, *batch_frames(served_batch)))) == {check}


@pytest.mark.parametrize("asset", ASSETS)
def test_d071_an_empty_batch_has_no_rows_and_is_not_green(batch_store: SupplyStore, asset: str):
    tasks, demands = batch_frames(batch_store)
    results = look(batch_store, asset, tasks.iloc[:0], demands.iloc[:0])
    assert {result.verdict for result in results.values()} == {Verdict.NO_ROWS}
    assert not any(to_check_result(asset, result).passed for result in results.values())


@pytest.mark.parametrize("asset", [asset for asset in ASSETS if asset != "demand_snapshots"])
def test_s002_a_batch_of_refusals_has_demands_and_no_tasks(batch_store: SupplyStore, asset: str):
    tasks, demands = batch_frames(batch_store)
    refused = demands[demands["state"] == "refused"]
    assert broken(look(batch_store, "demand_snapshots", tasks.iloc[:0], refused)) == {}
    results = look(batch_store, asset, tasks.iloc[:0], refused)
    assert {result.verdict for result in results.values()} == {Verdict.NO_ROWS}


@pytest.mark.parametrize("asset", ASSETS)
def test_the_number_of_statements_does_not_grow_with_the_tasks(batch_store: SupplyStore, asset: str):
    tasks, demands = batch_frames(batch_store)
    one = demands["task_id"] == PLANNED
    few = _statements(batch_store, asset, tasks[tasks["task_id"] == PLANNED], demands[one])
    assert _statements(batch_store, asset, tasks, demands) == few


def _statements(store: SupplyStore, asset: str, tasks: pd.DataFrame, demands: pd.DataFrame) -> int:
    sent: list[Any] = []

    def note(*arguments: Any) -> None:
        sent.append(arguments[2])

    event.listen(store.engine, "before_cursor_execute", note)
    try:
        with store.reading() as connection:
            supply_frames(connection, asset, tasks, demands)
    finally:
        event.remove(store.engine, "before_cursor_execute", note)
    return len([statement for statement in sent if "SELECT" in statement])


@pytest.mark.parametrize("asset", ASSETS)
def test_every_frame_starts_with_a_key_that_names_its_row(batch_store: SupplyStore, asset: str):
    tasks, demands = batch_frames(batch_store)
    with batch_store.reading() as connection:
        frames = supply_frames(connection, asset, tasks, demands)
    used = {suite.frame for group in SUPPLY_SUITES[asset].values() for suite in group}
    assert set(frames) == used
    for frame in frames.values():
        assert frame.columns[0] == KEY
        assert frame[KEY].is_unique


@pytest.mark.parametrize("asset", ASSETS)
def test_every_column_that_a_rule_names_is_read(batch_store: SupplyStore, asset: str):
    """A misspelled one would be empty in every row, and most rules pass over what is empty."""
    top_up(batch_store)
    with batch_store.reading() as connection:
        rows = BUILDERS[asset](Batch(connection, *batch_frames(batch_store)))
    for suite in (suite for group in SUPPLY_SUITES[asset].values() for suite in group):
        filled = set[str]().union(*rows[suite.frame])
        for rule in suite.rules:
            named = {value for argument, value in rule.arguments.items() if argument.startswith("column")}
            assert named <= filled, f"{suite.frame}: {rule.says}"


def test_s021_no_stored_page_is_read(batch_store: SupplyStore):
    """Pages are the bulk of the store: only what rules look at is selected."""
    sent: list[str] = []
    event.listen(batch_store.engine, "before_cursor_execute", lambda *a: sent.append(a[2]))
    tasks, demands = batch_frames(batch_store)
    with batch_store.reading() as connection:
        supply_frames(connection, "content_features", tasks, demands)
    selected = [re.sub(r"json_type\([^)]*\)", "", statement) for statement in sent]
    assert any("supply_content_feature.content_length" in statement for statement in selected)
    assert not any("raw_detail_payload" in statement or "summary" in statement for statement in selected)


@pytest.mark.parametrize(
    ("asset", "done"),
    [("candidate_pool", FAILED), ("content_scores", FAILED), ("crawler_plans", EMPTY), ("supply_results", EMPTY)],
)
def test_s005_a_task_without_rows_is_one_row(batch_store: SupplyStore, asset: str, done: str):
    tasks, demands = batch_frames(batch_store)
    with batch_store.reading() as connection:
        frames = supply_frames(connection, asset, tasks, demands)
    for name, frame in frames.items():
        if name != "child_tables":
            assert sum(f"task {done}" in key for key in frame[KEY]) == 1
