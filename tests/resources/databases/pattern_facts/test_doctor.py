"""D-001: the doctor names every missing table, column and index, what may not be read, and what could be written."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import create_engine
from sqlalchemy.engine import URL

from resources.databases.pattern_facts import tables
from resources.databases.pattern_facts.doctor import Diagnosis, diagnose
from resources.databases.pattern_facts.engine import FactsDatabase
from resources.foundation.errors import FactsUnreadable
from tests.real_servers import MARIADB, POSTGRES, run_as_administrator, temporary_database
from tests.small_facts import FactWorld

REAL = pytest.mark.real_server
TABLES = [table.name for table in tables.metadata.sorted_tables]


SERVERS = {"postgresql": POSTGRES, "mariadb": MARIADB}


@pytest.fixture(params=["sqlite", *(pytest.param(name, marks=REAL) for name in SERVERS)], scope="module")
def place(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[URL]:
    """A database of this module's own, whose schema may be spoilt."""
    if request.param == "sqlite":
        yield URL.create("sqlite", database=str(tmp_path_factory.mktemp("doctor") / "facts.db"))
    else:
        with temporary_database(SERVERS[request.param]) as url:
            yield url


@pytest.fixture
def patient(place: URL) -> Iterator[FactWorld]:
    """The small facts in a schema as it should be."""
    drop_all(place)
    world = FactWorld(place)
    world.fill()
    yield world
    world.close()


def drop_all(url: URL) -> None:
    engine = create_engine(url)
    tables.metadata.drop_all(engine)
    engine.dispose()


def diagnosis_of(world: FactWorld) -> Diagnosis:
    with world.open() as facts:
        return diagnose(facts)


def test_d001_a_healthy_schema(patient: FactWorld) -> None:
    found = diagnosis_of(patient)

    assert (found.missing_tables, found.missing_columns, found.missing_indexes) == ([], [], [])
    assert found.unreadable_tables == []
    assert found.usable
    assert found.executions == {"success": 3, "failed": 1, "running": 1}


def test_d001_every_missing_table_is_named(patient: FactWorld) -> None:
    patient.alter("DROP TABLE pattern_itemset", "DROP TABLE pattern_mining_category")

    found = diagnosis_of(patient)

    assert sorted(found.missing_tables) == ["pattern_itemset", "pattern_mining_category"]
    assert not found.usable
    assert found.executions == {}


def test_d001_nothing_there_at_all(patient: FactWorld) -> None:
    drop_all(patient.url)

    assert sorted(diagnosis_of(patient).missing_tables) == sorted(TABLES)


def test_d001_every_missing_column_is_named(patient: FactWorld) -> None:
    patient.alter(
        "ALTER TABLE pattern_itemset RENAME COLUMN absolute_support TO number_of_posts",
        "ALTER TABLE pattern_mining_execution RENAME COLUMN merge_leve2 TO merge_level2",
    )

    found = diagnosis_of(patient)

    wanted = ["pattern_itemset.absolute_support", "pattern_mining_execution.merge_leve2"]
    assert sorted(found.missing_columns) == wanted
    assert not found.usable


INDEXES = {
    "ix_category_execution": "pattern_mining_category(execution_id)",
    "ix_element_execution_post": "pattern_mining_element(execution_id, post_id)",
    "ix_itemset_execution_scope": "pattern_itemset(execution_id, scope)",
    "ix_itemset_item_itemset": "pattern_itemset_item(itemset_id)",
    "ix_itemset_post_itemset": "pattern_itemset_post(itemset_id)",
}


def drop_index(world: FactWorld, name: str) -> None:
    on = f" ON {INDEXES[name].split('(')[0]}" if world.url.get_backend_name() == "mysql" else ""
    world.alter(f"DROP INDEX {name}{on}")


@pytest.mark.parametrize("name", INDEXES)
def test_d001_a_missing_index_is_named_and_no_obstacle(patient: FactWorld, name: str) -> None:
    drop_index(patient, name)

    found = diagnosis_of(patient)

    assert found.missing_indexes == [INDEXES[name]]
    assert found.usable


def test_d001_a_longer_index_will_do(patient: FactWorld) -> None:
    drop_index(patient, "ix_itemset_post_itemset")
    patient.alter("CREATE INDEX by_post ON pattern_itemset_post (itemset_id, post_id)")
    assert diagnosis_of(patient).missing_indexes == []

    drop_index(patient, "ix_element_execution_post")
    patient.alter("CREATE INDEX the_wrong_way ON pattern_mining_element (post_id, execution_id)")
    assert diagnosis_of(patient).missing_indexes == ["pattern_mining_element(execution_id, post_id)"]


def test_d001_a_missing_primary_key_is_a_missing_index(patient: FactWorld) -> None:
    patient.alter(
        "CREATE TABLE bare AS SELECT * FROM pattern_mining_config",
        "DROP TABLE pattern_mining_config",
        "ALTER TABLE bare RENAME TO pattern_mining_config",
    )

    assert diagnosis_of(patient).missing_indexes == ["pattern_mining_config(id)"]


def test_d001_a_view_is_as_good_as_a_table(patient: FactWorld) -> None:
    patient.alter(
        "ALTER TABLE pattern_mining_config RENAME TO kept", "CREATE VIEW pattern_mining_config AS SELECT * FROM kept"
    )
    try:
        assert diagnosis_of(patient).usable
    finally:
        patient.alter("DROP VIEW pattern_mining_config", "DROP TABLE kept")


def test_d001_the_doctor_changes_nothing(patient: FactWorld) -> None:
    assert diagnosis_of(patient) == diagnosis_of(patient)


@REAL
def test_d001_what_a_role_may_not_read_and_what_it_could_write() -> None:
    with temporary_database(POSTGRES) as url:
        world = FactWorld(url)
        world.fill()
        role = f"r_{url.database}"
        world.alter(
            f"CREATE ROLE {role} LOGIN",
            f"GRANT SELECT ON ALL TABLES IN SCHEMA public TO {role}",
            f"REVOKE SELECT ON pattern_itemset FROM {role}",
            f"GRANT UPDATE ON pattern_mining_config TO {role}",
            f"GRANT TRUNCATE ON pattern_mining_category TO {role}",
        )
        try:
            found = diagnosis_of(FactWorld(url.set(username=role)))
            owner = diagnosis_of(world)
        finally:
            world.alter(f"DROP OWNED BY {role}")
            world.close()
            run_as_administrator(POSTGRES, f"DROP ROLE {role}")

    assert found.unreadable_tables == ["pattern_itemset"]
    assert sorted(found.writable_tables) == ["pattern_mining_category", "pattern_mining_config"]
    assert not found.usable
    assert owner.usable
    assert sorted(owner.writable_tables) == sorted(TABLES)


def test_d001_a_database_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(FactsUnreadable, match="there is no facts file"):
        FactsDatabase(URL.create("sqlite", database=str(tmp_path / "none.db")))
    facts = FactsDatabase(URL.create("postgresql+psycopg", host="127.0.0.1", port=1), connect_timeout_s=1)
    with pytest.raises(FactsUnreadable, match="could not be read"):
        diagnose(facts)


def test_d001_names_live_in_one_module() -> None:
    assert sorted(TABLES) == [
        "pattern_itemset",
        "pattern_itemset_item",
        "pattern_itemset_post",
        "pattern_mining_category",
        "pattern_mining_config",
        "pattern_mining_element",
        "pattern_mining_execution",
    ]
    product = Path(tables.__file__).parents[3]
    # "pattern_itemset" is the name of a source kind too.
    names = {f'"{name}"' for name in TABLES if name != "pattern_itemset"}
    modules = [path for top in ("resources", "demand_assets", "commands") for path in (product / top).rglob("*.py")]
    holders = {path.name for path in modules if any(name in path.read_text(encoding="utf-8") for name in names)}
    assert holders == {"tables.py"}
