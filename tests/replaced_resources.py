"""Resources of a location that hand out other places and tell that they were opened; an environment that opens none."""

from __future__ import annotations

import types
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, TypeVar

import dagster as dg
import pytest
from sqlalchemy.engine import URL

from resources.databases.demand_store.engine import DemandStore
from resources.databases.pattern_facts.engine import FactsDatabase
from resources.databases.supply_store.engine import SupplyStore
from resources.platform.configurable import (
    DemandStoreResource,
    PatternFactsResource,
    RunFoldersResource,
    SupplyStoreResource,
)

Resource = TypeVar("Resource", bound=dg.ConfigurableResource)  # type: ignore[type-arg]
OPENERS = ("open", "open_for_a_tick", "clock", "ids", "root", "settings", "model", "standstill_s")
AT_LAUNCH = {"io_manager", "supply_request", "demand_request"}
"""Keys of what is made for the launch, before any step opens anything."""
CLOSED = {
    "PATTERN2PLAN_HOME": "not/there",
    "DEMAND_PATTERN_PG_DSN": "postgresql://u@127.0.0.1:1/none",
    "DEMAND_CONTENT_MYSQL_DSN": "mysql://u@127.0.0.1:1/none",
    "SUPPLY_STORE_MYSQL_DSN": "mysql://u@127.0.0.1:1/none",
    "SUPPLY_PLATFORM_URL": "http://127.0.0.1:1",
    "PATTERN2PLAN_ALERT_WEBHOOK": "http://127.0.0.1:1/hook",
}
"""Places where nobody answers."""
UNREADABLE = {"DEMAND_CONNECT_TIMEOUT_S": "never", "SUPPLY_LEASE_S": "never"}
"""With these, reading the settings of either half is an error."""


def other(kind: type[Resource], **methods: Callable[..., Any]) -> Resource:
    """A resource of the kind with other methods: it hands out what they give."""
    made: Resource = types.new_class(kind.__name__, (kind,), exec_body=lambda namespace: namespace.update(methods))()
    return made


def facts_in(file: str) -> PatternFactsResource:
    """Facts in an SQLite file."""

    @contextmanager
    def opened(_: object) -> Iterator[FactsDatabase]:
        with closing(FactsDatabase(_sqlite(file), statement_timeout_s=60)) as facts:
            yield facts

    return other(PatternFactsResource, open=opened, open_for_a_tick=opened)


def demands_in(file: str) -> DemandStoreResource:
    """A demand store in an SQLite file."""
    return other(DemandStoreResource, open=lambda _: DemandStore(_sqlite(file)))


def supply_in(file: str) -> SupplyStoreResource:
    """A supply store in an SQLite file."""

    @contextmanager
    def opened(_: object) -> Iterator[SupplyStore]:
        with closing(SupplyStore(_sqlite(file))) as store:
            yield store

    return other(SupplyStoreResource, open=opened)


def runs_in(folder: Path) -> RunFoldersResource:
    """Run folders in another place."""
    return other(RunFoldersResource, root=lambda _: folder)


def _sqlite(file: str) -> URL:
    return URL.create("sqlite", database=file)


def name_nothing(monkeypatch: pytest.MonkeyPatch, variables: Mapping[str, str]) -> None:
    """From here on the environment leads nowhere."""
    for name, value in variables.items():
        monkeypatch.setenv(name, value)


def watched(resource: Resource, opened: Callable[[], object]) -> Resource:
    """The resource with its config, calling ``opened`` whenever a step opens it."""
    kind = type(resource)

    def telling(method: str) -> Callable[..., Any]:
        def tell(self: Any, *given: Any) -> Any:
            opened()
            return getattr(kind, method)(self, *given)

        return tell

    methods = {method: telling(method) for method in OPENERS if hasattr(kind, method)}
    watching = types.new_class(kind.__name__, (kind,), exec_body=lambda namespace: namespace.update(methods))
    made: Resource = watching(**resource.model_dump())
    return made


def opened_by(definition: dg.AssetsDefinition | dg.SensorDefinition | dg.OpDefinition) -> set[str]:
    """The resources that a step declares and opens itself."""
    return set(definition.required_resource_keys) - AT_LAUNCH
