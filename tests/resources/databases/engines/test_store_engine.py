"""What the two stores share: kinds, typed errors, reads that lock nothing, migrations (D-003, S-041)."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import text
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import OperationalError
from sqlalchemy.pool import NullPool

from resources.databases.engines.store_engine import StoreEngine, StoreKind
from resources.foundation.errors import SettingsError, StoreUnwritable

KIND = StoreKind(
    name="shelf",
    tables=frozenset({"books"}),
    missing="there are no books",
    access="look at the shelf",
    pooling={"poolclass": NullPool},
)


def shelf(tmp_path: Path) -> StoreEngine:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "shelf.db").touch()
    return StoreEngine(URL.create("sqlite", database=str(tmp_path / "a" / "shelf.db")), KIND, connect_timeout_s=1)


@pytest.mark.parametrize("url", ["postgresql://u:secret-9@h/d", "mysql+nope://u:secret-9@h/d"])
def test_d003_a_database_of_another_kind_is_refused(url: str) -> None:
    with pytest.raises(SettingsError) as refused:
        StoreEngine(make_url(url), KIND, connect_timeout_s=1)
    assert "secret-9" not in str(refused.value)


def test_d003_a_folder_that_cannot_be_made_is_named_as_such(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("in the way")
    store = StoreEngine(URL.create("sqlite", database=str(tmp_path / "a" / "shelf.db")), KIND, connect_timeout_s=1)
    with pytest.raises(StoreUnwritable, match="the shelf cannot be kept in"):
        store.migrate(tmp_path)


def test_d064a_a_missing_table_of_the_store_names_the_command_and_another_one_does_not(tmp_path: Path) -> None:
    store = shelf(tmp_path)
    for table, said in (
        ("books", "there are no books -> run `pattern2plan db upgrade`"),
        ("else", "look at the shelf"),
    ):
        with pytest.raises(StoreUnwritable) as missing, store.reading() as connection:
            connection.execute(text(f'SELECT * FROM "{table}"'))
        assert said in str(missing.value)


def test_s041_a_read_takes_no_lock_from_a_writer(tmp_path: Path) -> None:
    store = shelf(tmp_path)
    with store.reading() as reader:
        reader.execute(text("SELECT 1"))
        with store.engine.begin() as writer:
            writer.execute(text("SELECT 1"))


def test_s041_what_is_repeated_is_the_whole_and_only_where_it_may_help(tmp_path: Path) -> None:
    store = shelf(tmp_path)
    tries: list[int] = []

    def refused_by_the_work() -> None:
        tries.append(1)
        raise ValueError("not the database's")

    with pytest.raises(ValueError, match="not the database's"):
        store.repeated(refused_by_the_work)

    def refused_by_the_database() -> None:
        tries.append(1)
        with store.engine.begin() as connection:
            connection.execute(text("nonsense"))

    with pytest.raises(StoreUnwritable, match="the shelf could not be used"):
        store.repeated(refused_by_the_database)
    assert len(tries) == 2


@pytest.mark.parametrize("said", [(1213, "Deadlock found"), (1205, "Lock wait timeout"), ("database is locked",)])
def test_s041_what_another_writer_stood_in_the_way_of_is_repeated(tmp_path: Path, said: tuple[object, ...]) -> None:
    tries: list[int] = []

    def once() -> int:
        tries.append(1)
        if len(tries) < 3:
            raise OperationalError("UPDATE books", None, Exception(*said))
        return len(tries)

    assert shelf(tmp_path).repeated(once) == 3
