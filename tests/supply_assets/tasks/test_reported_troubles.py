"""Troubles that people reported, met by whole task runs (field reports WX5 … WX12, GW1 … GW9, MY2, MY12)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy import create_engine, text
from sqlalchemy.engine import URL
from starlette.responses import HTMLResponse, JSONResponse, Response

from resources.databases.supply_store.states import Stage, TaskStatus
from sandbox.platform.corpus.pages import deleted_page, verify_page, violation_page
from tests.real_servers import MARIADB, run_as_administrator
from tests.supply_assets.tasks.interposed import LOST, Asked, said
from tests.supply_assets.tasks.world import SMALL, World

SEARCH, SECOND_SEARCH = "/tools/weixin_search", "/api/wx/article/search"
HISTORY, DETAIL = "/tools/fetch_account_article_list", "/tools/fetch_article_detail"
DELETED_SENTENCE = "该内容已被发布者删除"
THROTTLED = {"ret": 200013, "msg": "freq control"}


def output(world: World, task_id: str, stage: Stage) -> Any:
    """What the last attempt at a stage said of itself."""
    return world.stages(task_id, stage)[-1].output_payload


def planned_urls(world: World, task_id: str) -> set[str]:
    return {content["url"] for plan in world.platform.plans(task_id) for content in plan["contents"]}


def broken_page(number: int) -> Callable[[Asked], Response | None]:
    """One page of every search fails for good, at each provider."""

    def instead(request: Asked) -> Response | None:
        broken = request.path == SECOND_SEARCH or (request.path == SEARCH and request.query["page"] == str(number))
        return JSONResponse({}, 503) if broken else None

    return instead


def test_wx5_wx6_what_stands_in_place_of_an_article_is_neither_scored_nor_planned(world: World) -> None:
    (task_id,) = world.take_in()
    world.run([task_id], Stage.ACCOUNT_PROFILE)
    pages: dict[str, Callable[[str], str]] = {}
    kinds = iter((lambda _: deleted_page(), lambda _: violation_page(), lambda _: verify_page(), _quoting))

    def instead(request: Asked) -> Response | None:
        if request.path == "/s" or request.path.startswith("/s/"):
            return HTMLResponse(verify_page())
        if request.path != DETAIL or (url := request.query["url"]) in whole:
            return None
        page = pages.setdefault(url, next(kinds, str))
        return said({"url": url, "html": page(whole_page)})

    whole: set[str] = set()
    whole_page = _a_page(world)
    world.platform.instead(instead)
    world.run([task_id])
    world.platform.instead(None)
    world.assert_sound([task_id])
    deleted, violating, blocked, quoting = list(pages)[:4]
    pool = {candidate.url: candidate for candidate in world.pool(task_id)}
    read = {row["candidate_id"] for row in world.rows()["supply_content_feature"]}
    assert pool[deleted].reject_reason == "deleted_by_publisher"
    assert pool[violating].reject_reason == "removed_for_violation"
    assert (pool[blocked].quality_flag, pool[blocked].reject_reason) == ("UNKNOWN", None)
    assert {url for url in pages if pool[url].id in read} >= {quoting}
    assert not {pool[url].id for url in (deleted, violating, blocked)} & read
    assert not planned_urls(world, task_id) & {deleted, violating, blocked}
    assert output(world, task_id, Stage.CONTENT_ENRICH)["coverage"]["verification_required"] == 1


def _a_page(world: World) -> str:
    found = world.platform.client.get(SEARCH, params={"keyword": "泡脚"}).json()["data"]["items"]
    details = (world.platform.client.get(DETAIL, params={"url": item["url"]}).json()["data"] for item in found)
    return next(data["html"] for data in details if data and "js_content" in data["html"])


def _quoting(page: str) -> str:
    return page.replace('id="js_content"', 'data-quote="" id="js_content"').replace(
        "</p>", f"</p><p>有人问：点开就是“{DELETED_SENTENCE}”怎么办？</p>", 1
    )


def test_wx7_a_throttled_page_is_resumed_without_hammering(world: World) -> None:
    (task_id,) = world.take_in()
    throttled = iter((True, True))

    def instead(request: Asked) -> Response | None:
        return JSONResponse(THROTTLED) if request.path == SEARCH and next(throttled, False) else None

    world.platform.instead(instead)
    world.run([task_id])
    world.assert_completed([task_id])
    pages = [query["page"] for query in world.platform.asked(SEARCH)]
    assert pages[:4] == ["1", "1", "1", "2"], "the page is asked for again until it comes"
    assert output(world, task_id, Stage.RECALL)["partial"] is None


def test_wx7_a_throttle_that_stays_is_no_absence(world: World) -> None:
    (task_id,) = world.take_in()
    world.platform.faults({"target": "weixin_search", "fault": "freq_control"})
    world.run([task_id])
    task = world.task(task_id)
    assert (task.status, task.error_code, task.ext["retryable"]) == (TaskStatus.FAILED, "rate_limited", True)
    assert len(world.platform.asked(SEARCH)) == 4, "a first try and three more"


def test_wx12_the_same_search_again_adds_no_row(both_worlds: World) -> None:
    (task_id,) = both_worlds.take_in()
    both_worlds.run([task_id])
    before = both_worlds.counts()
    both_worlds.run([task_id])
    assert both_worlds.take_in() == [task_id], "the same request is the same task"
    assert both_worlds.counts() == before
    (forced,) = both_worlds.take_in(anew=True)
    both_worlds.run([forced])
    both_worlds.assert_completed([task_id, forced])
    assert len(both_worlds.pool(forced)) == len(both_worlds.pool(task_id))


def test_wx12_an_account_that_is_closed_in_mid_run_gets_no_plan(world: World) -> None:
    (task_id,) = world.take_in()
    world.run([task_id], Stage.ACCOUNT_ENRICH)
    closed = world.pool(task_id)[0]

    def instead(request: Asked) -> Response | None:
        is_its = request.path == HISTORY and request.query.get("biz") == closed.biz_info
        return said(code=107) if is_its else None

    world.platform.instead(instead)
    world.run([task_id])
    world.assert_sound([task_id])
    its = [candidate for candidate in world.pool(task_id) if candidate.account_id == closed.account_id]
    assert its
    assert {candidate.reject_reason for candidate in its} == {"account_moved"}
    assert not planned_urls(world, task_id) & {candidate.url for candidate in its}
    scored = {row["candidate_id"] for row in world.rows()["supply_content_score"] if row["is_selected"]}
    assert not scored & {candidate.id for candidate in its}


@pytest.mark.parametrize("target", ["fetch_weixin_account", "fetch_account_article_list", "fetch_article_detail"])
def test_wx12_where_all_accounts_are_closed_there_is_no_plan_at_all(world: World, target: str) -> None:
    everyone = replace(world, policy=replace(SMALL, promising_accounts=100))
    (task_id,) = everyone.take_in()
    everyone.platform.faults({"target": target, "fault": "error_code", "value": 107})
    everyone.run([task_id])
    everyone.assert_sound([task_id])
    assert everyone.task(task_id).status is TaskStatus.COMPLETED
    assert everyone.platform.plans(task_id) == []
    result = output(everyone, task_id, Stage.FINALIZE)
    assert (result["crawler_plan_id"], result["selected"], result["shortfall"]) == (None, [], 3)


def test_gw1_a_plan_made_after_the_caller_gave_up_is_found_not_made_again(world: World) -> None:
    (task_id,) = world.take_in()
    world.run([task_id], Stage.RANK)
    world.platform.faults({"target": "plan_create", "fault": "slow_after", "value": 10})
    world.run([task_id], timeout_s=1)
    world.assert_completed([task_id])
    assert output(world, task_id, Stage.CREATE_PLAN)["origin"] == "adopted"
    assert world.platform.calls()["endpoints"]["plan_create"] == 1


def test_gw1_a_plan_made_late_is_one_plan(world: World) -> None:
    (task_id,) = world.take_in()
    world.run([task_id], Stage.RANK)
    world.platform.faults({"target": "plan_create", "fault": "latency", "value": 700})
    world.run([task_id], timeout_s=0.4)
    world.platform.faults()
    world.run([task_id])
    world.assert_completed([task_id])
    assert world.platform.calls()["endpoints"]["plan_create"] > 1


def test_gw3_a_platform_that_ignores_the_operation_still_makes_one_plan(both_worlds: World) -> None:
    task_ids = both_worlds.take_in(2)
    both_worlds.platform.faults(
        {"target": "plan_create", "fault": "ignore_operation_id"}, {"target": "plan_create", "fault": "drop_after"}
    )
    both_worlds.run(task_ids)
    both_worlds.assert_completed(task_ids)


@pytest.mark.parametrize("counted", [True, False])
def test_gw3_a_second_plan_of_one_operation_is_noticed_and_told(world: World, counted: bool) -> None:
    """The answer to the first is lost, and look-ups hide it until the second has been made."""
    (task_id,) = world.take_in()
    world.platform.faults({"target": "plan_create", "fault": "ignore_operation_id"})
    creations: list[Asked] = []

    def instead(request: Asked) -> Response | None:
        if request.path != "/plans":
            return None
        if request.method == "POST":
            creations.append(request)
            return LOST if len(creations) == 1 else None
        if len(creations) == 1:
            return said({"plans": []})
        return None if counted else JSONResponse({}, 503)

    world.platform.instead(instead)
    world.run([task_id])
    assert world.task(task_id).status is TaskStatus.COMPLETED
    first, second = world.platform.plans(task_id)
    (row,) = world.plan_rows(task_id)
    assert row.crawler_plan_id == second["crawler_plan_id"]
    assert first["operation_id"] == second["operation_id"]
    assert output(world, task_id, Stage.CREATE_PLAN)["duplicates_on_platform"] == (1 if counted else None)


def test_gw1_a_refusal_after_a_lost_answer_does_not_hide_the_plan(world: World) -> None:
    (task_id,) = world.take_in()
    creations: list[Asked] = []

    def instead(request: Asked) -> Response | None:
        if request.path != "/plans":
            return None
        if request.method == "POST":
            creations.append(request)
            return LOST if len(creations) == 1 else JSONResponse({"code": 20002, "msg": "contents: no"}, 400)
        return said({"plans": []}) if len(creations) == 1 else None

    world.platform.instead(instead)
    world.run([task_id])
    world.assert_completed([task_id])
    assert output(world, task_id, Stage.CREATE_PLAN)["origin"] == "adopted"


def test_gw7_pages_without_end_and_an_empty_page_stop_the_search(world: World) -> None:
    greedy = replace(world, policy=replace(SMALL, pool_min=500, pool_max=500, max_pages=60, max_cycles=1))
    (task_id,) = greedy.take_in()
    greedy.platform.faults({"target": "weixin_search", "fault": "endless_pages"})
    greedy.run([task_id])
    greedy.assert_completed([task_id])
    recalled = output(greedy, task_id, Stage.RECALL)
    assert set(recalled["ended"].values()) == {"repeated_page"}
    assert recalled["exhausted"]
    asked = greedy.platform.asked(SEARCH)
    assert len({(query["keyword"], query["page"]) for query in asked}) == len(asked), "no page is asked for twice"

    (forced,) = greedy.take_in(anew=True)
    greedy.platform.faults()
    empty = said({"total": 99, "page": 2, "has_more": False, "items": []})
    greedy.platform.instead(lambda request: empty if request.query.get("page") == "2" else None)
    greedy.run([forced])
    assert "empty_page" in output(greedy, forced, Stage.RECALL)["ended"].values()
    assert max(int(query["page"]) for query in greedy.platform.asked(SEARCH)[len(asked) :]) == 2


def test_gw9_pages_before_the_broken_one_are_kept_and_the_next_run_starts_there(both_worlds: World) -> None:
    (task_id,) = both_worlds.take_in(expected=6)
    both_worlds.platform.instead(broken_page(2))
    both_worlds.run([task_id])
    task = both_worlds.task(task_id)
    assert (task.status, task.current_stage, task.error_code) == (TaskStatus.FAILED, Stage.RECALL, "server_error")
    kept = [candidate.url for candidate in both_worlds.pool(task_id)]
    assert len(kept) == SMALL.page_size
    assert output(both_worlds, task_id, Stage.RECALL)["next"] == {"keyword": 0, "page": 2}
    asked = len(both_worlds.platform.asked(SEARCH))
    both_worlds.platform.instead(None)
    both_worlds.run([task_id])
    both_worlds.assert_completed([task_id])
    assert both_worlds.platform.asked(SEARCH)[asked]["page"] == "2"
    assert [candidate.url for candidate in both_worlds.pool(task_id)][: len(kept)] == kept
    assert output(both_worlds, task_id, Stage.FINALIZE)["partial"] is None


def test_gw9_a_pool_that_suffices_goes_on_and_says_that_it_is_partial(world: World) -> None:
    (task_id,) = world.take_in(expected=1)
    world.platform.instead(broken_page(2))
    world.run([task_id])
    world.assert_completed([task_id])
    assert output(world, task_id, Stage.RECALL)["partial"]["code"] == "server_error"
    assert output(world, task_id, Stage.FINALIZE)["partial"]["code"] == "server_error"


def test_my2_links_that_share_their_first_characters_stay_two(both_worlds: World) -> None:
    (task_id,) = both_worlds.take_in()
    start = "https://mp.weixin.qq.com/s?__biz=MzAw&mid=1&idx=1&sn=" + "a" * 700
    twins = [{"title": f"泡脚 艾草 第{number}集", "url": f"{start}{number}"} for number in range(1, 4)]
    longest = {"title": "泡脚 长链接", "url": start + "b" * 2_000}
    page = said({"total": 4, "page": 1, "has_more": False, "items": [*twins, longest]})
    both_worlds.platform.instead(lambda request: page if request.path == SEARCH else None)
    both_worlds.run([task_id], Stage.RECALL)
    assert sorted(candidate.url for candidate in both_worlds.pool(task_id)) == [twin["url"] for twin in twins]
    recalled = output(both_worlds, task_id, Stage.RECALL)
    assert recalled["left_out"] == {"unreadable_link": recalled["pages"]}, "the longest is counted, never cut"


@pytest.mark.real_server
@pytest.mark.parametrize("path", [SEARCH, DETAIL, "/plans"])
def test_my12_sessions_that_the_server_ends_in_mid_run_cost_nothing(server_world: World, path: str) -> None:
    task_ids = server_world.take_in(3)
    ended: list[str] = []

    def instead(request: Asked) -> Response | None:
        if request.path == path and not ended:
            ended.extend(_end_sessions(server_world.url))
        return None

    server_world.platform.instead(instead)
    server_world.run(task_ids)
    assert ended
    server_world.assert_completed(task_ids)


def _end_sessions(url: URL) -> list[str]:
    """Every session in the database, as a server does that waited too long for a word."""
    engine = create_engine(url)
    with engine.connect() as connection:
        listed = text("SELECT id FROM information_schema.processlist WHERE db = :db AND id <> CONNECTION_ID()")
        sessions = [str(row[0]) for row in connection.execute(listed, {"db": url.database})]
    engine.dispose()
    for session in sessions:
        run_as_administrator(MARIADB, f"KILL {session}")
    return sessions
