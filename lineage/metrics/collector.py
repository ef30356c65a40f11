"""Reads the three databases when they are asked for, each for a bounded time; one that is away is a 0, not an error."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import dataclass, field
from datetime import datetime

import structlog
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector, CollectorRegistry
from sqlalchemy import Connection

from lineage.metrics.families import gauges
from lineage.metrics.readings import Reading, demand_reading, facts_reading, supply_reading
from resources.databases.connections import open_facts, open_store, open_supply_store
from resources.foundation.clock import Clock, SystemClock
from resources.foundation.errors import ServiceUnreachable
from resources.settings.demand import read_settings
from resources.settings.supply import read_supply_settings

CONNECT_S = 3
STATEMENT_S = 5
STORE_S = 15.0
"""The longest that one database is waited for; all are read at once."""
log = structlog.get_logger(__name__)
Reader = Callable[[], AbstractContextManager[Connection]]


@dataclass
class _DatabaseReading:
    """One database under way: what was read of it so far, and whether all was."""

    families: list[GaugeMetricFamily] = field(default_factory=list)
    is_up: bool = False
    seconds: float = 0.0


class StoreMetrics(Collector):
    """A collector of Prometheus; scrapes are one after the other."""

    def __init__(self, clock: Clock | None = None) -> None:
        self._clock = clock or SystemClock()
        self._one_at_a_time = threading.Lock()
        self._threads: dict[str, threading.Thread] = {}

    def describe(self) -> list[GaugeMetricFamily]:
        """Nothing: registering must not read a database."""
        return []

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """All gauges; those of a database that is away, or too slow, as far as they were read."""
        with self._one_at_a_time:
            watches = self._read_all()
        up = {(name,): float(watch.is_up) for name, watch in watches.items()}
        yield gauges("up", "1 where the database answered everything that was asked of it, else 0.", ["store"], up)
        taken = {(name,): watch.seconds for name, watch in watches.items()}
        yield gauges("store_read_seconds", "How long it took to read the database for these numbers.", ["store"], taken)
        for watch in watches.values():
            yield from list(watch.families)

    def _read_all(self) -> dict[str, _DatabaseReading]:
        watches = {name: _DatabaseReading() for name in SOURCES}
        now, ends_at = self._clock.now(), time.monotonic() + STORE_S
        for name, (reader, reading) in SOURCES.items():
            if name in self._threads and self._threads[name].is_alive():
                continue  # It still hangs where the last scrape left it.
            wiring = (name, watches[name], reader, reading, now)
            self._threads[name] = threading.Thread(target=_read, args=wiring, name=f"metrics-{name}", daemon=True)
            self._threads[name].start()
        for thread in self._threads.values():
            thread.join(max(0.0, ends_at - time.monotonic()))
        return watches


def registry(clock: Clock | None = None) -> CollectorRegistry:
    """A registry of these numbers and nothing else."""
    own = CollectorRegistry(auto_describe=False)
    own.register(StoreMetrics(clock))
    return own


def _read(name: str, watch: _DatabaseReading, reader: Reader, reading: Reading, now: datetime) -> None:
    started = time.monotonic()
    try:
        with reader() as connection:
            for family in reading(connection, now):
                watch.families.append(family)
                watch.seconds = time.monotonic() - started
        watch.is_up = True
    except ServiceUnreachable as unreachable:
        log.warning("a database was not read for the metrics", store=name, reason=unreachable.message)
    except Exception:
        # The other databases' numbers are worth more than a scrape that fails.
        log.exception("a database could not be read for the metrics", store=name)
    watch.seconds = time.monotonic() - started


@contextmanager
def _supply() -> Iterator[Connection]:
    settings = read_supply_settings().model_copy(update={"connect_timeout_s": CONNECT_S})
    with closing(open_supply_store(settings)) as store:
        store.limit_reads(STATEMENT_S)
        with store.reading() as connection:
            yield connection


@contextmanager
def _demands() -> Iterator[Connection]:
    store = open_store(read_settings().model_copy(update={"connect_timeout_s": CONNECT_S}))
    store.limit_reads(STATEMENT_S)
    with store.reading() as connection:
        yield connection


@contextmanager
def _facts() -> Iterator[Connection]:
    bounds = {"connect_timeout_s": CONNECT_S, "statement_timeout_s": float(STATEMENT_S)}
    settings = read_settings().model_copy(update=bounds)
    with closing(open_facts(settings)) as facts, facts.snapshot() as connection:
        yield connection


SOURCES: Mapping[str, tuple[Reader, Reading]] = {
    "supply": (_supply, supply_reading),
    "demand": (_demands, demand_reading),
    "facts": (_facts, facts_reading),
}
