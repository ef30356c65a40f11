"""The pool: one row a canonical URL, counted right, never losing what is known (S-020, S-040, MY2, MY9, MY10)."""

from __future__ import annotations

import hashlib
import random
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import Connection, select

from resources.databases.supply_store.articles.candidates import (
    CandidateRow,
    NewCandidate,
    Upserted,
    mark,
    read_candidate,
    read_candidates,
    update_candidates,
    upsert_candidates,
)
from resources.databases.supply_store.engine import SupplyStore
from resources.databases.supply_store.tables import supply_candidate_content
from tests.resources.databases.supply_store.supply_rows import (
    NOW,
    add_candidates,
    add_tasks,
    asked,
    candidate,
    read,
    statements_of,
)


def put(store: SupplyStore, *rows: NewCandidate) -> Upserted:
    return store.write(lambda connection: upsert_candidates(connection, rows))


def pool(store: SupplyStore, *task_ids: str) -> list[CandidateRow]:
    return read(store, lambda connection: read_candidates(connection, task_ids or ["t1"]))


def test_my10_inserted_updated_and_unchanged_rows_are_counted_right(supply: SupplyStore) -> None:
    add_tasks(supply)
    assert put(supply, candidate()) == Upserted(1, 0, 0)
    [first] = pool(supply)
    assert put(supply, candidate(), candidate(2)) == Upserted(1, 0, 1)
    assert put(supply, candidate(view_count=7, publish_time=NOW)) == Upserted(0, 1, 0)
    assert put(supply, candidate(view_count=7, publish_time=NOW), candidate(2), candidate(3)) == Upserted(1, 0, 2)
    assert put(supply) == Upserted(0, 0, 0)
    assert pool(supply)[0].id == first.id
    assert len(pool(supply)) == 3


def test_my10_a_row_given_twice_counts_once(supply: SupplyStore) -> None:
    add_tasks(supply)
    assert put(supply, candidate(like_count=1), candidate(view_count=2)) == Upserted(1, 0, 0)
    [row] = pool(supply)
    assert (row.view_count, row.like_count) == (2, 1)


def test_s020_what_is_known_is_never_replaced_by_what_is_not(supply: SupplyStore) -> None:
    add_tasks(supply)
    known = candidate(
        digest="d", view_count=5, publish_time=NOW, account_id="gh_1", raw_payload={"a": 1},
        quality_flag="REJECT", reject_reason="deleted", is_deleted=True,
    )  # fmt: skip
    put(supply, known)
    assert put(supply, candidate()) == Upserted(0, 0, 1)
    [row] = pool(supply)
    assert (row.digest, row.view_count, row.account_id, row.raw_payload) == ("d", 5, "gh_1", {"a": 1})
    assert (row.quality_flag, row.reject_reason, row.is_deleted) == ("REJECT", "deleted", True)


def test_s020_what_is_newly_known_is_added(supply: SupplyStore) -> None:
    add_tasks(supply)
    put(supply, candidate(view_count=5))
    assert put(supply, candidate(title="new", view_count=6, raw_payload={"b": [1]}, is_deleted=True)) == Upserted(
        0, 1, 0
    )
    [row] = pool(supply)
    assert (row.title, row.view_count, row.raw_payload, row.is_deleted) == ("new", 6, {"b": [1]}, True)


def test_s020_the_search_that_found_a_candidate_first_stays_on_its_row(supply: SupplyStore) -> None:
    add_tasks(supply)
    put(supply, candidate(source_keyword="first", recall_round=1, recall_page=2))
    assert put(supply, candidate(source_keyword="later", recall_round=3, recall_page=1)) == Upserted(0, 0, 1)
    [row] = pool(supply)
    assert (row.source_keyword, row.recall_round, row.recall_page) == ("first", 1, 2)


@pytest.mark.parametrize("same", [255, 640])
def test_my2_urls_that_share_their_start_stay_two(supply: SupplyStore, same: int) -> None:
    add_tasks(supply)
    urls = ["https://h/" + "x" * (same - 10) + end for end in ("1", "2")]
    rows = [
        NewCandidate(task_id="t1", dedup_hash=hashlib.sha256(url.encode()).hexdigest(), title="t", url=url)
        for url in urls
    ]
    assert put(supply, *rows) == Upserted(2, 0, 0)
    assert [row.url for row in pool(supply)] == urls


def test_s020_ids_follow_the_order_in_which_the_platform_listed(supply: SupplyStore) -> None:
    add_tasks(supply)
    numbers = [7, 2, 9, 1]
    put(supply, *(candidate(number) for number in numbers))
    put(supply, *(candidate(number) for number in (1, 8, 3)))
    assert [row.title for row in pool(supply)] == [f"title {number}" for number in [*numbers, 8, 3]]


def test_s020_one_url_of_two_tasks_is_two_candidates(supply: SupplyStore) -> None:
    add_tasks(supply, ["t1", "t2"])
    assert put(supply, candidate(1, "t1"), candidate(1, "t2")) == Upserted(2, 0, 0)
    assert [row.task_id for row in pool(supply, "t1")] == ["t1"]
    assert [row.task_id for row in pool(supply, "t2")] == ["t2"]


def test_my9_eight_writers_of_the_same_hundred_rows_all_get_through_and_each_row_is_inserted_once(
    supply: SupplyStore,
) -> None:
    add_tasks(supply)
    start = threading.Barrier(8)

    def work(number: int) -> Upserted:
        rows = [candidate(n, view_count=n) for n in range(100)]
        random.Random(number).shuffle(rows)
        start.wait()
        return put(supply, *rows)

    with ThreadPoolExecutor(8) as threads:
        done = list(threads.map(work, range(8)))
    assert len(pool(supply)) == 100
    assert (sum(d.inserted for d in done), sum(d.unchanged for d in done)) == (100, 700)


def test_my9_two_writers_of_one_task_take_turns_and_nobody_has_to_come_again(supply: SupplyStore) -> None:
    add_tasks(supply)
    rows = [candidate(number) for number in range(10)]
    writing, tries = threading.Event(), []

    def slowly(connection: Connection) -> None:
        upsert_candidates(connection, rows)
        writing.set()
        time.sleep(0.3)

    def meanwhile(connection: Connection) -> Upserted:
        tries.append(1)
        return upsert_candidates(connection, rows[::-1])

    with ThreadPoolExecutor(1) as threads:
        first = threads.submit(supply.write, slowly)
        assert writing.wait(10)
        assert supply.write(meanwhile) == Upserted(0, 0, 10)
        first.result()
    assert len(tries) == 1


def test_s041_updates_by_id_set_what_they_name_and_nothing_else(supply: SupplyStore) -> None:
    first, second, third = add_candidates(supply)
    updates: list[dict[str, Any]] = [
        {"id": third.id, "account_id": "gh_3", "raw_payload": {"x": None}},
        {"id": first.id, "account_id": "gh_1", "raw_payload": None},
    ]
    supply.write(lambda connection: update_candidates(connection, updates))
    assert [(row.account_id, row.raw_payload, row.title) for row in pool(supply)] == [
        ("gh_1", None, "title 1"), (None, None, "title 2"), ("gh_3", {"x": None}, "title 3"),
    ]  # fmt: skip
    for wrong in ({"account_id": "gh"}, {"id": second.id, "nonsense": 1}, {"id": second.id, "created_at": NOW}):
        with pytest.raises(ValueError, match=r"names no candidate|no columns of a candidate"):
            supply.write(lambda connection, wrong=wrong: update_candidates(connection, [wrong]))


def test_s030_a_mark_is_set_with_its_reason_and_taken_back(supply: SupplyStore) -> None:
    [first, *_] = add_candidates(supply)
    for flag, reason in (("HELD", "look again (a)"), ("UNKNOWN", None)):
        supply.write(lambda connection, f=flag, r=reason: mark(connection, first.id, f, r))
        row = read(supply, lambda connection: read_candidate(connection, first.id))
        assert row is not None
        assert (row.quality_flag, row.reject_reason) == (flag, reason)
    assert read(supply, lambda connection: read_candidate(connection, 10**9)) is None


def test_s041_a_change_is_stamped(supply: SupplyStore) -> None:
    [first, *_] = add_candidates(supply)
    change = "UPDATE supply_candidate_content SET updated_at = '2020-01-01 00:00:00'"
    supply.write(lambda connection: connection.exec_driver_sql(change))
    supply.write(lambda connection: mark(connection, first.id, "HELD", None))
    put(supply, candidate(2, view_count=1), candidate(3))
    stamped = select(supply_candidate_content.c.updated_at).order_by(supply_candidate_content.c.id)
    years = read(supply, lambda connection: [at.year for at in connection.execute(stamped).scalars()])
    assert [year > 2020 for year in years] == [True, True, False]


def test_s041_the_number_of_statements_does_not_depend_on_the_number_of_rows(supply: SupplyStore) -> None:
    add_tasks(supply, ["t1", "t2"])
    sent = {}
    for task_id, count in (("t1", 1), ("t2", 500)):
        with statements_of(supply) as statements:
            rows = add_candidates(supply, count, task_id)
            changes = [{"id": row.id, "account_id": "gh"} for row in rows]
            supply.write(lambda connection, changes=changes: update_candidates(connection, changes))
        assert len(rows) == count
        sent[count] = len(statements)
    assert sent[1] == sent[500]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=30)
@given(st.lists(st.tuples(st.integers(1, 4), st.none() | st.integers(0, 3)), max_size=8), st.randoms())
def test_my10_counts_add_up_and_writing_the_same_again_changes_nothing(
    supply: SupplyStore, wanted: list[tuple[int, int | None]], shuffling: random.Random
) -> None:
    rows = [candidate(number, view_count=views) for number, views in wanted]
    before = {row.dedup_hash for row in pool(supply)}
    done = put(supply, *rows)
    keys = {row.dedup_hash for row in rows}
    assert sum(done) == len(keys)
    assert done.inserted == len(keys - before)
    again = {row.dedup_hash: row.view_count for row in pool(supply)}
    last = [candidate(number, view_count=again[f"{number:064x}"]) for number, _ in wanted]
    shuffling.shuffle(last)
    assert put(supply, *last) == Upserted(0, 0, len(keys))


def test_s020_the_columns_of_a_candidate_survive_the_round_trip(supply: SupplyStore) -> None:
    row = candidate(
        source_keyword="词", recall_page=3, content_id="c", digest="d", cover_url="https://c", publish_time=NOW,
        account_id="gh", account_name="名", biz_info="b", view_count=0, like_count=2**40, comment_count=1,
        favorite_count=2, share_count=3, raw_statistics={"view_count": {"raw": "10万+"}}, raw_payload=[1],
        quality_flag="PASS", reject_reason="r", is_deleted=True,
    )  # fmt: skip
    put(supply, row)
    [found] = pool(supply)
    differing = [n for n in NewCandidate.__dataclass_fields__ if getattr(found, n) != getattr(row, n)]
    assert differing == ["publish_time"]
    assert found.publish_time == NOW.replace(microsecond=0)
    assert asked(supply, "SELECT view_count FROM supply_candidate_content") == [(0,)]
