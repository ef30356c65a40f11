"""The demand store over its databases: JSON, text, numbers, locks, lost connections (field reports MY1 … MY12)."""

from __future__ import annotations

import random
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from sqlalchemy import Connection, text
from sqlalchemy.engine import URL

from resources.databases.demand_store.engine import DemandStore
from resources.databases.demand_store.statements import insert_rows, read_keys, read_rows_of_label
from resources.databases.engines import store_engine
from resources.foundation import strict_json
from resources.foundation.errors import SettingsError, StoreUnwritable
from tests.resources.databases.demand_store.plain_rows import asked, changed, row, write_missing

REAL = pytest.mark.real_server
WIDE = "🫠神兵𠮷"


def rows_of(store: DemandStore, label: str = "label-1") -> list[dict[str, Any]]:
    with store.reading() as connection:
        return read_rows_of_label(connection, label)


def test_my1_four_byte_characters_live_in_columns_and_in_json(store_url: URL) -> None:
    store = DemandStore(store_url)
    write_missing(store, "label-1", [row(name=WIDE, post=WIDE, reason=WIDE, ext={"desc": WIDE})])
    found = rows_of(store)[0]
    assert (found["name"], found["reason"], found["ext_data"]["desc"]) == (WIDE, WIDE, WIDE)
    assert asked(store_url, "SELECT count(*) FROM demand_content WHERE name = :name", name=WIDE) == [(1,)]


@REAL
def test_my1_connection_table_and_columns_are_utf8mb4(mariadb_store: DemandStore, mariadb_url: URL) -> None:
    with mariadb_store.reading() as connection:
        assert connection.execute(text("SELECT @@character_set_client, @@character_set_connection")).one() == (
            "utf8mb4",
            "utf8mb4",
        )
    columns = asked(
        mariadb_url,
        "SELECT DISTINCT character_set_name FROM information_schema.columns "
        "WHERE table_schema = DATABASE() AND table_name = 'demand_content' AND character_set_name IS NOT NULL",
    )
    assert columns == [("utf8mb4",)]


def test_my4_ext_data_is_an_object_and_is_decoded_once(store_url: URL) -> None:
    store = DemandStore(store_url)
    write_missing(store, "label-1", [row(ext={"text": '{"a": 1}', "big": 2**60, "half": 0.1})])
    ext_data = rows_of(store)[0]["ext_data"]
    assert (ext_data["text"], ext_data["big"], ext_data["half"]) == ('{"a": 1}', 2**60, 0.1)
    kind = "json_type(ext_data), json_valid(ext_data)"
    assert [(str(found).lower(), valid) for found, valid in asked(store_url, f"SELECT {kind} FROM demand_content")] == [
        ("object", 1)
    ]


def test_my4_the_id_inside_the_pack_is_a_number(store_url: URL) -> None:
    store = DemandStore(store_url)
    write_missing(store, "label-1", [row()])
    path = "$.evidence_pack.demand_content_id"
    [(inside, kind, row_id)] = asked(
        store_url,
        "SELECT json_extract(ext_data, :path), json_type(json_extract(ext_data, :path)), id FROM demand_content",
        path=path,
    )
    assert (int(inside), kind.lower()) == (row_id, "integer")


def test_my5_no_ext_data_is_refused_and_never_stored_as_json_null(store_url: URL) -> None:
    store = DemandStore(store_url)
    with pytest.raises(StoreUnwritable):
        store.write("label-1", lambda connection: insert_rows(connection, [row() | {"ext_data": None}]))
    assert asked(store_url, "SELECT count(*) FROM demand_content") == [(0,)]


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf")])
def test_my6_nan_inside_json_is_refused_and_takes_nothing_with_it(store_url: URL, value: float) -> None:
    store = DemandStore(store_url)
    rows = [row(post="p1"), row(post="p2", ext={"lift": value})]
    with pytest.raises((StoreUnwritable, strict_json.JsonRefused), match="no strict JSON form"):
        write_missing(store, "label-1", rows)
    assert asked(store_url, "SELECT count(*) FROM demand_content") == [(0,)]


@REAL
def test_my8_the_session_is_strict_even_where_the_server_is_not(mariadb_store: DemandStore, mariadb_url: URL) -> None:
    loose = DemandStore(mariadb_url.update_query_dict({"init_command": "SET sql_mode = ''"}))
    with loose.reading() as connection:
        assert "STRICT_ALL_TABLES" in connection.execute(text("SELECT @@SESSION.sql_mode")).scalar_one()
    with pytest.raises(StoreUnwritable, match="too long"):
        write_missing(loose, "label-1", [row(name="x" * 256)])


@REAL
@pytest.mark.parametrize("changes", [{"name": "x" * 256}, {"dt": "2026060112"}, {"score": None}, {"name": None}])
def test_my8_a_value_that_does_not_fit_is_refused_and_not_cut(
    mariadb_store: DemandStore, mariadb_url: URL, changes: dict[str, Any]
) -> None:
    with pytest.raises(StoreUnwritable):
        write_missing(mariadb_store, "label-1", [row(), row(post="p2") | changes])
    assert asked(mariadb_url, "SELECT count(*) FROM demand_content") == [(0,)]


def test_my8_a_score_keeps_every_digit(store_url: URL) -> None:
    store = DemandStore(store_url)
    scores = (0.0, 1.0, 0.0001, 0.3333, 0.9999, 0.1 + 0.2)
    write_missing(store, "label-1", [row(post=str(score), score=score) for score in scores])
    assert tuple(found["score"] for found in rows_of(store)) == scores


@REAL
@pytest.mark.parametrize("together", [False, True], ids=["as it comes", "all between insert and update"])
def test_my9_eight_writers_of_different_labels_all_get_through(
    mariadb_store: DemandStore, mariadb_url: URL, together: bool
) -> None:
    """Each writes the same 20 keys in an order of its own."""
    start, inserted = threading.Barrier(8), threading.Barrier(8, timeout=5)

    def work(number: int) -> int:
        label, posts = f"label-{number}", [str(place) for place in range(20)]
        random.Random(number).shuffle(posts)
        tries: list[int] = []

        def meet() -> None:
            tries.append(1)
            if together and len(tries) == 1:
                inserted.wait()

        start.wait()
        return write_missing(DemandStore(mariadb_url), label, [row(label, post=post) for post in posts], meet)

    with ThreadPoolExecutor(8) as pool:
        written = list(pool.map(work, range(8)))
    wrong_id = "JSON_EXTRACT(ext_data, '$.evidence_pack.demand_content_id') <> id"
    assert written == [20] * 8
    assert asked(mariadb_url, "SELECT count(*) FROM demand_content") == [(160,)]
    assert all(len(_keys(mariadb_store, f"label-{number}")) == 20 for number in range(8))
    assert asked(mariadb_url, f"SELECT count(*) FROM demand_content WHERE {wrong_id}") == [(0,)]


def _keys(store: DemandStore, label: str) -> Any:
    with store.reading() as connection:
        return read_keys(connection, label)


def test_my10_ids_are_found_by_key_and_the_smallest_wins(store_url: URL) -> None:
    store = DemandStore(store_url)
    for values in (row(), row(post="p2"), row()):
        store.write("label-1", lambda connection, values=values: insert_rows(connection, [values]))
    with store.reading() as connection:
        found = read_keys(connection, "label-1")
    assert {key.source_post_id: row_id for key, row_id in found.items()} == {"p1": 1, "p2": 2}


@REAL
def test_my12_a_connection_killed_half_way_is_replaced_and_the_write_happens_once(
    mariadb_store: DemandStore, mariadb_url: URL
) -> None:
    tries: list[int] = []

    def work(connection: Connection) -> None:
        tries.append(connection.execute(text("SELECT CONNECTION_ID()")).scalar_one())
        insert_rows(connection, [row(), row(post="p2")])
        if len(tries) < 3:
            _kill(mariadb_url, tries[-1])
        connection.execute(text("SELECT 1"))

    mariadb_store.write("label-1", work)
    assert len(set(tries)) == 3
    assert asked(mariadb_url, "SELECT count(*) FROM demand_content") == [(2,)]


@REAL
def test_my12_a_connection_that_waited_too_long_is_replaced(mariadb_store: DemandStore, mariadb_url: URL) -> None:
    tries: list[float] = []

    def work(connection: Connection) -> None:
        insert_rows(connection, [row()])
        tries.append(time.monotonic())
        if len(tries) == 1:
            connection.execute(text("SET SESSION wait_timeout = 1"))
            time.sleep(1.6)
        insert_rows(connection, [row(post="p2")])

    mariadb_store.write("label-1", work)
    assert len(tries) == 2
    assert asked(mariadb_url, "SELECT count(*) FROM demand_content") == [(2,)]


@REAL
def test_my12_a_connection_that_is_always_lost_ends_in_one_typed_error(
    mariadb_store: DemandStore, mariadb_url: URL
) -> None:
    def work(connection: Connection) -> None:
        insert_rows(connection, [row()])
        _kill(mariadb_url, connection.execute(text("SELECT CONNECTION_ID()")).scalar_one())
        connection.execute(text("SELECT 1"))

    with pytest.raises(StoreUnwritable, match="could not be used"):
        mariadb_store.write("label-1", work)
    assert asked(mariadb_url, "SELECT count(*) FROM demand_content") == [(0,)]


def _kill(url: URL, connection_id: int) -> None:
    """End another session and see it gone, so that its locks are gone too."""
    asked_statement = "SELECT count(*) FROM information_schema.processlist WHERE id = :id"
    changed(url, f"KILL {connection_id}")
    while asked(url, asked_statement, id=connection_id) != [(0,)]:
        time.sleep(0.01)


@REAL
def test_d064a_a_writer_waits_for_the_lock_of_its_label_and_says_so_in_the_end(
    mariadb_store: DemandStore, mariadb_url: URL, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store_engine, "LOCK_WAIT_S", 1)
    held, release = threading.Event(), threading.Event()

    def hold(_: Connection) -> None:
        held.set()
        release.wait(30)

    holder = threading.Thread(target=DemandStore(mariadb_url).write, args=("label-1", hold))
    holder.start()
    assert held.wait(10)
    with pytest.raises(StoreUnwritable, match="another writer held the lock"):
        write_missing(mariadb_store, "label-1", [row()])
    assert write_missing(mariadb_store, "LABEL-1", [row("LABEL-1")]) == 1
    release.set()
    holder.join()
    assert write_missing(mariadb_store, "label-1", [row()]) == 1


@REAL
def test_d064a_the_lock_is_given_back_after_a_failure(mariadb_store: DemandStore, mariadb_url: URL) -> None:
    def fail(_: Connection) -> None:
        raise ValueError("in the middle")

    with pytest.raises(ValueError, match="in the middle"):
        mariadb_store.write("label-1", fail)
    assert write_missing(DemandStore(mariadb_url), "label-1", [row()]) == 1


@pytest.mark.parametrize("url", ["postgresql+psycopg://u:secret-9@h/d", "oracle://u:secret-9@h/d", "mysql+nope://h/d"])
def test_d003_another_kind_of_database_is_refused_without_its_password(url: str) -> None:
    from sqlalchemy.engine import make_url

    with pytest.raises(SettingsError) as caught:
        DemandStore(make_url(url))
    assert "secret-9" not in str(caught.value)


@REAL
def test_d003_an_error_of_the_server_carries_no_password(mariadb_url: URL) -> None:
    wrong = mariadb_url.set(username="nobody_here", password="secret-9")
    with pytest.raises(StoreUnwritable) as caught:
        DemandStore(wrong).has_table()
    assert "secret-9" not in str(caught.value)


def test_d064a_a_database_without_the_table_names_the_command_that_makes_it(tmp_path: Any) -> None:
    (tmp_path / "empty.db").touch()
    store = DemandStore(URL.create("sqlite", database=str(tmp_path / "empty.db")))
    assert not store.has_table()
    with pytest.raises(StoreUnwritable, match="pattern2plan db upgrade"):
        write_missing(store, "label-1", [row()])
