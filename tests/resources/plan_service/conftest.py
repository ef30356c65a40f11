"""Fixtures of the plan client's tests: a scripted service on a real socket, and a client in front of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from resources.calls.frame import CallTerms
from resources.calls.policy import CallPolicy
from resources.plan_service.client import PlanService
from tests.counting_ids import CountingIds
from tests.resources.tool_gateway.scripted import HandClock, ScriptedPlatform, Sink, scripted_platform


@pytest.fixture(scope="module")
def running_service() -> Iterator[ScriptedPlatform]:
    """One server a module."""
    with scripted_platform() as running:
        yield running


@pytest.fixture
def service(running_service: ScriptedPlatform) -> ScriptedPlatform:
    """A service without a script."""
    running_service.forget()
    return running_service


@pytest.fixture
def clock() -> HandClock:
    """Time moved by hand."""
    return HandClock()


@pytest.fixture
def sink() -> Sink:
    """The events."""
    return Sink()


@pytest.fixture
def client_of(clock: HandClock, sink: Sink) -> Callable[..., PlanService]:
    """A client of an address."""

    def client(url: str, **policy: Any) -> PlanService:
        bounds = CallPolicy(**{"timeout_s": 5, **policy})
        terms = CallTerms(bounds, sink, CountingIds("request"), clock, clock.sleep, clock.monotonic)
        return PlanService(url, None, terms)

    return client
