"""The engine of the demand store: a fresh connection a use, strict SQL mode, one writer a run label (D-064a)."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import stamina
from sqlalchemy import Connection, Engine, create_engine, event, inspect, text
from sqlalchemy.engine import URL
from sqlalchemy.exc import DBAPIError, NoSuchModuleError, SQLAlchemyError
from sqlalchemy.pool import NullPool

from resources import strict_json
from resources.demand_store.effects import effect_of
from resources.demand_store.tables import demand_content
from resources.errors import UNSENDABLE, SettingsError, StoreUnwritable, one_line, without_address

Result = TypeVar("Result")
LOCK_WAIT_S = 60
RETRIED_ERRORS = frozenset({1205, 1213, 2006, 2013})
TRIES = 3


class DemandStore:
    """Reads and writes ``demand_content`` on MySQL, MariaDB or SQLite.

    Raises:
        SettingsError: the URL names another kind of database.
    """

    def __init__(self, url: URL, *, connect_timeout_s: int = 5) -> None:
        self.backend = url.get_backend_name()
        if self.backend not in ("mysql", "mariadb", "sqlite"):
            raise SettingsError(f"demand_content cannot be kept in {self.backend!r}", "use mysql or sqlite")
        self._database = url.database or ""
        self.engine = _create(url, self.backend, connect_timeout_s)
        self.effects: Counter[str] = Counter()
        event.listen(self.engine, "before_cursor_execute", self._note_effect)

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """One read transaction.

        Raises:
            StoreUnwritable: any database error, without the DSN.
        """
        try:
            with self.engine.connect() as connection, connection.begin():
                yield connection
        except SQLAlchemyError as error:
            raise store_error(error) from error
        except UnicodeEncodeError:
            raise StoreUnwritable(*UNSENDABLE) from None

    def write(self, run_label: str, work: Callable[[Connection], Result]) -> Result:
        """Run ``work`` in one transaction as the only writer of ``run_label``; all of it happens or nothing.

        A deadlock, a lock time-out or a lost connection repeats the whole of ``work`` at most twice: it must decide
        what to write by what it reads.

        Raises:
            StoreUnwritable: the database refused, or another writer kept the lock for a minute.
        """
        try:
            for attempt in stamina.retry_context(on=_worth_retrying, attempts=TRIES, timeout=None):
                with attempt:
                    return self._write_once(run_label, work)
        except SQLAlchemyError as error:
            raise store_error(error) from error
        except UnicodeEncodeError:
            raise StoreUnwritable(*UNSENDABLE) from None
        raise AssertionError("unreachable: the retry context returns or raises")

    def _write_once(self, run_label: str, work: Callable[[Connection], Result]) -> Result:
        with self.engine.connect() as connection:
            if self.backend == "sqlite":
                with connection.begin():
                    return work(connection)
            with _named_lock(connection, self._lock_name(run_label)), connection.begin():
                return work(connection)

    def _note_effect(self, _connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
        effect = effect_of(statement)
        if effect is not None:
            self.effects[effect] += 1

    def _lock_name(self, run_label: str) -> str:
        digest = hashlib.sha256(f"{self._database}\0{run_label}".encode()).hexdigest()
        return f"p2p:demand_content:{digest[:40]}"

    def has_table(self) -> bool:
        """Whether ``demand_content`` is there and may be read.

        Raises:
            StoreUnwritable: the database could not be asked.
        """
        with self.reading() as connection:
            return inspect(connection).has_table(demand_content.name)


def store_error(error: SQLAlchemyError) -> StoreUnwritable:
    """The typed error of a database error: what the server said, never address or password."""
    origin = error.orig if isinstance(error, DBAPIError) and error.orig is not None else error
    arguments: tuple[object, ...] = getattr(origin, "args", ())
    detail = str(arguments[1]) if len(arguments) > 1 else one_line(origin)
    if "demand_content" in detail and ("no such table" in detail or "doesn't exist" in detail):
        return StoreUnwritable("there is no table demand_content", "run `pattern2plan db upgrade`")
    shown = without_address(detail.splitlines()[0][:300] if detail else type(origin).__name__)
    return StoreUnwritable(
        f"the demand store could not be used: {shown}",
        "check DEMAND_CONTENT_MYSQL_DSN, the server and the account's rights on demand_content",
    )


@contextmanager
def _named_lock(connection: Connection, name: str) -> Iterator[None]:
    got = connection.execute(text("SELECT GET_LOCK(:name, :wait)"), {"name": name, "wait": LOCK_WAIT_S}).scalar()
    connection.commit()
    if got != 1:
        raise StoreUnwritable(
            f"another writer held the lock of this run label for {LOCK_WAIT_S} s", "wait for it to end"
        )
    try:
        yield
    finally:
        # A broken connection has given its lock back already.
        if not connection.invalidated and not connection.closed:
            connection.execute(text("SELECT RELEASE_LOCK(:name)"), {"name": name})
            connection.commit()


def _worth_retrying(error: Exception) -> bool:
    if not isinstance(error, DBAPIError) or error.orig is None:
        return False
    code = error.orig.args[0] if error.orig.args else None
    return code in RETRIED_ERRORS or "database is locked" in str(error.orig)


def _create(url: URL, backend: str, connect_timeout_s: int) -> Engine:
    common = {
        "poolclass": NullPool,
        "hide_parameters": True,
        "json_serializer": strict_json.dumps,
        "json_deserializer": strict_json.loads,
    }
    if backend == "sqlite":
        if url.database:
            try:
                Path(url.database).parent.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                message = f"the folder of the embedded demand store cannot be made: {error.strerror}"
                raise StoreUnwritable(message, "set PATTERN2PLAN_HOME to a folder you may write") from error
        engine = create_engine(
            url,
            connect_args={"isolation_level": None, "timeout": LOCK_WAIT_S},
            **common,
        )
        event.listen(engine, "begin", _begin_immediate)
        return engine
    try:
        engine = create_engine(
            url,
            isolation_level="READ COMMITTED",
            connect_args={"connect_timeout": connect_timeout_s, "read_timeout": 300, "write_timeout": 300},
            **common,
        )
    except (NoSuchModuleError, ModuleNotFoundError):
        raise SettingsError(f"no driver for {url.drivername!r}", "use mysql+pymysql") from None
    event.listen(engine, "connect", _make_strict)
    return engine


def _make_strict(dbapi_connection: Any, _record: object) -> None:
    with dbapi_connection.cursor() as cursor:
        cursor.execute("SET SESSION sql_mode = CONCAT(@@SESSION.sql_mode, ',STRICT_ALL_TABLES')")


def _begin_immediate(connection: Connection) -> None:
    connection.exec_driver_sql("BEGIN IMMEDIATE")
