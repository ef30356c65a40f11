"""Resources of a location that hand out other places and tell that they were opened; an environment that opens none."""

from __future__ import annotations

import types
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import dagster as dg
import pytest

Resource = TypeVar("Resource", bound=dg.ConfigurableResource)  # type: ignore[type-arg]
OPENERS = ("open", "open_for_a_tick", "clock", "ids", "root", "standstill_s")
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
