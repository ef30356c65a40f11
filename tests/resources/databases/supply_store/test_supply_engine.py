"""The supply store over its databases: whole transactions, lost connections, deadlocks, threads (S-041, MY9, MY12)."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest
from sqlalchemy import Connection, text
from sqlalchemy.engine import URL, make_url

from resources.databases.supply_store.engine import SupplyStore
from resources.databases.supply_store.tasks.ext import set_ext
from resources.databases.supply_store.tasks.tasks import NewTask, insert_tasks, read_task, tasks_of_keys
from resources.foundation.errors import SettingsError, StoreUnwritable
from tests.real_servers import run_as_administrator
from tests.resources.databases.supply_store.supply_rows import add_tasks, asked, task_of

REAL = pytest.mark.real_server


def test_s041_all_of_a_write_happens_or_nothing(supply: SupplyStore) -> None:
    add_tasks(supply)

    def work(connection: Connection) -> None:
        set_ext(connection, "t1", "note", 1)
        raise ValueError("in the middle")

    with pytest.raises(ValueError, match="in the middle"):
        supply.write(work)
    assert "note" not in task_of(supply).ext


def test_s041_many_threads_share_one_store(supply: SupplyStore) -> None:
    add_tasks(supply, [f"t{number}" for number in range(8)])
    start = threading.Barrier(8)

    def work(number: int) -> None:
        start.wait()
        for step in range(5):
            supply.write(partial(set_ext, task_id=f"t{number}", path="step", value=step))

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(8)))
    assert {task_of(supply, f"t{number}").ext["step"] for number in range(8)} == {4}


def test_s003_a_key_that_another_worker_took_repeats_the_write_which_finds_the_task(supply: SupplyStore) -> None:
    """The second worker decides before the first has written, and writes after it."""
    add_tasks(supply, ["first"])
    reads: list[bool] = []

    def work(connection: Connection) -> str:
        known = tasks_of_keys(connection, ["key of first"])
        reads.append(bool(known))
        if len(reads) > 1 and known:
            return known["key of first"].task_id
        late = NewTask(task_id="second", demand_snapshot_id=1, demand_id=0, idempotency_key="key of first", ext={})
        insert_tasks(connection, [late])
        return "second"

    if supply.backend == "sqlite":
        # One writer at a time: what it read still holds, so a taken key is a mistake of the caller.
        with pytest.raises(StoreUnwritable):
            supply.write(work)
    else:
        assert supply.write(work) == "first"
    assert [row[0] for row in asked(supply, "SELECT task_id FROM supply_task")] == ["first"]


@REAL
def test_my8_my13_the_session_is_strict_utc_and_reads_what_is_committed(mariadb_supply: SupplyStore) -> None:
    [(mode, zone, isolation, charset)] = asked(
        mariadb_supply, "SELECT @@SESSION.sql_mode, @@SESSION.time_zone, @@tx_isolation, @@character_set_client"
    )
    assert "STRICT_ALL_TABLES" in mode
    assert (zone, isolation, charset) == ("+00:00", "READ-COMMITTED", "utf8mb4")


def test_s041_foreign_keys_hold(supply: SupplyStore) -> None:
    orphan = NewTask(task_id="t1", demand_snapshot_id=99, demand_id=1, idempotency_key=None, ext={})
    with pytest.raises(StoreUnwritable, match=r"(?i)foreign key"):
        supply.write(lambda connection: insert_tasks(connection, [orphan]))


@REAL
def test_my12_a_pooled_connection_that_the_server_closed_is_replaced(
    mariadb_supply: SupplyStore, mariadb_supply_url: URL
) -> None:
    add_tasks(mariadb_supply)
    for _ in range(2):
        [(idle,)] = asked(mariadb_supply, "SELECT CONNECTION_ID()")
        _kill(mariadb_supply_url, idle)
    mariadb_supply.write(lambda connection: set_ext(connection, "t1", "after", True))
    assert task_of(mariadb_supply).ext["after"] is True


@REAL
def test_my12_a_connection_lost_half_way_repeats_the_whole_write(
    mariadb_supply: SupplyStore, mariadb_supply_url: URL
) -> None:
    add_tasks(mariadb_supply)
    tries: list[int] = []

    def work(connection: Connection) -> None:
        tries.append(connection.execute(text("SELECT CONNECTION_ID()")).scalar_one())
        set_ext(connection, "t1", f"try_{len(tries)}", 1)
        if len(tries) < 3:
            _kill(mariadb_supply_url, tries[-1])
        connection.execute(text("SELECT 1"))

    mariadb_supply.write(work)
    assert len(set(tries)) == 3
    assert [key for key in task_of(mariadb_supply).ext if key.startswith("try_")] == ["try_3"]


@REAL
def test_my12_a_connection_that_is_always_lost_ends_in_one_typed_error(
    mariadb_supply: SupplyStore, mariadb_supply_url: URL
) -> None:
    def work(connection: Connection) -> None:
        _kill(mariadb_supply_url, connection.execute(text("SELECT CONNECTION_ID()")).scalar_one())
        connection.execute(text("SELECT 1"))

    with pytest.raises(StoreUnwritable, match="the supply store could not be used"):
        mariadb_supply.write(work)


@REAL
def test_my9_of_two_writers_in_a_deadlock_both_get_through(mariadb_supply: SupplyStore) -> None:
    add_tasks(mariadb_supply, ["t1", "t2"])
    both_hold_one = threading.Barrier(2, timeout=10)
    tries: list[str] = []

    def work(order: tuple[str, str]) -> None:
        first_try = True

        def in_order(connection: Connection) -> None:
            nonlocal first_try
            tries.append(order[0])
            set_ext(connection, order[0], f"by_{order[0]}", 1)
            if first_try:
                first_try = False
                both_hold_one.wait()
            set_ext(connection, order[1], f"by_{order[0]}", 1)

        mariadb_supply.write(in_order)

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(work, [("t1", "t2"), ("t2", "t1")]))
    assert len(tries) == 3, "one of them was the victim and came again"
    for name in ("t1", "t2"):
        assert {"by_t1", "by_t2"} <= set(task_of(mariadb_supply, name).ext)


def _kill(url: URL, connection_id: int) -> None:
    """End another session and see it gone, so that its locks are gone too."""
    watcher = SupplyStore(url)
    run_as_administrator(url, f"KILL {connection_id}")
    while asked(watcher, "SELECT 1 FROM information_schema.processlist WHERE id = :id", id=connection_id):
        time.sleep(0.01)
    watcher.close()


@pytest.mark.parametrize("url", ["postgresql+psycopg://u:secret-9@h/d", "oracle://u:secret-9@h/d", "mysql+nope://h/d"])
def test_d003_another_kind_of_database_is_refused_without_its_password(url: str) -> None:
    with pytest.raises(SettingsError) as caught:
        SupplyStore(make_url(url))
    assert "secret-9" not in str(caught.value)


@REAL
def test_d003_an_error_of_the_server_carries_no_account_or_password(empty_mariadb_url: URL) -> None:
    wrong = empty_mariadb_url.set(username="nobody_here", password="secret-9")
    with pytest.raises(StoreUnwritable, match="SUPPLY_STORE_MYSQL_DSN") as caught:
        SupplyStore(wrong).has_tables()
    assert "secret-9" not in str(caught.value)


def test_d003_a_server_that_is_not_there_is_a_typed_error() -> None:
    url = URL.create("mysql+pymysql", username="u", password="secret-9", host="127.0.0.1", port=1, database="d")
    with pytest.raises(StoreUnwritable) as caught:
        SupplyStore(url, connect_timeout_s=1).has_tables()
    assert "secret-9" not in str(caught.value)
    assert "127.0.0.1" not in str(caught.value)


def test_s041_a_closed_store_opens_again(supply: SupplyStore) -> None:
    add_tasks(supply)
    supply.close()
    assert task_of(supply).task_id == "t1"


def test_s041_a_reader_that_stays_does_not_stop_a_writer_and_sees_what_it_saw(supply: SupplyStore) -> None:
    add_tasks(supply)
    with supply.reading() as connection:
        before = read_task(connection, "t1")
        supply.write(lambda other: set_ext(other, "t1", "note", 1))
    assert "note" not in before.ext
    assert task_of(supply).ext["note"] == 1
