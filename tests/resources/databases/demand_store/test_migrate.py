"""The migration makes the table where there is none and leaves any other alone (D-064a)."""

from __future__ import annotations

import pytest
from sqlalchemy import VARCHAR, String, create_engine, inspect
from sqlalchemy.engine import URL

from resources.databases.demand_store.engine import DemandStore
from resources.databases.demand_store.migrate import upgrade
from resources.databases.demand_store.tables import demand_content
from tests.resources.databases.demand_store.plain_rows import asked, changed, row, table_shape, write_missing

REAL = pytest.mark.real_server
THEIRS = """
CREATE TABLE demand_content (
  id bigint(20) unsigned NOT NULL AUTO_INCREMENT COMMENT 'theirs',
  merge_leve2 varchar(64) DEFAULT NULL,
  name varchar(512) DEFAULT NULL,
  reason text DEFAULT NULL,
  suggestion mediumtext DEFAULT NULL,
  score double DEFAULT NULL,
  ext_data json DEFAULT NULL,
  dt varchar(16) DEFAULT NULL,
  operator varchar(32) NOT NULL DEFAULT 'system',
  updated_at timestamp NOT NULL DEFAULT current_timestamp() ON UPDATE current_timestamp(),
  PRIMARY KEY (id),
  KEY idx_name (name(64)),
  KEY idx_dt (dt, merge_leve2)
) ENGINE=InnoDB AUTO_INCREMENT=9001 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci COMMENT='not ours'
"""


def test_d064a_the_table_is_made_where_there_is_none_and_twice_is_once(store_url: URL) -> None:
    store = DemandStore(store_url)
    upgrade(store)
    upgrade(store)
    assert store.has_table()
    assert write_missing(store, "label-1", [row()]) == 1
    upgrade(store)
    assert asked(store_url, "SELECT count(*) FROM demand_content") == [(1,)]


@REAL
def test_d064a_an_existing_table_stays_exactly_as_it_is(mariadb_url: URL) -> None:
    changed(mariadb_url, THEIRS, "INSERT INTO demand_content (name, ext_data) VALUES ('old', NULL), ('older', '{}')")
    before, rows = table_shape(mariadb_url), asked(mariadb_url, "SELECT * FROM demand_content")
    upgrade(DemandStore(mariadb_url))
    assert table_shape(mariadb_url) == before
    assert asked(mariadb_url, "SELECT * FROM demand_content") == rows


@REAL
def test_d064a_writing_into_a_table_of_another_shape_changes_no_shape_and_no_old_row(mariadb_url: URL) -> None:
    changed(mariadb_url, THEIRS, "INSERT INTO demand_content (name, ext_data) VALUES ('old', NULL), ('older', '{}')")
    before, rows = table_shape(mariadb_url), asked(mariadb_url, "SELECT * FROM demand_content ORDER BY id")
    store = DemandStore(mariadb_url)
    assert write_missing(store, "label-1", [row()]) == 1
    assert write_missing(store, "LABEL-1", [row("LABEL-1")]) == 1
    assert write_missing(store, "label-1", [row()]) == 0
    assert table_shape(mariadb_url) == before
    assert asked(mariadb_url, "SELECT * FROM demand_content ORDER BY id")[:2] == rows
    labels = asked(
        mariadb_url, "SELECT JSON_VALUE(ext_data, '$.run_label'), operator FROM demand_content WHERE id > 9002"
    )
    assert labels == [("label-1", "system"), ("LABEL-1", "system")]


@REAL
def test_d064a_the_table_of_the_migration_has_no_column_or_index_of_ours(mariadb_url: URL) -> None:
    upgrade(DemandStore(mariadb_url))
    columns = asked(
        mariadb_url,
        "SELECT column_name FROM information_schema.columns WHERE table_schema = DATABASE() "
        "AND table_name = 'demand_content' ORDER BY ordinal_position",
    )
    assert [name for (name,) in columns] == [
        "id", "merge_leve2", "name", "reason", "suggestion", "score", "ext_data", "dt",
    ]  # fmt: skip
    indexes = asked(
        mariadb_url,
        "SELECT DISTINCT index_name FROM information_schema.statistics WHERE table_schema = DATABASE() "
        "AND table_name = 'demand_content'",
    )
    assert indexes == [("PRIMARY",)]


def test_d060_the_migration_makes_the_columns_that_the_statements_declare(store_url: URL) -> None:
    upgrade(DemandStore(store_url))
    made = inspect(create_engine(store_url)).get_columns("demand_content")
    declared = demand_content.c
    assert [(one["name"], one["nullable"]) for one in made] == [(one.name, one.nullable) for one in declared]
    lengths = {one["name"]: one["type"].length for one in made if isinstance(one["type"], VARCHAR)}
    assert lengths == {one.name: one.type.length for one in declared if type(one.type) is String}
