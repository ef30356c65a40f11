"""Pages that stand in an article's place, met by whole task runs (field reports WX18, WX20)."""

from __future__ import annotations

import pytest
from starlette.responses import HTMLResponse, Response

from resources.databases.supply_store.states import Stage, TaskStatus
from tests.supply_assets.tasks.interposed import Asked, said
from tests.supply_assets.tasks.world import World

DETAIL = "/tools/fetch_article_detail"
BUSY = "<html><body><h2>系统繁忙，请稍后再试</h2></body></html>"
UNHEARD_OF = "<html><title>Уучлаарай</title><body><p>Та түр хүлээнэ үү</p></body></html>"
CLOSED = "<html><body><p>此帐号已被封禁，内容无法查看</p></body></html>"


def is_page(request: Asked) -> bool:
    return request.path == "/s" or request.path.startswith("/s/")


def instead_of_every_page(html: str) -> object:
    def instead(request: Asked) -> Response | None:
        if is_page(request):
            return HTMLResponse(html)
        return said({"url": request.query["url"], "html": html}) if request.path == DETAIL else None

    return instead


@pytest.mark.parametrize(("html", "code"), [(BUSY, "platform_busy"), (UNHEARD_OF, "unknown_page")])
def test_wx18_a_task_whose_pages_are_all_a_notice_is_tried_again_and_completes(
    world: World, html: str, code: str
) -> None:
    (task_id,) = world.take_in()
    world.platform.instead(instead_of_every_page(html))  # type: ignore[arg-type]
    world.run([task_id])
    task = world.task(task_id)
    assert (task.status, task.current_stage, task.ext["retryable"]) == (TaskStatus.FAILED, Stage.CONTENT_ENRICH, True)
    errors = [
        row["event_payload"] for row in world.rows()["supply_task_event"] if row["event_type"] in ("ERROR", "RETRY")
    ]
    assert code in {payload.get("error_code") for payload in errors}
    assert any(row["event_type"] == "BREAKER" for row in world.rows()["supply_task_event"]), "the breaker counts it"
    world.platform.instead(None)
    world.run([task_id])
    world.assert_completed([task_id])


def test_wx20_an_article_of_a_closed_account_is_gone_at_the_first_word(world: World) -> None:
    (task_id,) = world.take_in()
    closed: list[str] = []

    def instead(request: Asked) -> Response | None:
        if request.path != DETAIL or (closed and request.query["url"] != closed[0]):
            return None
        closed[:] = [request.query["url"]]
        return said({"url": closed[0], "html": CLOSED})

    world.platform.instead(instead)
    world.run([task_id])
    world.assert_completed([task_id])
    assert [query["url"] for query in world.platform.asked(DETAIL)].count(closed[0]) == 1
    assert not [request for request in world.platform.interposed.asked if is_page(request)], (
        "no other provider is asked"
    )
    (gone,) = [candidate for candidate in world.pool(task_id) if candidate.url == closed[0]]
    assert (gone.quality_flag, gone.reject_reason) == ("REJECT", "account_closed")
