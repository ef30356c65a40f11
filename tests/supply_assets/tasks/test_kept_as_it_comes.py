"""Long stages keep each account and each page as it comes: a kill costs seconds of a stage (S-005, S-021, S-042)."""

from __future__ import annotations

import asyncio
import importlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import pytest
from starlette.responses import HTMLResponse, Response

from resources.databases.supply_store.states import Stage, StageStatus, TaskStatus
from resources.databases.supply_store.tasks.leases import take_away
from resources.databases.supply_store.tasks.stage_rows import ABANDONED
from supply_assets.stages.as_they_come import KEPT, keeping
from tests.supply_assets.tasks.interposed import Asked, said
from tests.supply_assets.tasks.workers import KILLED, Job, Workers, kill
from tests.supply_assets.tasks.world import SMALL, LaterClock, World

DETAIL = "/tools/fetch_article_detail"
STEP_S = 0.03
LONG_STAGES = {
    Stage.ACCOUNT_ENRICH: ("account_enrich", "/tools/fetch_weixin_account"),
    Stage.ACCOUNT_PROFILE: ("account_profile", "/tools/fetch_account_article_list"),
    Stage.CONTENT_ENRICH: ("content_enrich", DETAIL),
}
HEAVY_PAGE = '<h1 id="activity-name">题</h1><div id="js_content">' + "<div>" * 20_000
HEAVY = said({"html": HEAVY_PAGE})


def kill_after_keeping(module: str) -> None:
    """The end of this worker, right after a stage has kept something."""
    stage = importlib.import_module(f"supply_assets.stages.{module}")
    keep_rows = stage.keep_rows

    async def keep(*arguments: Any) -> None:
        await keep_rows(*arguments)
        kill()

    stage.keep_rows = keep  # type: ignore[attr-defined]


@pytest.fixture
def slow(world: World, monkeypatch: pytest.MonkeyPatch) -> World:
    """A world in which answers come one after the other and each is kept."""
    monkeypatch.setenv("SUPPLY_TOOL_CONCURRENCY", "1")
    world.platform.faults({"target": "*", "fault": "latency", "rate": 1, "value": STEP_S * 1000})
    return replace(world, policy=replace(SMALL, keep_within_s=STEP_S / 2, max_cycles=1))


@pytest.mark.parametrize("stage", list(LONG_STAGES))
def test_s005_what_a_killed_worker_was_answered_is_not_asked_for_again(
    slow: World, workers: Workers, stage: Stage
) -> None:
    module, path = LONG_STAGES[stage]
    task_ids = slow.take_in()
    (ending,) = workers.run(Job(task_ids, slow.policy, partial(kill_after_keeping, module)))
    assert ending.code == KILLED, ending.said
    (attempt,) = slow.stages(task_ids[0], stage)
    kept = sum(attempt.output_payload[KEPT].values())
    assert (attempt.stage_status, kept >= 1) == (StageStatus.RUNNING, True)
    before = slow.platform.asked(path)[:kept]

    slow.run(task_ids, clock=LaterClock())

    slow.assert_completed(task_ids)
    times = Counter(str(query) for query in slow.platform.asked(path))
    assert [times[str(query)] for query in before] == [1] * kept
    told = slow.stages(task_ids[0], stage)[-1].output_payload
    asked = {Stage.ACCOUNT_PROFILE: "promising", Stage.CONTENT_ENRICH: "asked"}.get(stage)
    if asked:
        assert told[asked] == sum(told["coverage"].values()) <= 6


def test_s005_a_worker_that_lost_its_lease_keeps_nothing_more(slow: World) -> None:
    (task_id,) = slow.take_in()
    asked: list[str] = []

    def another_takes_it(request: Asked) -> Response | None:
        if request.path == DETAIL:
            asked.append(request.query["url"])
            if len(asked) == 2:
                slow.store.write(lambda connection: take_away(connection, [task_id]))
        return None

    slow.platform.instead(another_takes_it)

    slow.run([task_id])

    slow.assert_completed([task_id])
    lost, won = slow.stages(task_id, Stage.CONTENT_ENRICH)
    assert (lost.error_code, won.stage_status) == (ABANDONED, StageStatus.SUCCESS)
    assert lost.output_payload in (None, {KEPT: {"found": 1}})


@pytest.mark.parametrize("heavy", ["one", "all"])
def test_s011_a_page_that_cannot_be_read_is_one_articles_trouble(world: World, heavy: str) -> None:
    pages: list[str] = []

    def answer(request: Asked) -> Response | None:
        if request.path == DETAIL:
            pages.append(request.query["url"])
            return HEAVY if heavy == "all" or request.query["url"] == pages[0] else None
        return HTMLResponse(HEAVY_PAGE) if request.path.startswith("/s") else None

    world.platform.instead(answer)
    (task_id,) = world.take_in()
    world.run([task_id])

    task, refused = world.task(task_id), [row for row in world.pool(task_id) if row.reject_reason == "unreadable_page"]
    assert task.status == TaskStatus.COMPLETED
    assert len(refused) == (len(set(pages)) if heavy == "all" else 1)
    assert {row.quality_flag for row in refused} == {"REJECT"}
    assert Counter(pages)[pages[0]] == 1
    told = [stage.output_payload["coverage"] for stage in world.stages(task_id, Stage.CONTENT_ENRICH)]
    assert sum(coverage.get("unreadable_page", 0) for coverage in told) == len(refused)


def test_groups_come_in_order_and_a_failure_cancels_the_rest() -> None:
    async def call(number: int, steps: int) -> int:
        await asyncio.sleep(steps * STEP_S)
        if steps == 4:
            raise ZeroDivisionError
        return number

    async def all_of(*steps: int) -> tuple[list[list[int]], list[int]]:
        kept: list[list[int]] = []

        async def keep(group: Sequence[int]) -> None:
            kept.append(list(group))

        last = await keeping((call(place, step) for place, step in enumerate(steps)), keep, STEP_S * 1.5)
        return kept, last

    assert asyncio.run(all_of()) == ([], [])
    assert asyncio.run(all_of(0, 0, 1)) == ([], [0, 1, 2])
    assert asyncio.run(all_of(9, 0, 1)) == ([[1, 2]], [0])
    with pytest.raises(ZeroDivisionError):
        asyncio.run(all_of(90, 4))
