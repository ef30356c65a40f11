"""The Dagster resources: thin, configured at launch, handing out plain clients that live no longer than a step.

A step opens nothing that no resource of its own hands out, so that a test, or a launch, replaces each place by itself.
The environment is read when a step opens a resource, and not where its config names another place. Secrets are in the
environment alone: no config field takes one.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import datetime
from pathlib import Path

import dagster as dg
from pydantic import Field
from upath import UPath

from resources.alerts.webhook import AlertWebhook, open_webhook
from resources.databases.connections import embedded, open_facts, open_store, open_supply_store
from resources.databases.demand_store.engine import DemandStore
from resources.databases.pattern_facts.engine import FactsDatabase
from resources.databases.supply_store.engine import SupplyStore
from resources.foundation.clock import Clock, FixedClock, IdSource, RandomIds, SystemClock
from resources.foundation.places import RUN_FOLDERS
from resources.platform.parquet_io import ParquetIOManager
from resources.settings.demand import read_settings
from resources.settings.supply import read_supply_settings

TICK_STATEMENT_S = 20.0
STEP_STATEMENT_S = 3600.0
"""The most that ``DEMAND_PATTERN_STATEMENT_TIMEOUT_S`` takes."""
FILE_INSTEAD = "This SQLite file instead of what the environment names."


class PatternFactsResource(dg.ConfigurableResource):  # type: ignore[type-arg]
    """The pattern facts of ``DEMAND_PATTERN_PG_DSN`` / ``PGVECTOR_DSN``, or the embedded default."""

    sqlite_file: str | None = Field(default=None, description=FILE_INSTEAD)

    @contextmanager
    def open(self) -> Iterator[FactsDatabase]:
        """The facts database, closed with the block."""
        with closing(self._database(STEP_STATEMENT_S)) as facts:
            yield facts

    @contextmanager
    def open_for_a_tick(self) -> Iterator[FactsDatabase]:
        """As :meth:`open`; a statement ends in time for Dagster's own bound on a tick, a minute."""
        with closing(self._database(TICK_STATEMENT_S)) as facts:
            yield facts

    def _database(self, at_most_s: float) -> FactsDatabase:
        if self.sqlite_file is not None:
            return FactsDatabase(embedded(self.sqlite_file), statement_timeout_s=at_most_s)
        settings = read_settings()
        bounded = min(settings.statement_timeout_s, at_most_s)
        return open_facts(settings.model_copy(update={"statement_timeout_s": bounded}))


class DemandStoreResource(dg.ConfigurableResource):  # type: ignore[type-arg]
    """The demand store of ``DEMAND_CONTENT_MYSQL_*`` / ``CONTENT_SUPPLY_DB_*``, or the embedded default."""

    sqlite_file: str | None = Field(default=None, description=FILE_INSTEAD)

    def open(self) -> DemandStore:
        """The demand store; it keeps no connection between two uses."""
        return open_store(read_settings()) if self.sqlite_file is None else DemandStore(embedded(self.sqlite_file))


class SupplyStoreResource(dg.ConfigurableResource):  # type: ignore[type-arg]
    """The supply store of ``SUPPLY_STORE_MYSQL_*`` / ``CONTENT_SUPPLY_DB_*``, or the embedded default."""

    sqlite_file: str | None = Field(default=None, description=FILE_INSTEAD)

    @contextmanager
    def open(self) -> Iterator[SupplyStore]:
        """The supply store, its connections given back with the block."""
        with closing(self._store()) as store:
            yield store

    @contextmanager
    def open_for_a_tick(self) -> Iterator[SupplyStore]:
        """As :meth:`open`; a read ends in time for Dagster's own bound on a tick, a minute."""
        with self.open() as store:
            store.limit_reads(TICK_STATEMENT_S)
            yield store

    def _store(self) -> SupplyStore:
        if self.sqlite_file is not None:
            return SupplyStore(embedded(self.sqlite_file))
        return open_supply_store(read_supply_settings())


class ClockResource(dg.ConfigurableResource):  # type: ignore[type-arg]
    """Time; stands still where ``fixed_at`` (ISO 8601 with zone) is given."""

    fixed_at: str | None = None

    def clock(self) -> Clock:
        return SystemClock() if self.fixed_at is None else FixedClock(datetime.fromisoformat(self.fixed_at))


class IdsResource(dg.ConfigurableResource):  # type: ignore[type-arg]
    """Where new ids come from: random ones. Steps run apart, so only a test may hand out others."""

    def ids(self) -> IdSource:
        return RandomIds()


class RunFoldersResource(dg.ConfigurableResource):  # type: ignore[type-arg]
    """Where the folders of runs of the demand half stand (D-061)."""

    root_path: str = Field(default=RUN_FOLDERS, description="Folder of the run folders.")

    def root(self) -> Path:
        """The folder of all run folders, whole."""
        return Path(self.root_path).resolve()


class AlertWebhookResource(dg.ConfigurableResource):  # type: ignore[type-arg]
    """The webhook of ``PATTERN2PLAN_ALERT_WEBHOOK``; its address may be a secret, so no config names another."""

    def open(self) -> AlertWebhook | None:
        """The webhook to be entered with ``with``, ``None`` where none is named.

        Raises:
            SettingsError: what is named is no address.
        """
        return open_webhook()


class FramesIOManager(dg.ConfigurableIOManagerFactory):  # type: ignore[type-arg]
    """Where frames and reports are kept: ``frames`` and ``reports`` of ``$PATTERN2PLAN_HOME``, or other places."""

    base_path: str | None = Field(default=None, description="Frames are kept here instead; any UPath.")
    reports_path: str | None = Field(default=None, description="Reports are kept here instead of below base_path.")

    def create_io_manager(self, context: dg.InitResourceContext) -> ParquetIOManager:
        """The IO manager, which also says where reports are kept."""
        if self.base_path is not None:
            frames = UPath(self.base_path)
            reports = frames / "reports"
        else:
            home = UPath(read_settings().home.resolve())
            frames, reports = home / "frames", home / "reports"
        return ParquetIOManager(frames, reports if self.reports_path is None else UPath(self.reports_path))
