"""Success without a row where hits were due is nobody's knowing, not "no supply" (field report WX8)."""

from __future__ import annotations

from starlette.responses import Response

from resources.databases.supply_store.states import Stage, TaskStatus
from tests.supply_assets.tasks.interposed import Asked, said
from tests.supply_assets.tasks.world import World

SEARCH = "/tools/weixin_search"


def test_wx8_an_empty_page_with_a_total_is_asked_again_later_without_force(world: World) -> None:
    (task_id,) = world.take_in()

    def instead(request: Asked) -> Response | None:
        if request.path == SEARCH:
            return said({"items": [], "page": 1, "has_more": True, "total": 40})
        return Response(status_code=503) if request.path == "/api/wx/article/search" else None

    world.platform.instead(instead)
    world.run([task_id])
    task = world.task(task_id)
    assert (task.status, task.current_stage, task.ext["retryable"]) == (TaskStatus.FAILED, Stage.RECALL, True)
    world.platform.instead(None)
    world.run([task_id])
    world.assert_completed([task_id])
