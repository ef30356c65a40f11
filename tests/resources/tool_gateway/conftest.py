"""Fixtures of the gateway's tests: a scripted platform on a real socket."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.resources.tool_gateway.scripted import Bench, ScriptedPlatform, scripted_platform


@pytest.fixture(scope="module")
def running_platform() -> Iterator[ScriptedPlatform]:
    """One server a module."""
    with scripted_platform() as running:
        yield running


@pytest.fixture
def platform(running_platform: ScriptedPlatform) -> ScriptedPlatform:
    """A platform without a script: 404 everywhere."""
    running_platform.forget()
    return running_platform


@pytest.fixture
def bench(platform: ScriptedPlatform) -> Bench:
    """Gateways in front of the platform."""
    return Bench(platform)
