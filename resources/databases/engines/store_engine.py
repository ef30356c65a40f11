"""What the stores share: a strict engine, one retry rule for whole transactions, errors without addresses, migrations.

Belongs here: how a MySQL, MariaDB or SQLite store is opened, asked and repeated. Does not belong here: any table.
Only the stores' own packages import it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import stamina
from alembic import command
from alembic.config import Config
from sqlalchemy import Connection, Engine, create_engine, event, text
from sqlalchemy.engine import URL
from sqlalchemy.exc import DBAPIError, NoSuchModuleError, SQLAlchemyError

from resources.databases.engines.statement_time import limit_mysql_reads
from resources.foundation import strict_json
from resources.foundation.errors import UNSENDABLE, SettingsError, StoreUnwritable, one_line, without_address
from resources.foundation.folders import make_folder

Result = TypeVar("Result")
BACKENDS = ("mysql", "mariadb", "sqlite")
LOCK_WAIT_S = 60
TRIES = 3
LOCK_WAIT_TIMEOUT, DEADLOCK = 1205, 1213
READ_ONLY = "pattern2plan_reads"


@dataclass(frozen=True)
class StoreKind:
    """How a store names itself in errors, which server errors repeat a write, and how its connections are kept.

    A lost connection always repeats a write.
    """

    name: str
    tables: frozenset[str]
    missing: str
    access: str
    retried: frozenset[int] = frozenset({LOCK_WAIT_TIMEOUT, DEADLOCK})
    pooling: dict[str, Any] = field(default_factory=dict)

    def error(self, error: SQLAlchemyError) -> StoreUnwritable:
        """The typed error of a database error: what the server said, never address or password."""
        origin = error.orig if isinstance(error, DBAPIError) and error.orig is not None else error
        arguments: tuple[object, ...] = getattr(origin, "args", ())
        detail = str(arguments[1]) if len(arguments) > 1 else one_line(origin)
        absent = "no such table" in detail or "doesn't exist" in detail
        if absent and any(table in detail for table in self.tables):
            return StoreUnwritable(self.missing, "run `pattern2plan db upgrade`")
        shown = without_address(detail.splitlines()[0][:300] if detail else type(origin).__name__)
        return StoreUnwritable(f"the {self.name} could not be used: {shown}", self.access)


class StoreEngine:
    """A store's engine: reads in one transaction, repeats a whole write where the server asks for it.

    Raises:
        SettingsError: the URL names another kind of database.
    """

    def __init__(self, url: URL, kind: StoreKind, *, connect_timeout_s: int) -> None:
        self.kind = kind
        self.backend = url.get_backend_name()
        if self.backend not in BACKENDS:
            raise SettingsError(f"the {kind.name} cannot be kept in {self.backend!r}", "use mysql or sqlite")
        self.database = url.database or ""
        self.engine = _create(url, kind, connect_timeout_s)

    def limit_reads(self, seconds: float) -> None:
        """Connections made from now on end a read that takes longer, and wait no longer for a lock or an answer."""
        if self.backend == "sqlite":
            event.listen(self.engine, "connect", lambda c, _: c.execute(f"PRAGMA busy_timeout = {int(seconds * 1000)}"))
            return
        event.listen(self.engine, "do_connect", lambda *given: given[3].update(read_timeout=seconds + 2))
        event.listen(self.engine, "connect", lambda c, _: _limit(c, int(seconds * 1000)))

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """One read transaction.

        Raises:
            StoreUnwritable: any database error, without the DSN.
        """
        with self._typed_errors(), self.engine.connect() as connection:
            connection.execution_options(**{READ_ONLY: True})
            with connection.begin():
                yield connection

    def repeated(self, once: Callable[[], Result]) -> Result:
        """Run ``once``, a whole transaction, at most three times: again after a deadlock, a lock time-out, a loss.

        Raises:
            StoreUnwritable: the database refused.
        """
        with self._typed_errors():
            for attempt in stamina.retry_context(on=self._worth_retrying, attempts=TRIES, timeout=None):
                with attempt:
                    return once()
        raise AssertionError("unreachable: the retry context returns or raises")

    def write_alone(self, lock: str, work: Callable[[Connection], Result]) -> Result:
        """Run ``work`` in one transaction as the only holder of a named lock of the server; repeated as a whole.

        On SQLite every write is alone. The lock is the server's, not the database's: its name must tell which.

        Raises:
            StoreUnwritable: the database refused, or another writer kept the lock for a minute.
        """
        return self.repeated(lambda: self._alone(lock, work))

    def _alone(self, lock: str, work: Callable[[Connection], Result]) -> Result:
        with self.engine.connect() as connection:
            if self.backend == "sqlite":
                with connection.begin():
                    return work(connection)
            with _named_lock(connection, lock), connection.begin():
                return work(connection)

    def _worth_retrying(self, error: Exception) -> bool:
        if not isinstance(error, DBAPIError) or error.orig is None:
            return False
        code = error.orig.args[0] if error.orig.args else None
        lost = error.connection_invalidated
        return lost or code in self.kind.retried or "database is locked" in str(error.orig)

    @contextmanager
    def _typed_errors(self) -> Iterator[None]:
        try:
            yield
        except SQLAlchemyError as error:
            raise self.kind.error(error) from error
        except UnicodeEncodeError:
            raise StoreUnwritable(*UNSENDABLE) from None

    def migrate(self, folder: Path) -> None:
        """Run every migration of ``folder`` that has not run; needs an account that may create tables.

        Raises:
            StoreUnwritable: the database refused.
        """
        if _is_file_url(self.engine.url):
            _make_file(self.engine.url, self.kind)
        config = Config()
        # The configuration is a template: a lone % would be one of its variables.
        config.set_main_option("script_location", str(folder).replace("%", "%%"))
        with self._typed_errors(), self.engine.connect() as connection, connection.begin():
            config.attributes["connection"] = connection
            command.upgrade(config, "head")


def _create(url: URL, kind: StoreKind, connect_timeout_s: int) -> Engine:
    common = {
        **kind.pooling,
        "hide_parameters": True,
        "json_serializer": strict_json.dumps,
        "json_deserializer": strict_json.loads,
    }
    if url.get_backend_name() == "sqlite":
        engine = create_engine(url, connect_args={"isolation_level": None, "timeout": LOCK_WAIT_S}, **common)
        event.listen(engine, "do_connect", lambda *_: _require_file(url, kind))
        event.listen(engine, "begin", _begin)
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


@contextmanager
def _named_lock(connection: Connection, name: str) -> Iterator[None]:
    got = connection.execute(text("SELECT GET_LOCK(:name, :wait)"), {"name": name, "wait": LOCK_WAIT_S}).scalar()
    connection.commit()
    if got != 1:
        raise StoreUnwritable(f"another writer held the lock {name} for {LOCK_WAIT_S} s", "wait for it to end")
    try:
        yield
    finally:
        # A broken connection has given its lock back already.
        if not connection.invalidated and not connection.closed:
            connection.execute(text("SELECT RELEASE_LOCK(:name)"), {"name": name})
            connection.commit()


def _require_file(url: URL, kind: StoreKind) -> None:
    """SQLite would make an empty file wherever a path is misspelled; only a migration makes one."""
    if _is_file_url(url) and not Path(str(url.database)).exists():
        raise StoreUnwritable(kind.missing, "run `pattern2plan db upgrade`")


def _make_file(url: URL, kind: StoreKind) -> None:
    """The file and its folder, and no folder above that."""
    file = Path(str(url.database))
    try:
        make_folder(file.parent)
        file.touch()
    except OSError as error:
        message = f"the {kind.name} cannot be kept in {file}: {error.strerror}"
        raise StoreUnwritable(message, "set PATTERN2PLAN_HOME to a folder you may write") from error


def _is_file_url(url: URL) -> bool:
    in_memory = url.database in (None, "", ":memory:") or str(url.database).startswith("file:")
    return url.get_backend_name() == "sqlite" and not in_memory


def _make_strict(dbapi_connection: Any, _record: object) -> None:
    with dbapi_connection.cursor() as cursor:
        cursor.execute("SET SESSION sql_mode = CONCAT(@@SESSION.sql_mode, ',STRICT_ALL_TABLES')")


def _limit(dbapi_connection: Any, timeout_ms: int) -> None:
    with dbapi_connection.cursor() as cursor:
        limit_mysql_reads(cursor, timeout_ms)


def _begin(connection: Connection) -> None:
    """A write takes its lock at once, so that what it read still holds when it writes; a read takes none."""
    reads = connection.get_execution_options().get(READ_ONLY, False)
    connection.exec_driver_sql("BEGIN" if reads else "BEGIN IMMEDIATE")
