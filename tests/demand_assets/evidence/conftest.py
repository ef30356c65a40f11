"""A world for tests that only look: the small facts in SQLite, filled once."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from sqlalchemy.engine import URL

from tests.small_facts import FactWorld


@pytest.fixture(scope="session")
def still_world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FactWorld]:
    """The small facts as they are; nobody alters them."""
    place = FactWorld(URL.create("sqlite", database=str(tmp_path_factory.mktemp("still") / "facts.db")))
    place.fill()
    yield place
    place.close()
