"""The sink of demand_content: proves its input, doubles nothing, shows no row without its id (D-064, D-066)."""

from __future__ import annotations

import threading
import time
from typing import Any

import pytest
from sqlalchemy import select
from sqlalchemy.engine import URL

from demand_assets.outputs import demand_content as sink
from demand_assets.outputs.demand_content import publish
from resources.databases.demand_store.engine import DemandStore
from resources.databases.demand_store.tables import demand_content
from resources.databases.pattern_facts import tables as t
from resources.foundation.errors import PackRefused
from tests.demand_assets.outputs.accepted import TODAY, accept, of_label, three_demands
from tests.small_facts import FEELING, TOPIC, FactWorld, good_candidate

EXTRA_ELEMENT = {
    "id": 900,
    "execution_id": 581,
    "post_id": "p1",
    "source_table": TOPIC,
    "point_type": "目的点",
    "dimension": "形式",
    "category_id": FEELING,
}


def stored(store: DemandStore) -> list[dict[str, Any]]:
    with store.reading() as connection:
        return [
            dict(row) for row in connection.execute(select(demand_content).order_by(demand_content.c.id)).mappings()
        ]


def keys(store: DemandStore) -> list[tuple[str, str, str]]:
    packs = [(row["name"], row["ext_data"]) for row in stored(store)]
    return sorted((ext["run_label"], name, ext["evidence_pack"]["source_post_id"]) for name, ext in packs)


def test_d064_each_row_carries_its_own_id(store_url: URL, sqlite_world: FactWorld) -> None:
    store = DemandStore(store_url)
    done = publish(store, three_demands(sqlite_world), TODAY)
    rows = stored(store)
    assert (done.inserted, done.skipped, len(rows)) == (3, 0, 3)
    assert [row["ext_data"]["evidence_pack"]["demand_content_id"] for row in rows] == [row["id"] for row in rows]
    assert [row.model_dump(mode="json") for row in done.rows] == rows


def test_d064_the_second_run_adds_nothing_and_changes_nothing(store_url: URL, sqlite_world: FactWorld) -> None:
    store, demands = DemandStore(store_url), three_demands(sqlite_world)
    publish(store, demands[:2], TODAY)
    before = stored(store)
    done = publish(DemandStore(store_url), demands, TODAY)
    again = publish(DemandStore(store_url), demands, of_label("label-1"))
    assert (done.inserted, done.skipped) == (1, 2)
    assert (again.inserted, again.skipped) == (0, 3)
    assert stored(store)[:2] == before
    assert len(stored(store)) == 3


def test_d064_the_same_demand_twice_in_one_call_is_one_row(store_url: URL, sqlite_world: FactWorld) -> None:
    demand = three_demands(sqlite_world)[0]
    done = publish(DemandStore(store_url), [demand, demand], TODAY)
    assert (done.inserted, done.skipped) == (1, 1)


def test_my10_skipped_rows_keep_the_ids_they_have(store_url: URL, sqlite_world: FactWorld) -> None:
    store, demands = DemandStore(store_url), three_demands(sqlite_world)
    first = publish(store, [demands[1]], TODAY).rows[0]
    publish(store, demands, of_label("other"))
    done = publish(store, demands, TODAY)
    by_post = {row.ext_data.evidence_pack.source_post_id: row.id for row in done.rows}
    assert by_post["p2"] == first.id
    assert len(set(by_post.values())) == 3


@pytest.mark.parametrize("label", ["LABEL-1", "label-1.", "label-1_", "label-10", "Label-1"])
def test_d064_labels_that_differ_anyhow_are_different_labels(
    lax_store_url: URL, sqlite_world: FactWorld, label: str
) -> None:
    store, demands = DemandStore(lax_store_url), three_demands(sqlite_world)
    assert publish(store, demands, TODAY).inserted == 3
    assert publish(store, demands, of_label(label)).inserted == 3
    assert publish(store, demands, TODAY).inserted == 0


@pytest.mark.parametrize("label", ["label-1\u200b", "ｌabel-1", "läbel-1", "label-1'; DROP TABLE x; --"])
def test_d064_no_collation_makes_two_labels_one(lax_store_url: URL, sqlite_world: FactWorld, label: str) -> None:
    store, demands = DemandStore(lax_store_url), three_demands(sqlite_world)
    publish(store, demands, TODAY)
    assert publish(store, demands, of_label(label)).inserted == 3
    assert len(stored(store)) == 6


def test_d064_a_label_with_a_blank_at_its_end_is_refused_before_it_becomes_another(
    lax_store_url: URL, sqlite_world: FactWorld
) -> None:
    store, demands = DemandStore(lax_store_url), three_demands(sqlite_world)
    with pytest.raises(PackRefused, match="run_label"):
        publish(store, demands, of_label("label-1 "))


def test_d064_names_that_differ_in_case_or_width_are_different_rows(
    lax_store_url: URL, sqlite_world: FactWorld
) -> None:
    sqlite_world.alter("UPDATE pattern_mining_element SET element_name = 'abc' WHERE element_name = '治愈'")
    names = (["猫", "abc"], ["猫", "ABC"], ["猫", "ａｂｃ"], ["猫 ", "abc"])
    refs = {"seed_terms": ["猫"]}
    demands = accept(sqlite_world, *(good_candidate(element_names=n, refs=dict(refs)) for n in names))
    store = DemandStore(lax_store_url)
    assert publish(store, demands, TODAY).inserted == 4
    assert publish(store, demands, TODAY).inserted == 0


def test_d064_two_writers_at_once_double_nothing(store_url: URL, sqlite_world: FactWorld) -> None:
    demands = three_demands(sqlite_world)
    start, done, failed = threading.Barrier(4), [], []

    def write() -> None:
        start.wait()
        try:
            done.append(publish(DemandStore(store_url), demands, TODAY))
        except Exception as error:  # noqa: BLE001
            failed.append(error)

    threads = [threading.Thread(target=write) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    assert sorted(published.inserted for published in done) == [0, 0, 0, 3]
    assert len(keys(DemandStore(store_url))) == 3
    assert len({tuple(row.id for row in published.rows) for published in done}) == 1


def test_d064_no_row_is_ever_visible_without_its_id(
    store_url: URL, sqlite_world: FactWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    between, go_on = threading.Event(), threading.Event()

    def slow(connection: Any, run_label: str) -> None:
        between.set()
        go_on.wait(30)
        original(connection, run_label)

    original = sink.write_ids_into_packs
    monkeypatch.setattr(sink, "write_ids_into_packs", slow)
    writer = threading.Thread(target=publish, args=(DemandStore(store_url), three_demands(sqlite_world), TODAY))
    writer.start()
    assert between.wait(30)
    seen = _look(store_url, 5)
    go_on.set()
    while writer.is_alive():
        seen += _look(store_url, 1)
    writer.join()
    seen += _look(store_url, 1)
    assert seen[:5] == [[], [], [], [], []]
    assert len(seen[-1]) == 3
    assert all(pack["demand_content_id"] is not None for packs in seen for pack in packs)


def _look(url: URL, times: int) -> list[list[dict[str, Any]]]:
    """What another connection sees; on SQLite by a plain read, since the store's own reading waits for the writer."""
    from sqlalchemy import create_engine

    engine = create_engine(url)
    seen = []
    for _ in range(times):
        with engine.connect() as connection:
            seen.append(
                [ext["evidence_pack"] for ext in connection.execute(select(demand_content.c.ext_data)).scalars()]
            )
        time.sleep(0.01)
    engine.dispose()
    return seen


def test_d064_a_failure_between_insert_and_update_leaves_nothing(
    store_url: URL, sqlite_world: FactWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any) -> None:
        raise RuntimeError("between")

    store, demands = DemandStore(store_url), three_demands(sqlite_world)
    with monkeypatch.context() as patch:
        patch.setattr(sink, "write_ids_into_packs", fail)
        with pytest.raises(RuntimeError, match="between"):
            publish(store, demands, TODAY)
    assert stored(store) == []
    assert publish(DemandStore(store_url), demands, TODAY).inserted == 3


TAMPERED: list[dict[str, Any]] = [
    {"validation_status": "failed"},
    {"validation_status": ""},
    {"validation_status": None},
    {"source_certainty": "claimed"},
    {"source_certainty": None},
    {"pattern_source_system": "elsewhere"},
    {"source_kind": "search"},
    {"case_id_type": "video_id"},
    {"case_ids": ["p1", "p2"]},
    {"case_ids": ["p3", "p2", "p1"]},
    {"matched_post_ids": ["p1", "p2"], "case_ids": ["p1", "p2"]},
    {"matched_post_ids": ["p3", "p1", "p2"], "case_ids": ["p3", "p1", "p2"]},
    {"matched_post_ids": ["p1", "p1", "p2"], "case_ids": ["p1", "p1", "p2"]},
    {"absolute_support": 4},
    {"absolute_support": 0},
    {"absolute_support": True},
    {"source_post_id": "p9"},
    {"source_post_id": "p1"},
    {"element_bindings": []},
    {"category_bindings": []},
    {"itemset_items": []},
    {"itemset_ids": []},
    {"itemset_ids": [1001, 1002]},
    {"itemset_ids": [1002]},
    {"decode_case_ids": ["p1"]},
    {"support": float("nan")},
    {"support": 1.5},
    {"support": None},
    {"pattern_execution_id": 0},
    {"mining_config_id": None},
    {"trace_id": " "},
]


@pytest.mark.parametrize("change", TAMPERED, ids=lambda change: "-".join(f"{k}={v}" for k, v in change.items())[:60])
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_d066_a_pack_that_is_not_proven_is_refused_and_nothing_is_written(
    sqlite_world: FactWorld, embedded_store: DemandStore, change: dict[str, Any]
) -> None:
    good, tampered, other = three_demands(sqlite_world)
    object.__setattr__(tampered, "pack", tampered.pack.model_copy(update=change))
    with pytest.raises(PackRefused, match="before writing '猫,治愈'"):
        publish(embedded_store, [good, tampered, other], TODAY)
    assert stored(embedded_store) == []
    assert embedded_store.effects["INSERT demand_content"] == 0


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_my6_nan_in_a_pack_is_refused_with_the_name_of_its_field(
    sqlite_world: FactWorld, embedded_store: DemandStore, value: float
) -> None:
    demand = three_demands(sqlite_world)[0]
    object.__setattr__(demand, "pack", demand.pack.model_copy(update={"support": value}))
    with pytest.raises(PackRefused, match=r"ext_data\.evidence_pack\.support"):
        publish(embedded_store, [demand], TODAY)


def test_d066_a_pack_is_not_passed_over_because_another_has_its_key(
    sqlite_world: FactWorld, embedded_store: DemandStore
) -> None:
    _, tampered, other = three_demands(sqlite_world)
    object.__setattr__(tampered, "pack", tampered.pack.model_copy(update={"source_post_id": "p3"}))
    with pytest.raises(PackRefused):
        publish(embedded_store, [tampered, other], TODAY)
    assert stored(embedded_store) == []


def test_d066_what_was_stored_otherwise_than_written_is_taken_back(
    store_url: URL, sqlite_world: FactWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    def insert_changed(connection: Any, rows: list[dict[str, Any]]) -> None:
        original(connection, [row | {"suggestion": row["suggestion"][:-1]} for row in rows])

    original = sink.insert_rows
    monkeypatch.setattr(sink, "insert_rows", insert_changed)
    store = DemandStore(store_url)
    with pytest.raises(PackRefused, match="not stored as it was written"):
        publish(store, three_demands(sqlite_world), TODAY)
    assert stored(store) == []


def test_d063_the_sink_sends_insert_update_and_its_own_reads_only(store_url: URL, sqlite_world: FactWorld) -> None:
    store = DemandStore(store_url)
    publish(store, three_demands(sqlite_world), TODAY)
    assert set(store.effects) == {"SELECT demand_content", "INSERT demand_content", "UPDATE demand_content"}


def test_d064_the_number_of_statements_does_not_grow_with_the_rows(store_url: URL, sqlite_world: FactWorld) -> None:
    one, three = DemandStore(store_url), DemandStore(store_url)
    publish(one, three_demands(sqlite_world)[:1], of_label("one"))
    publish(three, three_demands(sqlite_world), of_label("three"))
    assert one.effects == three.effects


@pytest.mark.parametrize("text", ["🫠神兵𠮷", "quote ' \" \\ % :name ;--", "line\nbreak\ttab", "e\u0301 é", " 两端 "])
def test_my1_text_comes_back_as_it_was_written(store_url: URL, sqlite_world: FactWorld, text: str) -> None:
    sqlite_world.insert(t.element, dict(EXTRA_ELEMENT, element_name=text))
    candidate = good_candidate(
        element_names=["猫", text], reason=text, desc=text, refs={"seed_terms": [text], "category_ids": []}
    )
    store = DemandStore(store_url)
    row = publish(store, accept(sqlite_world, candidate), TODAY).rows[0]
    again = stored(store)[0]
    assert again["name"] == row.name == f"猫,{text}"
    assert again["ext_data"]["evidence_pack"]["seed_terms"] == [text]
    assert (again["reason"], again["suggestion"], again["ext_data"]["desc"]) == (text, text, text)
    assert publish(store, accept(sqlite_world, candidate), TODAY).skipped == 1
