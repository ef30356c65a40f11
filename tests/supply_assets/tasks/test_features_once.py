"""What an article says whoever asks is worked out once, however many tasks find the article (S-021)."""

from __future__ import annotations

from collections import Counter

import pytest

from resources.databases.supply_store.articles.features import read_features
from resources.databases.supply_store.states import Stage
from supply_assets.scoring.duplicates import text_sketches
from supply_assets.scoring.features import content_features
from supply_assets.scoring.features.text_shape import TextShape, text_shape
from tests.supply_assets.tasks.world import QUERIES, World


def test_s021_features_of_an_article_are_computed_once_however_many_tasks_find_it(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    measured: Counter[str] = Counter()
    sketched: Counter[str] = Counter()
    key = text_sketches.key

    def measuring(text: str) -> TextShape:
        measured[text] += 1
        return text_shape(text)

    def sketching(text: str) -> str:
        sketched[text] += 1
        return key(text)

    monkeypatch.setattr(content_features, "text_shape", measuring)
    monkeypatch.setattr(text_sketches, "key", sketching)
    tasks = world.take_in(len(QUERIES) + 1)
    alike = [tasks[0], tasks[-1]]
    world.run(alike, Stage.RANK)
    rows = world.read(lambda connection: read_features(connection, alike))
    found = Counter(row.raw_detail_payload["detail"]["url"] for row in rows)
    assert 2 in found.values(), "both tasks found an article"
    # None where an earlier test of this process has found the article already.
    assert {*measured.values(), *sketched.values()} <= {1}
