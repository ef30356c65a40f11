"""The command line over the small facts, with an embedded demand store beside them."""

from __future__ import annotations

import pytest

from resources.databases.connections import open_store
from resources.databases.demand_store.migrate import upgrade
from resources.settings.demand import read_settings
from tests.commands.cli_runner import Cli
from tests.small_facts import FactWorld


@pytest.fixture
def cli(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Cli:
    """The command in this process."""
    return Cli(monkeypatch, capfd)


@pytest.fixture
def place(sqlite_world: FactWorld) -> FactWorld:
    """The embedded default, complete: facts and a demand store that is up to date."""
    upgrade(open_store(read_settings()))
    return sqlite_world
