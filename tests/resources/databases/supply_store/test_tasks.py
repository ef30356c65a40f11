"""Tasks: once a key, moved by compare-and-set, with an ``ext`` that keeps its other keys (S-003, S-004)."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from resources.databases.supply_store.engine import SupplyStore
from resources.databases.supply_store.states import Stage, TaskStatus
from resources.databases.supply_store.tasks.evidence import find_tasks_with_evidence
from resources.databases.supply_store.tasks.ext import set_ext
from resources.databases.supply_store.tasks.heads import most_urgent
from resources.databases.supply_store.tasks.leases import acquire
from resources.databases.supply_store.tasks.snapshots import NewSnapshot, insert_snapshots, snapshot_versions
from resources.databases.supply_store.tasks.tasks import (
    TaskRow,
    lock_task,
    move,
    read_task,
    read_tasks,
    tasks_of_demands,
    tasks_of_keys,
)
from resources.foundation.errors import IllegalMove, LeaseLost, NoSuchTask, StaleTask
from tests.resources.databases.supply_store.supply_rows import (
    NOW,
    add_tasks,
    asked,
    give_lease,
    read,
    statements_of,
    task_of,
)

LATER = NOW + timedelta(seconds=2, milliseconds=125)
SAME_STORE = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=40)
POSTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1)
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(-1e6, 1e6, width=32)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("abc中🫠", min_size=1), inner, max_size=3),
    max_leaves=6,
)


def moved(store: SupplyStore, task: TaskRow, status: str, stage: str, **options: Any) -> TaskRow:
    options = {"owner": None, "at": NOW} | options
    return store.write(
        lambda connection: move(connection, task, status=TaskStatus(status), stage=Stage(stage), **options)
    )


def test_s005_a_new_task_has_a_free_lease_and_waits(supply: SupplyStore) -> None:
    add_tasks(supply, batch="581")
    task = task_of(supply)
    assert task.ext == {"batch": "581", "lease": {"owner": None, "until_ms": 0}}
    assert (task.status, task.current_stage, task.retry_count) == (TaskStatus.PENDING, Stage.INIT, 0)
    assert (task.started_at, task.finished_at, task.error_code, task.is_idempotent) == (None, None, None, True)


def test_s003_tasks_are_found_by_id_key_demand_and_status(supply: SupplyStore) -> None:
    add_tasks(supply, ["t1", "t2", "t3"])
    moved(supply, task_of(supply, "t2"), "RUNNING", "RECALL")
    with supply.reading() as connection:
        assert list(read_tasks(connection, ["t3", "t1", "none"])) == ["t1", "t3"]
        assert tasks_of_keys(connection, ["key of t2", "none"])["key of t2"].task_id == "t2"
        assert [task.task_id for task in tasks_of_demands(connection, [2, 0, 9])] == ["t1", "t3"]
        assert [task.task_id for task in most_urgent(connection, [TaskStatus.PENDING], 1)] == ["t1"]
        assert [task.task_id for task in most_urgent(connection, [TaskStatus.RUNNING], 9)] == ["t2"]
        assert read_tasks(connection, []) == {}
        for find in (read_task, lock_task):
            with pytest.raises(NoSuchTask, match="t9"):
                find(connection, "t9")


def test_s003_the_versions_of_a_demand_come_the_highest_first(supply: SupplyStore) -> None:
    rows = [NewSnapshot(demand_id=d, version=v, query=f"{d} {v}") for d, v in ((1, 2), (1, 10), (1, 1), (2, 1))]
    ids = supply.write(lambda connection: insert_snapshots(connection, rows))
    versions = read(supply, lambda connection: snapshot_versions(connection, [1, 2, 3]))
    assert {demand_id: [(row.version, row.id) for row in rows] for demand_id, rows in versions.items()} == {
        1: [(10, ids[(1, 10)]), (2, ids[(1, 2)]), (1, ids[(1, 1)])],
        2: [(1, ids[(2, 1)])],
    }


def test_s004_a_move_is_written_with_its_times_and_comes_back_as_it_stands(supply: SupplyStore) -> None:
    add_tasks(supply)
    running = moved(supply, task_of(supply), "RUNNING", "RECALL")
    standing = task_of(supply)
    assert (standing.status, standing.current_stage) == (TaskStatus.RUNNING, Stage.RECALL)
    assert standing.started_at == NOW.replace(microsecond=0)
    failed = moved(supply, running, "FAILED", "RECALL", at=LATER, error=("timeout", "m" * 9000))
    assert (failed.error_code, failed.duration_ms) == ("timeout", 2125)
    assert len(failed.error_message or "") == 4000
    assert failed.finished_at == LATER.replace(microsecond=0)
    resumed = moved(supply, failed, "RUNNING", "RECALL", at=LATER)
    assert (resumed.error_code, resumed.error_message, resumed.finished_at, resumed.duration_ms) == (None,) * 4
    assert (resumed.retry_count, resumed.started_at) == (1, standing.started_at)
    untouched = {"created_at", "updated_at"}
    names = set(TaskRow.__dataclass_fields__) - untouched
    assert {n: getattr(resumed, n) for n in names} == {n: getattr(task_of(supply), n) for n in names}


def test_s004_an_illegal_move_names_both_states_and_sends_nothing(supply: SupplyStore) -> None:
    add_tasks(supply)
    task = task_of(supply)
    with statements_of(supply) as sent, pytest.raises(IllegalMove, match="PENDING at INIT to RANKED at RANK"):
        moved(supply, task, "RANKED", "RANK")
    assert [statement for statement in sent if "supply_task" in statement] == []


def test_s004_a_task_that_somebody_else_moved_is_stale_and_both_states_are_named(supply: SupplyStore) -> None:
    add_tasks(supply)
    early = task_of(supply)
    moved(supply, early, "RUNNING", "RECALL")
    with pytest.raises(StaleTask, match="PENDING at INIT and is RUNNING at RECALL"):
        moved(supply, early, "CANCELLED", "INIT")
    running = task_of(supply)
    failed = moved(supply, running, "FAILED", "RECALL", error=("timeout", "m"))
    with pytest.raises(StaleTask, match="RUNNING at RECALL and is FAILED at RECALL"):
        moved(supply, running, "RECALL_DONE", "RECALL")
    moved(supply, failed, "RUNNING", "RECALL")
    moved(supply, running, "RECALL_DONE", "ACCOUNT_ENRICH")
    moved(supply, task_of(supply), "ENRICHED", "ACCOUNT_PROFILE")
    at_profile = task_of(supply)
    moved(supply, at_profile, "ENRICHED", "CONTENT_ENRICH")
    with pytest.raises(StaleTask, match="ACCOUNT_PROFILE and is ENRICHED at CONTENT_ENRICH"):
        moved(supply, at_profile, "ENRICHED", "CONTENT_ENRICH")


def test_s005_a_worker_without_the_lease_moves_nothing(supply: SupplyStore) -> None:
    add_tasks(supply)
    task = task_of(supply)
    with pytest.raises(LeaseLost, match="t1"):
        moved(supply, task, "RUNNING", "RECALL", owner="me")
    give_lease(supply, "other")
    with pytest.raises(LeaseLost, match="t1"):
        moved(supply, task, "RUNNING", "RECALL", owner="me")
    assert task_of(supply).status == TaskStatus.PENDING
    moved(supply, task, "RUNNING", "RECALL", owner="other")


def test_s004_a_task_that_is_gone_is_said_to_be_gone(supply: SupplyStore) -> None:
    from dataclasses import replace

    add_tasks(supply)
    with pytest.raises(NoSuchTask):
        moved(supply, replace(task_of(supply), task_id="gone"), "RUNNING", "RECALL")


def test_s004_of_eight_that_move_one_task_one_does(supply: SupplyStore) -> None:
    add_tasks(supply)
    task, start = task_of(supply), threading.Barrier(8)

    def work(_: int) -> bool:
        start.wait()
        try:
            moved(supply, task, "RUNNING", "RECALL")
        except StaleTask:
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(work, range(8))) == 1


def test_s041_ext_keeps_the_keys_it_is_not_told_to_change(supply: SupplyStore) -> None:
    add_tasks(supply, big=2**60, half=0.1, text="神兵𠮷", nested={"a": [1, {"b": None}]})
    before = task_of(supply).ext
    supply.write(lambda connection: set_ext(connection, "t1", "review", {"state": "HELD"}))
    supply.write(lambda connection: set_ext(connection, "t1", "cycle", 2))
    assert task_of(supply).ext == before | {"review": {"state": "HELD"}, "cycle": 2}
    [(kind,)] = asked(supply, "SELECT json_type(json_extract(ext, '$.review')) FROM supply_task")
    assert str(kind).lower() == "object"


@SAME_STORE
@given(value=JSON)
def test_my4_whatever_json_is_put_into_ext_comes_back(supply: SupplyStore, value: Any) -> None:
    if not read(supply, lambda connection: read_tasks(connection, ["t1"])):
        add_tasks(supply, other={"stays": True})
    supply.write(lambda connection: set_ext(connection, "t1", "value", value))
    ext = task_of(supply).ext
    assert (ext["value"], ext["other"]) == (value, {"stays": True})
    assert isinstance(ext["value"], bool) == isinstance(value, bool)


def test_s041_ext_takes_one_plain_key_of_a_task_that_is_there(supply: SupplyStore) -> None:
    add_tasks(supply)
    for path in ("a.b", "", "$", "a b", 'a"', "a[0]"):
        with pytest.raises(ValueError, match="not one plain key"):
            supply.write(lambda connection, path=path: set_ext(connection, "t1", path, 1))
    with pytest.raises(NoSuchTask):
        supply.write(lambda connection: set_ext(connection, "t9", "note", 1))


def evidence(posts: list[str], categories: list[int]) -> dict[str, Any]:
    nodes = [{"id": node, "name": None, "path": f"/{node}"} for node in categories]
    return {"matched_post_ids": posts, "categories": nodes}


def test_s006_tasks_are_found_by_post_and_category_exactly(supply: SupplyStore) -> None:
    add_tasks(supply, ["none"])
    add_tasks(supply, ["t1", "t2"], source_evidence=evidence(["p1", 'a"b\\', "🫠"], [5, 77]))
    add_tasks(supply, ["t3"], source_evidence=evidence(["P1", "p11", "神"], [7, 55]))

    def found(**end: Any) -> list[str]:
        return read(supply, lambda connection: find_tasks_with_evidence(connection, limit=9, **end))

    assert found(post_id="p1") == ["t1", "t2"]
    assert found(post_id="P1") == found(post_id="p11") == found(post_id="神") == ["t3"]
    assert found(post_id='a"b\\') == found(post_id="🫠") == ["t1", "t2"]
    assert found(post_id="🎉") == found(post_id="p") == found(post_id="p1 ") == found(post_id="5") == []
    assert found(category_id=5) == found(category_id=77) == ["t1", "t2"]
    assert found(category_id=7) == found(category_id=55) == ["t3"]
    assert found(category_id=57) == found(category_id=0) == []
    assert found(post_id="p1", category_id=7) == []
    assert read(supply, lambda connection: find_tasks_with_evidence(connection, limit=1, post_id="p1")) == ["t1"]
    with pytest.raises(ValueError, match="name a post"):
        found()


@SAME_STORE
@given(
    posts=st.lists(POSTS, max_size=4),
    other=POSTS,
)
def test_s006_a_post_is_found_by_its_id_and_by_no_other(supply: SupplyStore, posts: list[str], other: str) -> None:
    if not read(supply, lambda connection: read_tasks(connection, ["t1"])):
        add_tasks(supply)
    supply.write(lambda connection: set_ext(connection, "t1", "source_evidence", evidence(posts, [])))
    with supply.reading() as connection:
        for post in [*posts, other]:
            assert find_tasks_with_evidence(connection, limit=9, post_id=post) == (["t1"] if post in posts else [])


def test_s041_the_number_of_statements_does_not_depend_on_the_number_of_rows(supply: SupplyStore) -> None:
    sent: dict[int, int] = {}
    for count in (1, 300):
        names = [f"t{count}-{number}" for number in range(count)]
        with statements_of(supply) as statements:
            add_tasks(supply, names)
            assert len(read(supply, lambda connection, names=names: read_tasks(connection, names))) == count
        sent[count] = len(statements)
    assert sent[1] == sent[300]


def test_s005_a_lease_does_not_touch_what_else_is_in_ext(supply: SupplyStore) -> None:
    add_tasks(supply, batch="581")
    supply.write(lambda connection: acquire(connection, "t1", "me", now=NOW, ttl_s=1))
    assert task_of(supply).ext["batch"] == "581"
