"""One running stack for all tests of the deployment: it takes a while to come up."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.own_redis import require_redis
from tests.stack_world import StackWorld, stack_world

EXECUTIONS = range(1001, 1010)


@pytest.fixture(scope="session")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StackWorld]:
    """Nine small executions, of which each test takes its own; sensors are off."""
    require_redis()
    with stack_world(tmp_path_factory.mktemp("stack"), EXECUTIONS) as world:
        yield world
