"""Published rows proved again against today's facts: named, never touched (D-073)."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import insert, select, text
from sqlalchemy.engine import URL

from demand_assets.evidence import drift
from demand_assets.evidence.drift import DriftReport, verify_published
from demand_assets.outputs.demand_content import publish
from resources.databases.demand_store.engine import DemandStore
from resources.databases.demand_store.migrate import upgrade
from resources.databases.demand_store.tables import demand_content
from resources.foundation.errors import FactsUnreadable
from tests.demand_assets.outputs.accepted import TODAY, accept, three_demands
from tests.small_facts import FactWorld, good_candidate

ALTERATIONS = [
    ("UPDATE pattern_mining_execution SET status = 'failed' WHERE id = 581", "D-030"),
    ("DELETE FROM pattern_mining_execution WHERE id = 581", "D-030"),
    ("DELETE FROM pattern_itemset WHERE id = 1001", "D-031"),
    ("UPDATE pattern_itemset SET execution_id = 584 WHERE id = 1001", "D-032"),
    ("UPDATE pattern_itemset SET scope = 'script' WHERE id = 1001", "D-033"),
    ("UPDATE pattern_mining_config SET execution_id = 584 WHERE id = 2081", "D-033"),
    ("UPDATE pattern_itemset_item SET category_id = NULL WHERE id = 2", "D-035"),
    ("UPDATE pattern_mining_category SET path = ' ' WHERE id = 12", "D-035"),
    ("UPDATE pattern_mining_category SET path = '/别处' WHERE id = 12", "D-035"),
    ("UPDATE pattern_itemset SET absolute_support = 4 WHERE id = 1001", "D-036"),
    ("DELETE FROM pattern_itemset_post WHERE itemset_id = 1001 AND post_id = 'p2'", "D-036"),
    ("UPDATE pattern_itemset_post SET post_id = 'p9' WHERE itemset_id = 1001 AND post_id = 'p1'", "D-037"),
    ("DELETE FROM pattern_mining_element WHERE post_id = 'p1' AND element_name = '猫'", "D-038"),
    ("UPDATE pattern_itemset SET support = 0.25 WHERE id = 1001", "D-034"),
    ("UPDATE pattern_itemset SET item_count = 3 WHERE id = 1001", "D-035"),
    ("UPDATE pattern_mining_category SET level = 7 WHERE id = 11", "D-035"),
    ("UPDATE pattern_mining_category SET dimension = '意图' WHERE id = 11", "D-035"),
    ("UPDATE pattern_mining_config SET min_support = 0.9 WHERE id = 2081", "D-033"),
    ("UPDATE pattern_mining_config SET scope = 'script' WHERE id = 2081", "D-033"),
]


@pytest.fixture
def published(store_url: URL, sqlite_world: FactWorld) -> DemandStore:
    store = DemandStore(store_url)
    publish(store, accept(sqlite_world, good_candidate()), TODAY)
    return store


def verify(store: DemandStore, world: FactWorld, execution_id: int | None = None) -> DriftReport:
    with world.open() as facts:
        return verify_published(store, facts, execution_id)


def table(store: DemandStore) -> list[Any]:
    with store.reading() as connection:
        return [dict(row) for row in connection.execute(select(demand_content)).mappings()]


def test_d073_rows_that_close_are_no_drift(published: DemandStore, sqlite_world: FactWorld) -> None:
    report = verify(published, sqlite_world)
    assert (report.rows, report.drifts) == (1, [])


@pytest.mark.parametrize(("alteration", "rule"), ALTERATIONS)
def test_d073_a_fact_that_changed_is_named_by_its_rule_and_no_row_is_touched(
    store_url: URL, published: DemandStore, sqlite_world: FactWorld, alteration: str, rule: str
) -> None:
    before = table(published)
    sqlite_world.alter(alteration)
    store = DemandStore(store_url)
    report = verify(store, sqlite_world)
    assert report.drifted_rows == 1
    assert rule in {drift.rule_id for drift in report.drifts}, report.drifts
    assert report.drifts[0].key == f"demand_content {before[0]['id']}"
    assert set(store.effects) == {"SELECT demand_content"}
    assert table(published) == before


def test_d073_only_the_row_that_drifted_is_marked(published: DemandStore, sqlite_world: FactWorld) -> None:
    publish(published, three_demands(sqlite_world), TODAY)
    sqlite_world.alter(
        "UPDATE pattern_mining_element SET point_type = 'x' WHERE post_id = 'p2' AND element_name = '猫'"
    )
    report = verify(published, sqlite_world)
    assert (report.rows, report.drifted_rows) == (3, 1)


def test_d073_what_is_kept_is_bounded_and_what_is_counted_is_exact(
    published: DemandStore, sqlite_world: FactWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(drift, "MOST_KEPT", 2)
    monkeypatch.setattr(drift, "PAGE", 1)
    publish(published, three_demands(sqlite_world), TODAY)
    sqlite_world.alter("UPDATE pattern_itemset SET support = 0.25, absolute_support = 9")
    pages: list[int] = []
    with sqlite_world.open() as facts:
        report = verify_published(published, facts, on_page=lambda r: pages.append(r.rows))
    assert pages == [1, 2, 3]
    assert (report.rows, report.drifted_rows, len(report.drifts)) == (3, 3, 2)
    assert report.rows_by_rule["D-036"] == 3
    assert report.left_out == report.by_code.total() - 2 > 0


def test_d073_no_transaction_stays_open_while_facts_are_read(tmp_path: Path, sqlite_world: FactWorld) -> None:
    url = URL.create("sqlite", database=str(tmp_path / "demand_store.db"))
    store = DemandStore(url)
    upgrade(store)
    publish(store, accept(sqlite_world, good_candidate()), TODAY)

    def another_writer(_: DriftReport) -> None:
        with closing(sqlite3.connect(str(url.database), timeout=0)) as connection, connection:
            connection.execute("UPDATE demand_content SET dt = dt")

    with sqlite_world.open() as facts:
        assert verify_published(store, facts, on_page=another_writer).rows == 1


def test_d073_one_execution_or_all(published: DemandStore, sqlite_world: FactWorld) -> None:
    assert [verify(published, sqlite_world, execution_id).rows for execution_id in (581, 584, None)] == [1, 0, 1]


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"ext_data": {"run_label": "x"}}, "ext_data"),
        ({"ext_data": {}}, "ext_data"),
        ({"name": " "}, "name"),
        ({"score": 7.5}, "score"),
    ],
)
def test_d073_a_row_that_is_no_demand_is_a_drift_and_stops_nothing(
    published: DemandStore, sqlite_world: FactWorld, change: dict[str, Any], named: str
) -> None:
    values = {k: v for k, v in table(published)[0].items() if k != "id"} | change
    with published.engine.begin() as connection:
        connection.execute(insert(demand_content), [values])
    report = verify(published, sqlite_world)
    assert (report.rows, report.drifted_rows) == (2, 1)
    assert (report.drifts[0].code, report.drifts[0].rule_id) == ("malformed_row", "D-053")
    assert named in report.drifts[0].message


def test_d073_a_row_with_the_id_of_another_is_a_drift(published: DemandStore, sqlite_world: FactWorld) -> None:
    with published.engine.begin() as connection:
        connection.execute(text("UPDATE demand_content SET id = id + 100"))
    report = verify(published, sqlite_world)
    assert "D-064" in {drift.rule_id for drift in report.drifts}


def test_d073_facts_that_cannot_be_read_say_nothing_of_any_row(published: DemandStore, sqlite_world: FactWorld) -> None:
    sqlite_world.alter("DROP TABLE pattern_itemset_post")
    with pytest.raises(FactsUnreadable, match="pattern_itemset_post"):
        verify(published, sqlite_world)


def test_d073_a_row_that_is_no_strict_json_is_named_and_hides_no_other(published: DemandStore, sqlite_world: FactWorld):
    row = {"merge_leve2": "x", "name": "x", "score": 0.5, "dt": "20260601", "ext_data": {}}
    with published.engine.begin() as connection:
        connection.execute(insert(demand_content), [row])
        connection.execute(text("UPDATE demand_content SET ext_data = '{\"a\": 1, \"a\": 2}' WHERE name = 'x'"))
    report = verify(published, sqlite_world)
    assert report.rows == 2
    assert [(drift.rule_id, drift.code) for drift in report.drifts] == [("D-053", "malformed_row")]
