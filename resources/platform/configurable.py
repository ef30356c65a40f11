"""The Dagster resources: thin, configured at launch, handing out plain clients that live no longer than a step."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

import dagster as dg
from upath import UPath

from resources.databases.connections import open_facts, open_store, open_supply_store
from resources.databases.demand_store.engine import DemandStore
from resources.databases.pattern_facts.engine import FactsDatabase
from resources.databases.supply_store.engine import SupplyStore
from resources.foundation.clock import Clock, FixedClock, SystemClock
from resources.platform.parquet_io import ParquetIOManager
from resources.settings.demand import read_settings
from resources.settings.supply import read_supply_settings

TICK_STATEMENT_S = 20.0


class PatternFactsResource(dg.ConfigurableResource):  # type: ignore[type-arg]
    """The pattern facts of ``DEMAND_PATTERN_PG_DSN`` / ``PGVECTOR_DSN``, or the embedded default."""

    @contextmanager
    def open(self) -> Iterator[FactsDatabase]:
        """The facts database, closed with the block."""
        facts = open_facts(read_settings())
        try:
            yield facts
        finally:
            facts.close()

    @contextmanager
    def open_for_a_tick(self) -> Iterator[FactsDatabase]:
        """As :meth:`open`; a statement ends in time for Dagster's own bound on a tick, a minute."""
        settings = read_settings()
        bounded = min(settings.statement_timeout_s, TICK_STATEMENT_S)
        facts = open_facts(settings.model_copy(update={"statement_timeout_s": bounded}))
        try:
            yield facts
        finally:
            facts.close()


class DemandStoreResource(dg.ConfigurableResource):  # type: ignore[type-arg]
    """The demand store of ``DEMAND_CONTENT_MYSQL_*`` / ``CONTENT_SUPPLY_DB_*``, or the embedded default."""

    def open(self) -> DemandStore:
        return open_store(read_settings())


class SupplyStoreResource(dg.ConfigurableResource):  # type: ignore[type-arg]
    """The supply store of ``SUPPLY_STORE_MYSQL_*`` / ``CONTENT_SUPPLY_DB_*``, or the embedded default."""

    @contextmanager
    def open(self) -> Iterator[SupplyStore]:
        """The supply store, its connections given back with the block."""
        store = open_supply_store(read_supply_settings())
        try:
            yield store
        finally:
            store.close()

    @contextmanager
    def open_for_a_tick(self) -> Iterator[SupplyStore]:
        """As :meth:`open`; a read ends in time for Dagster's own bound on a tick, a minute."""
        with self.open() as store:
            store.limit_reads(TICK_STATEMENT_S)
            yield store


class ClockResource(dg.ConfigurableResource):  # type: ignore[type-arg]
    """Time; stands still where ``fixed_at`` (ISO 8601 with zone) is given."""

    fixed_at: str | None = None

    def clock(self) -> Clock:
        return SystemClock() if self.fixed_at is None else FixedClock(datetime.fromisoformat(self.fixed_at))


class FramesIOManager(dg.ConfigurableIOManagerFactory):  # type: ignore[type-arg]
    """Where frames are kept; ``base_path`` may be any UPath, default ``$PATTERN2PLAN_HOME/frames``."""

    base_path: str | None = None

    def create_io_manager(self, context: dg.InitResourceContext) -> ParquetIOManager:
        default = read_settings().home.resolve() / "frames"
        return ParquetIOManager(base_path=UPath(self.base_path or Path(default)))
