"""The nine tables are the source's, but for the one named deviation (S-040)."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import String, Text, inspect, text
from sqlalchemy.engine import URL

from resources.databases.supply_store.engine import SupplyStore
from resources.databases.supply_store.migrate import upgrade
from resources.databases.supply_store.tables import TABLES, metadata
from resources.foundation.errors import StoreUnwritable
from tests.real_servers import MARIADB, temporary_database
from tests.resources.databases.supply_store.supply_rows import asked

REAL = pytest.mark.real_server
DEVIATION = {
    ("supply_candidate_content", "uk_task_url", 2, "url", 255),
    ("supply_candidate_content", "uk_task_url", 2, "dedup_hash", None),
}
COLUMNS = """
SELECT table_name, ordinal_position, column_name, column_type, column_default, is_nullable, extra, character_set_name,
       collation_name, column_comment, column_key
FROM information_schema.columns WHERE table_schema = DATABASE() AND table_name LIKE 'supply%'
"""
KEYS = """
SELECT table_name, index_name, non_unique, seq_in_index, column_name, sub_part, index_type, nullable
FROM information_schema.statistics WHERE table_schema = DATABASE() AND table_name LIKE 'supply%'
"""
REFERENCES = """
SELECT r.table_name, r.constraint_name, k.column_name, k.referenced_table_name, k.referenced_column_name,
       r.update_rule, r.delete_rule
FROM information_schema.referential_constraints r
JOIN information_schema.key_column_usage k
  ON k.constraint_schema = r.constraint_schema AND k.constraint_name = r.constraint_name
WHERE r.constraint_schema = DATABASE() AND r.table_name LIKE 'supply%'
"""
TABLE_OPTIONS = """
SELECT table_name, engine, table_collation, table_comment
FROM information_schema.tables WHERE table_schema = DATABASE() AND table_name LIKE 'supply%'
"""


@pytest.fixture
def sources_ddl(real_data: Path) -> list[str]:
    """The statements of the source that create the tables."""
    source = (real_data.parent / "seeds" / "supply-agent-solution.txt").read_text(encoding="utf-8")
    return re.findall(r"CREATE TABLE IF NOT EXISTS .*?(?=;\n)", source, re.DOTALL)


@pytest.fixture
def sources_store(sources_ddl: list[str]) -> Any:
    """A database made of the source's own statements."""
    with temporary_database(MARIADB) as url:
        store = SupplyStore(url)

        def create(connection: Any) -> None:
            for statement in sources_ddl:
                connection.exec_driver_sql(statement)

        store.write(create)
        yield store
        store.close()


@REAL
@pytest.mark.real_data
@pytest.mark.parametrize("question", [COLUMNS, REFERENCES, TABLE_OPTIONS], ids=["columns", "references", "tables"])
def test_s040_information_schema_is_the_sources(
    mariadb_supply: SupplyStore, sources_store: SupplyStore, question: str
) -> None:
    ours, theirs = set(asked(mariadb_supply, question)), set(asked(sources_store, question))
    assert ours
    assert ours == theirs


@REAL
@pytest.mark.real_data
def test_s040_the_keys_are_the_sources_but_for_the_candidates_url(
    mariadb_supply: SupplyStore, sources_store: SupplyStore
) -> None:
    ours, theirs = set(asked(mariadb_supply, KEYS)), set(asked(sources_store, KEYS))
    assert {(row[0], row[1], row[3], row[4], row[5]) for row in ours ^ theirs} == DEVIATION


@REAL
@pytest.mark.real_data
def test_s040_tables_that_merge_urls_by_their_start_are_refused_with_the_statement_that_mends_them(
    sources_store: SupplyStore,
) -> None:
    with pytest.raises(StoreUnwritable, match="uk_task_url") as refused:
        upgrade(sources_store)
    sources_store.write(lambda connection: connection.execute(text(refused.value.fix)))
    upgrade(sources_store)


def test_s040_nine_tables_and_the_models_know_their_columns(supply: SupplyStore) -> None:
    def shape(connection: Any) -> dict[str, list[tuple[str, bool, int | None]]]:
        seen = inspect(connection)
        return {
            name: [
                (one["name"], bool(one["nullable"]) and one["name"] != "id", _length(one["type"]))
                for one in seen.get_columns(name)
            ]
            for name in TABLES
        }

    with supply.reading() as connection:
        found = shape(connection)
    assert len(found) == 9
    assert found == {
        table.name: [(column.name, bool(column.nullable), getattr(column.type, "length", None)) for column in table.c]
        for table in metadata.sorted_tables
    }


def _length(kind: Any) -> int | None:
    """Of a VARCHAR; what an engine says of the length of a TEXT is no bound of ours."""
    return kind.length if isinstance(kind, String) and not isinstance(kind, Text) else None


def test_s040_upgrading_again_changes_nothing(supply: SupplyStore) -> None:
    assert supply.has_tables()
    upgrade(supply)
    assert asked(supply, "SELECT version_num FROM pattern2plan_supply_version") == [("0002",)]


@REAL
def test_s040_a_migration_that_was_killed_half_way_runs_again(empty_mariadb_url: URL) -> None:
    store = SupplyStore(empty_mariadb_url)
    upgrade(store)

    def undo(connection: Any) -> None:
        connection.execute(text("DROP TABLE supply_task_event"))
        connection.execute(text("DELETE FROM pattern2plan_supply_version"))

    store.write(undo)
    assert not store.has_tables()
    upgrade(store)
    assert store.has_tables()
    store.close()


def test_s040_a_database_without_the_tables_names_the_command_that_makes_them(tmp_path: Path) -> None:
    (tmp_path / "empty.db").touch()
    store = SupplyStore(URL.create("sqlite", database=str(tmp_path / "empty.db")))
    assert not store.has_tables()
    with pytest.raises(StoreUnwritable, match="pattern2plan db upgrade"):
        asked(store, "SELECT * FROM supply_task")


@REAL
def test_s040_a_server_without_the_tables_names_the_command_that_makes_them(empty_mariadb_url: URL) -> None:
    store = SupplyStore(empty_mariadb_url)
    assert not store.has_tables()
    with pytest.raises(StoreUnwritable, match="pattern2plan db upgrade"):
        asked(store, "SELECT * FROM supply_task")
    store.close()
