"""A task has one plan row, whoever asks for it and how often (S-028, GW3)."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import Connection

from resources.databases.supply_store.articles.plans import (
    NewPlan,
    Reserved,
    plans_by_crawler_id,
    plans_of_tasks,
    record_plan,
    reserve_plan,
)
from resources.databases.supply_store.engine import SupplyStore
from resources.foundation.errors import LeaseLost, NoSuchTask
from tests.resources.databases.supply_store.supply_rows import add_tasks, asked, give_lease, read, task_of


def plan(name: str = "plan", task_id: str = "t1") -> NewPlan:
    return NewPlan(
        task_id=task_id, plan_type="BY_CONTENT", request_payload={"name": name}, plan_status="INTENDED", input_count=3
    )


def reserved(store: SupplyStore, row: NewPlan, owner: str = "me") -> Reserved:
    task = task_of(store, row.task_id)
    return store.write(lambda connection: reserve_plan(connection, task, row, owner))


def test_s028_the_row_that_stands_is_given_again(supply: SupplyStore) -> None:
    add_tasks(supply)
    give_lease(supply, "me")
    first, again = reserved(supply, plan("first")), reserved(supply, plan("second"))
    assert (first.stood_already, again.stood_already) == (False, True)
    assert first.row == again.row
    assert again.row.request_payload == {"name": "first"}
    assert asked(supply, "SELECT count(*) FROM supply_crawler_plan") == [(1,)]


def test_gw3_of_eight_that_reserve_at_once_one_makes_the_row(supply: SupplyStore) -> None:
    add_tasks(supply)
    give_lease(supply, "me")
    start = threading.Barrier(8)

    def work(number: int) -> Reserved:
        start.wait()
        return reserved(supply, plan(f"plan {number}"))

    with ThreadPoolExecutor(8) as pool:
        done = list(pool.map(work, range(8)))
    assert len({item.row.id for item in done}) == 1
    assert sorted(item.stood_already for item in done) == [False, *[True] * 7]


def test_gw3_who_reserves_while_another_does_waits_and_finds_its_row(supply: SupplyStore) -> None:
    add_tasks(supply)
    give_lease(supply, "me")
    task, reserving = task_of(supply), threading.Event()

    def slowly(connection: Connection) -> Reserved:
        first = reserve_plan(connection, task, plan("first"), "me")
        reserving.set()
        time.sleep(0.3)
        return first

    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(supply.write, slowly)
        assert reserving.wait(10)
        second = reserved(supply, plan("second"))
        assert second == Reserved(first.result().row, True)


def test_s005_without_the_lease_nothing_is_reserved(supply: SupplyStore) -> None:
    add_tasks(supply)
    give_lease(supply, "other")
    with pytest.raises(LeaseLost):
        reserved(supply, plan())
    assert asked(supply, "SELECT count(*) FROM supply_crawler_plan") == [(0,)]


def test_s028_what_the_platform_said_is_recorded(supply: SupplyStore) -> None:
    add_tasks(supply, ["t1", "t2"])
    rows = []
    for task_id in ("t1", "t2"):
        give_lease(supply, "me", task_id)
        rows.append(reserved(supply, plan(task_id=task_id)).row)
    columns = {"crawler_plan_id": "P-1", "plan_status": "CREATED", "response_payload": {"code": 0}, "error_code": None}
    supply.write(lambda connection: record_plan(connection, rows[0].id, **columns))
    first, second = read(supply, lambda connection: plans_of_tasks(connection, ["t2", "t1"]))
    assert (first.crawler_plan_id, first.plan_status, first.response_payload) == ("P-1", "CREATED", {"code": 0})
    assert (second.crawler_plan_id, second.plan_status) == (None, "INTENDED")
    with pytest.raises(ValueError, match="no columns of a plan"):
        supply.write(lambda connection: record_plan(connection, rows[0].id, nonsense=1))
    with pytest.raises(ValueError, match="no plan row"):
        supply.write(lambda connection: record_plan(connection, 10**6, plan_status="CREATED"))


def test_s006_a_plan_is_found_by_the_platforms_id_exactly(supply: SupplyStore) -> None:
    add_tasks(supply)
    give_lease(supply, "me")
    row = reserved(supply, plan()).row
    supply.write(lambda connection: record_plan(connection, row.id, crawler_plan_id="Plan🫠"))

    def found(plan_id: str) -> list[int]:
        return read(supply, lambda connection: [item.id for item in plans_by_crawler_id(connection, plan_id)])

    assert found("Plan🫠") == [row.id]
    assert found("plan🫠") == found("Plan🎉") == found("Plan") == []


def test_s028_a_task_that_is_gone_has_no_plan(supply: SupplyStore) -> None:
    from dataclasses import replace

    add_tasks(supply)
    task = replace(task_of(supply), task_id="gone")
    with pytest.raises(NoSuchTask):
        supply.write(lambda connection: reserve_plan(connection, task, plan(), "me"))
