"""A platform that was never there is not waited for by every task of a batch (S-010)."""

from __future__ import annotations

import pytest

from tests.supply_assets.tasks.world import World


def test_s010_where_nothing_answers_the_tasks_that_were_not_begun_are_left_for_the_next_run(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SUPPLY_TASK_CONCURRENCY", "1")
    task_ids = world.take_in(8)
    world.platform.faults({"target": "weixin_search", "fault": "server_error"})
    outcome = world.run(task_ids)
    statuses = [world.task(task_id).status for task_id in task_ids]
    begun = statuses.count("FAILED")
    assert 3 <= begun < 8
    assert statuses[begun:] == [statuses[-1]] * (8 - begun)
    assert set(outcome.standing) == set(task_ids[:begun])

    world.platform.faults()
    world.run(task_ids)
    world.assert_completed(task_ids)


def test_s010_where_something_was_reached_every_task_has_its_try(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SUPPLY_TASK_CONCURRENCY", "1")
    first, *others = world.take_in(6)
    world.run([first, *others[:1]])
    world.platform.faults({"target": "fetch_article_detail", "fault": "server_error"})
    outcome = world.run(others)
    assert len(outcome.standing) == len(others)
