"""The Dagster resources: thin, configured at launch, handing out plain clients that live no longer than a step.

A step opens nothing that no resource of its own hands out, so that a location or a test replaces each place by itself.
The environment is read when a step opens a resource. No config field names a secret, a database or an address: who
may launch a run does not choose where it reads and writes.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import datetime
from pathlib import Path

import dagster as dg
from upath import UPath

from resources.alerts.webhook import AlertWebhook, open_webhook
from resources.databases.connections import open_facts, open_store, open_supply_store
from resources.databases.demand_store.engine import DemandStore
from resources.databases.pattern_facts.engine import FactsDatabase
from resources.databases.supply_store.engine import SupplyStore
from resources.foundation.clock import Clock, FixedClock, IdSource, RandomIds, SystemClock
from resources.foundation.folder_names import REPORTS, RUN_FOLDERS
from resources.platform.parquet_io import ParquetIOManager
from resources.settings.demand import Settings, read_settings
from resources.settings.desk import read_desk_address
from resources.settings.model_endpoint import ModelSettings, read_model_settings
from resources.settings.supply import read_supply_settings

TICK_STATEMENT_S = 20.0


class PatternFactsResource(dg.ConfigurableResource):  # type: ignore[type-arg]
    """The pattern facts of ``DEMAND_PATTERN_PG_DSN`` / ``PGVECTOR_DSN``, or the embedded default."""

    @contextmanager
    def open(self) -> Iterator[FactsDatabase]:
        """The facts database, closed with the block."""
        with closing(open_facts(read_settings())) as facts:
            yield facts

    @contextmanager
    def open_for_a_tick(self) -> Iterator[FactsDatabase]:
        """As :meth:`open`; a statement ends in time for Dagster's own bound on a tick, a minute."""
        settings = read_settings()
        bounded = min(settings.statement_timeout_s, TICK_STATEMENT_S)
        with closing(open_facts(settings.model_copy(update={"statement_timeout_s": bounded}))) as facts:
            yield facts


class DemandStoreResource(dg.ConfigurableResource):  # type: ignore[type-arg]
    """The demand store of ``DEMAND_CONTENT_MYSQL_*`` / ``CONTENT_SUPPLY_DB_*``, or the embedded default."""

    def open(self) -> DemandStore:
        """The demand store; it keeps no connection between two uses."""
        return open_store(read_settings())


class SupplyStoreResource(dg.ConfigurableResource):  # type: ignore[type-arg]
    """The supply store of ``SUPPLY_STORE_MYSQL_*`` / ``CONTENT_SUPPLY_DB_*``, or the embedded default."""

    @contextmanager
    def open(self) -> Iterator[SupplyStore]:
        """The supply store, its connections given back with the block."""
        with closing(open_supply_store(read_supply_settings())) as store:
            yield store

    @contextmanager
    def open_for_a_tick(self) -> Iterator[SupplyStore]:
        """As :meth:`open`; a read ends in time for Dagster's own bound on a tick, a minute."""
        with self.open() as store:
            store.limit_reads(TICK_STATEMENT_S)
            yield store


class DemandSettingsResource(dg.ConfigurableResource):  # type: ignore[type-arg]
    """What a demand run takes of the environment beside its databases: limits, the mode's variable, the model."""

    def settings(self) -> Settings:
        """The variables of the demand half.

        Raises:
            SettingsError: one of them is malformed.
        """
        return read_settings()

    def model(self) -> ModelSettings:
        """The model endpoint that the agent asks.

        Raises:
            SettingsError: none is named, or its address or key is missing.
        """
        return read_model_settings()


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
    """Where the folders of runs of the demand half stand: ``test_output_data/`` of the working directory (D-061)."""

    def root(self) -> Path:
        """The folder of all run folders, whole."""
        return Path(RUN_FOLDERS).resolve()


class AlertWebhookResource(dg.ConfigurableResource):  # type: ignore[type-arg]
    """The webhook of ``PATTERN2PLAN_ALERT_WEBHOOK``; its address may be a secret, so no config names another."""

    def open(self) -> AlertWebhook | None:
        """The webhook to be entered with ``with``, ``None`` where none is named.

        Raises:
            SettingsError: what is named is no address.
        """
        return open_webhook()


class FramesIOManager(dg.ConfigurableIOManagerFactory):  # type: ignore[type-arg]
    """Where frames are kept; ``base_path`` may be any UPath, default ``$PATTERN2PLAN_HOME/frames``.

    Reports stand in ``reports`` below ``base_path``, by default beside the frames in ``$PATTERN2PLAN_HOME``.
    """

    base_path: str | None = None

    def create_io_manager(self, context: dg.InitResourceContext) -> ParquetIOManager:
        """The IO manager, which also says where reports are kept."""
        if self.base_path is not None:
            return ParquetIOManager(UPath(self.base_path), UPath(self.base_path) / "reports")
        home = UPath(read_settings().home.resolve())
        return ParquetIOManager(home / "frames", home / REPORTS, read_desk_address())
