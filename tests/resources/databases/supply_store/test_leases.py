"""Leases: one worker a task, and a killed worker's task comes free by itself (S-005, MY13)."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta, timezone

import pytest

from resources.databases.supply_store.engine import SupplyStore
from resources.databases.supply_store.states import Stage, TaskStatus
from resources.databases.supply_store.tasks.ext import set_ext
from resources.databases.supply_store.tasks.leases import acquire, release, renew, require_lease, revoke
from resources.databases.supply_store.tasks.tasks import move
from resources.foundation.clock import epoch_ms
from resources.foundation.errors import LeaseLost
from tests.resources.databases.supply_store.supply_rows import NOW, add_tasks, task_of


def taken(store: SupplyStore, owner: str, *, after_s: float = 0, ttl_s: float = 60, task_id: str = "t1") -> bool:
    now = NOW + timedelta(seconds=after_s)
    return store.write(lambda connection: acquire(connection, task_id, owner, now=now, ttl_s=ttl_s))


def test_s005_a_free_lease_is_taken_and_kept_from_others_until_it_runs_out(supply: SupplyStore) -> None:
    add_tasks(supply)
    assert taken(supply, "me")
    assert not taken(supply, "other", after_s=59.9)
    assert taken(supply, "other", after_s=60)
    assert not taken(supply, "me", after_s=61)
    assert not taken(supply, "me", task_id="t9")


def test_s005_the_owner_takes_its_own_lease_again(supply: SupplyStore) -> None:
    add_tasks(supply)
    assert taken(supply, "me")
    assert taken(supply, "me", after_s=30)
    assert not taken(supply, "other", after_s=89)


def test_my13_a_lease_of_50_ms_lasts_50_ms(supply: SupplyStore) -> None:
    add_tasks(supply)
    assert taken(supply, "me", ttl_s=0.05)
    assert not taken(supply, "other", after_s=0.049)
    assert taken(supply, "other", after_s=0.05)


def test_my13_the_zone_of_the_clock_does_not_matter(supply: SupplyStore) -> None:
    add_tasks(supply)
    assert taken(supply, "me")
    elsewhere = (NOW + timedelta(seconds=59)).astimezone(timezone(timedelta(hours=8)))
    assert not supply.write(lambda connection: acquire(connection, "t1", "other", now=elsewhere, ttl_s=60))


@pytest.mark.parametrize("name", ["", "O'Brien\\", "神🫠", "null"])
def test_s005_any_name_may_own_a_lease(supply: SupplyStore, name: str) -> None:
    add_tasks(supply)
    assert taken(supply, name)
    assert taken(supply, name, after_s=1)
    assert not taken(supply, "other", after_s=1)
    supply.write(lambda connection: release(connection, "t1", name))
    assert taken(supply, "other", after_s=1)


def test_s005_of_eight_workers_exactly_one_acquires(supply: SupplyStore) -> None:
    add_tasks(supply)
    start = threading.Barrier(8)

    def work(number: int) -> bool:
        start.wait()
        return taken(supply, f"worker {number}")

    with ThreadPoolExecutor(8) as pool:
        won = [number for number, got in enumerate(pool.map(work, range(8))) if got]
    assert len(won) == 1
    assert task_of(supply).ext["lease"]["owner"] == f"worker {won[0]}"


def test_s005_renewing_says_which_leases_are_still_ones_own(supply: SupplyStore) -> None:
    add_tasks(supply, ["t1", "t2", "t3"])
    for task_id, owner in (("t1", "me"), ("t2", "other")):
        assert taken(supply, owner, task_id=task_id)
    later = NOW + timedelta(seconds=50)
    names = ["t1", "t2", "t3", "t9"]
    assert supply.write(lambda connection: renew(connection, names, "me", now=later, ttl_s=60)) == {"t1"}
    assert not taken(supply, "other", after_s=109)
    assert taken(supply, "me", after_s=60, task_id="t2"), "the other one's was not prolonged"


def test_s005_only_the_owner_gives_a_lease_back(supply: SupplyStore) -> None:
    add_tasks(supply)
    assert taken(supply, "me")
    supply.write(lambda connection: release(connection, "t1", "other"))
    assert not taken(supply, "other")
    supply.write(lambda connection: release(connection, "t1", "me"))
    assert taken(supply, "other")


def test_dg11_a_revoked_task_is_not_for_runs_of_then_and_is_for_later_ones(supply: SupplyStore) -> None:
    add_tasks(supply, ["t1", "t2", "done", "other"], batch="581")
    supply.write(lambda connection: set_ext(connection, "other", "batch", "582"))
    for task_id in ("t1", "other"):
        assert taken(supply, "me", task_id=task_id)
    supply.write(
        lambda connection: move(
            connection, task_of(supply, "done"), status=TaskStatus.CANCELLED, stage=Stage.INIT, owner=None, at=NOW
        )
    )
    fence = epoch_ms(NOW)

    def acquired(task_id: str, since_ms: int | None) -> bool:
        return supply.write(
            lambda connection: acquire(connection, task_id, "again", now=NOW, ttl_s=60, since_ms=since_ms)
        )

    assert supply.write(lambda connection: revoke(connection, {"581": fence, "583": fence})) == 2
    assert supply.write(lambda connection: revoke(connection, {"581": fence - 5})) == 2
    with pytest.raises(LeaseLost, match="t1"):
        supply.write(lambda connection: require_lease(connection, "t1", "me"))
    assert supply.write(lambda connection: require_lease(connection, "other", "me")).task_id == "other"
    assert "revoked_ms" not in task_of(supply, "done").ext
    assert [acquired(task_id, fence) for task_id in ("t1", "t2")] == [False, False]
    assert acquired("t1", fence + 1), "a run that was created later"
    assert acquired("t2", None), "no run at all"
