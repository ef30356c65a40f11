"""Where recall ends, and how a plan is found that only its name is known of (S-020, S-025, S-028)."""

from __future__ import annotations

from dataclasses import replace

from starlette.responses import Response

from resources.databases.supply_store.states import Stage
from tests.supply_assets.tasks.interposed import LOST, Asked, said
from tests.supply_assets.tasks.world import SMALL, World

SEARCH = "/tools/weixin_search"


def test_s020_a_search_is_left_after_its_last_page(world: World) -> None:
    greedy = replace(world, policy=replace(SMALL, pool_min=500, pool_max=500, max_pages=2, max_cycles=1))
    (task_id,) = greedy.take_in()
    greedy.run([task_id], Stage.RECALL)
    pages = {query["page"] for query in greedy.platform.asked(SEARCH)}
    assert pages == {"1", "2"}
    assert "max_pages" in greedy.stages(task_id, Stage.RECALL)[-1].output_payload["ended"].values()


def test_s020_a_page_that_brings_nothing_new_ends_its_search(world: World) -> None:
    greedy = replace(world, policy=replace(SMALL, pool_min=500, pool_max=500, max_pages=60, max_cycles=1))
    (task_id,) = greedy.take_in()
    greedy.platform.faults({"target": "weixin_search", "fault": "endless_pages"})
    greedy.run([task_id], Stage.RECALL)
    assert set(greedy.stages(task_id, Stage.RECALL)[-1].output_payload["ended"].values()) == {"repeated_page"}


def test_s020_a_pool_is_full_at_its_limit_and_what_is_beyond_is_counted(world: World) -> None:
    narrow = replace(world, policy=replace(SMALL, pool_min=7, pool_max=7))
    (task_id,) = narrow.take_in(expected=1)
    narrow.run([task_id], Stage.RECALL)
    assert len(narrow.pool(task_id)) == 7
    assert narrow.stages(task_id, Stage.RECALL)[-1].output_payload["left_out"]["beyond_pool"] == 1


def test_s028_a_plan_that_is_known_by_its_name_alone_is_adopted(world: World) -> None:
    """The answer is lost, and the platform does not find plans by their operation."""
    (task_id,) = world.take_in()
    creations: list[Asked] = []

    def instead(request: Asked) -> Response | None:
        if request.path != "/plans":
            return None
        if request.method == "POST":
            creations.append(request)
            return LOST
        return said({"plans": []}) if "operation_id" in request.query else None

    world.platform.instead(instead)
    world.run([task_id])
    world.assert_completed([task_id])
    assert len(creations) == 1
    assert world.stages(task_id, Stage.CREATE_PLAN)[-1].output_payload["origin"] == "adopted"
