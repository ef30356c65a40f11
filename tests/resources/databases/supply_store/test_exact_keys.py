"""Keys of ours are equal in the database where they are equal in Python, on each kind of database (MY3)."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import Connection, text

from resources.databases.supply_store.account_ids import account_id_of, fitting_account_id, stored_account_id
from resources.databases.supply_store.articles.plans import NewPlan, plans_by_crawler_id, reserve_plan
from resources.databases.supply_store.articles.profiles import NewProfile, read_profiles, upsert_profiles
from resources.databases.supply_store.engine import SupplyStore
from resources.databases.supply_store.migrate import upgrade
from resources.databases.supply_store.tasks.evidence import find_tasks_with_evidence
from resources.databases.supply_store.tasks.review_pages import Kind, review_counts
from resources.databases.supply_store.tasks.tasks import read_task, tasks_of_batch
from resources.foundation.errors import NoSuchTask
from tests.resources.databases.supply_store.supply_rows import add_tasks, asked, give_lease, read, task_of

ALIKE = [
    "biz:MzAxAAA=",
    "biz:mzaxaaa=",
    "name:café",
    "name:cafe",
    "name:cafe ",
    "name:ｃａｆｅ",
    "gh_1",
    "gh_1 ",
]


@pytest.mark.parametrize("account_id", [*ALIKE, "!m!0e9;", "name:健康", "", "\n\t"])
def test_my3_the_stored_form_of_an_account_is_read_back(account_id: str) -> None:
    assert account_id_of(stored_account_id(account_id)) == account_id


@given(one=st.text(max_size=12), other=st.text(max_size=12))
def test_my3_stored_forms_are_equal_in_no_case_where_ids_differ(one: str, other: str) -> None:
    forms = [stored_account_id(account_id) for account_id in (one, other)]
    assert (forms[0].casefold() == forms[1].casefold()) is (one == other)


def test_my3_a_name_that_fits_no_column_is_kept_by_its_hash_and_merges_with_no_other() -> None:
    long = "é" * 120
    one, other = (fitting_account_id("name:", name) for name in (long + "a", long + "b"))
    assert one != other
    assert max(len(stored_account_id(account_id)) for account_id in (one, other)) <= 128


def test_my3_accounts_that_a_collation_takes_for_one_stay_apart(supply: SupplyStore) -> None:
    add_tasks(supply)
    rows = [NewProfile(task_id="t1", account_id=account_id, intro=repr(account_id)) for account_id in ALIKE]
    supply.write(lambda connection: upsert_profiles(connection, rows))
    supply.write(lambda connection: upsert_profiles(connection, rows[::-1]))
    found = read(supply, lambda connection: read_profiles(connection, ["t1"]))
    assert sorted((row.account_id, row.intro) for row in found) == sorted((name, repr(name)) for name in ALIKE)


@pytest.mark.parametrize("other", ["T1", "t1 ", "ｔ1"])
def test_my3_a_task_a_batch_and_a_plan_are_found_by_their_own_keys_alone(supply: SupplyStore, other: str) -> None:
    add_tasks(supply, batch="t1")
    give_lease(supply, "me")
    plan = NewPlan(task_id="t1", plan_type="x", request_payload={}, plan_status="x", crawler_plan_id="t1")
    task = task_of(supply)
    supply.write(lambda connection: reserve_plan(connection, task, plan, "me"))
    with supply.reading() as connection:
        with pytest.raises(NoSuchTask):
            read_task(connection, other)
        assert [len(tasks_of_batch(connection, key)) for key in ("t1", other)] == [1, 0]
        assert [len(plans_by_crawler_id(connection, key)) for key in ("t1", other)] == [1, 0]


def test_my3_an_exact_comparison_still_takes_the_index(mariadb_supply: SupplyStore) -> None:
    explained = asked(mariadb_supply, "EXPLAIN SELECT id FROM supply_task WHERE task_id IN (CAST('a' AS BINARY))")
    assert "ALL" not in explained[0]


def _as_before(connection: Connection) -> None:
    """The store as version 0.1.0 left it."""
    for table in ("pattern2plan_evidence_key", "pattern2plan_task_index"):
        connection.execute(text(f"DROP TABLE {table}"))
    connection.execute(text("UPDATE pattern2plan_supply_version SET version_num = '0001'"))


def test_my3_a_migration_keeps_what_stands_and_parts_what_would_merge(supply: SupplyStore) -> None:
    evidence: dict[str, Any] = {"matched_post_ids": ["p1", "P1"], "categories": [{"id": 7, "name": None, "path": "/7"}]}
    add_tasks(supply, ("t1", "t2"), source_evidence=evidence, batch="b", review={"state": "HELD"})
    add_tasks(supply, ("odd",))
    accounts = ["biz:MzAxAAA=", "biz:mzaxaaa=", "gh_1", "name:健康", "name:" + "é" * 100]

    def old_rows(connection: Connection) -> None:
        _as_before(connection)
        connection.execute(text("UPDATE supply_task SET ext = '[1]' WHERE task_id = 'odd'"))
        for number, account_id in enumerate(accounts):
            connection.execute(
                text(
                    "INSERT INTO supply_candidate_content (task_id, title, url, dedup_hash, account_id)"
                    " VALUES ('t1', 'x', 'x', :n, :a)"
                ),
                {"n": str(number), "a": account_id},
            )
        insert = "INSERT INTO supply_account_profile (task_id, account_id, intro) VALUES ('t1', :a, 'kept')"
        connection.execute(text(insert), {"a": accounts[0]})

    supply.write(old_rows)
    upgrade(supply)
    other = NewProfile(task_id="t1", account_id=accounts[1], intro="another")
    supply.write(lambda connection: upsert_profiles(connection, [other]))
    stored = [row[0] for row in asked(supply, "SELECT account_id FROM supply_candidate_content ORDER BY id")]
    assert [account_id_of(form) for form in stored[:4]] == accounts[:4]
    assert stored[4] == stored_account_id(fitting_account_id("name:", "é" * 100))
    with supply.reading() as connection:
        profiles = {row.account_id: row.intro for row in read_profiles(connection, ["t1"])}
        assert profiles == {accounts[0]: "kept", accounts[1]: "another"}
        assert [task.task_id for task in tasks_of_batch(connection, "b")] == ["t1", "t2"]
        assert review_counts(connection)[Kind.HELD] == 2
        for end in ({"post_id": "P1"}, {"category_id": 7}):
            assert find_tasks_with_evidence(connection, limit=9, **end) == ["t1", "t2"]
    upgrade(supply)
