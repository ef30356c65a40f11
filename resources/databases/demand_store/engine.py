"""The engine of the demand store: a fresh connection a use, strict SQL mode, one writer a run label (D-064a)."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable
from typing import Any, TypeVar

from sqlalchemy import Connection, event, inspect
from sqlalchemy.engine import URL
from sqlalchemy.pool import NullPool

from resources.databases.demand_store.effects import effect_of
from resources.databases.demand_store.tables import demand_content
from resources.databases.engines.store_engine import StoreEngine, StoreKind

Result = TypeVar("Result")
DEMAND_STORE = StoreKind(
    name="demand store",
    tables=frozenset({demand_content.name}),
    missing="there is no table demand_content",
    access="check DEMAND_CONTENT_MYSQL_DSN, the server and the account's rights on demand_content",
    pooling={"poolclass": NullPool},
)


class DemandStore(StoreEngine):
    """Reads and writes ``demand_content`` on MySQL, MariaDB or SQLite.

    Raises:
        SettingsError: the URL names another kind of database.
    """

    def __init__(self, url: URL, *, connect_timeout_s: int = 5) -> None:
        super().__init__(url, DEMAND_STORE, connect_timeout_s=connect_timeout_s)
        self.effects: Counter[str] = Counter()
        event.listen(self.engine, "before_cursor_execute", self._note_effect)

    def write(self, run_label: str, work: Callable[[Connection], Result]) -> Result:
        """Run ``work`` in one transaction as the only writer of ``run_label``; all of it happens or nothing.

        A deadlock, a lock time-out or a lost connection repeats the whole of ``work`` at most twice: it must decide
        what to write by what it reads.

        Raises:
            StoreUnwritable: the database refused, or another writer kept the lock for a minute.
        """
        return self.write_alone(self._lock_name(run_label), work)

    def _note_effect(self, _connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
        effect = effect_of(statement)
        if effect is not None:
            self.effects[effect] += 1

    def _lock_name(self, run_label: str) -> str:
        digest = hashlib.sha256(f"{self.database}\0{run_label}".encode()).hexdigest()
        return f"p2p:demand_content:{digest[:40]}"

    def has_table(self) -> bool:
        """Whether ``demand_content`` is there and may be read.

        Raises:
            StoreUnwritable: the database could not be asked.
        """
        with self.reading() as connection:
            return inspect(connection).has_table(demand_content.name)
