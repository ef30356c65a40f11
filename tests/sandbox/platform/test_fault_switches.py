"""Each fault over real HTTP, asked for by query and by configuration (S-014)."""

from __future__ import annotations

from typing import Any

import httpx2
import pytest

from tests.sandbox.platform.conftest import TOOLS

SEARCH, LISTING, DETAIL = (
    TOOLS["weixin_search"],
    TOOLS["fetch_account_article_list"],
    TOOLS["fetch_article_detail"],
)
LOST = (httpx2.RemoteProtocolError, httpx2.ReadError)
PLAN = {
    "operation_id": "op-1",
    "plan_name": "泡脚",
    "platform": "weixin",
    "plan_type": "BY_CONTENT",
    "task_id": "task-1",
    "contents": [{"url": "https://mp.weixin.qq.com/s/a", "title": "泡脚"}],
    "source_evidence": {"itemset_ids": [1]},
}

Asked = tuple[str, dict[str, str]]


class Caller:
    """Asks for a fault in one of the two ways."""

    def __init__(self, client: httpx2.Client, way: str) -> None:
        self.client = client
        self.way = way

    def get(self, asked: Asked, fault: str, target: str = "*", **more: Any) -> httpx2.Response:
        """The answer while ``fault`` (``NAME`` or ``NAME:value``) strikes for certain."""
        path, parameters = asked
        if self.way == "query":
            return self.client.get(path, params=parameters | more | {"fault": fault})
        self.strike(fault, target)
        return self.client.get(path, params=parameters | more)

    def post_plan(self, fault: str, **more: Any) -> httpx2.Response:
        """A plan that is created while ``fault`` strikes."""
        if self.way == "query":
            return self.client.post("/plans", json=PLAN | more, params={"fault": fault})
        self.strike(fault, "plan_create")
        return self.client.post("/plans", json=PLAN | more)

    def strike(self, fault: str, target: str) -> None:
        """Configure that ``fault`` always strikes ``target``."""
        name, _, value = fault.partition(":")
        rule = {"target": target, "fault": name, "rate": 1, "value": float(value) if value else None}
        assert self.client.put("/admin/faults", json={"rules": [rule]}).status_code == 200

    def created(self) -> int:
        """Plans that the platform has."""
        count: int = self.client.get("/admin/plans").json()["created"]
        return count


@pytest.fixture(params=["query", "config"])
def caller(client: httpx2.Client, request: pytest.FixtureRequest) -> Caller:
    return Caller(client, request.param)


def titles(response: httpx2.Response) -> list[str]:
    return [item["title"] for item in response.json()["data"]["items"]]


@pytest.mark.parametrize("asked", TOOLS.values(), ids=TOOLS)
@pytest.mark.parametrize("fault, status", [("rate_limit", 429), ("server_error", 503), ("server_error:502", 502)])
def test_s010_statuses_that_ask_for_another_try(caller: Caller, asked: Asked, fault: str, status: int) -> None:
    assert caller.get(asked, fault).status_code == status


@pytest.mark.parametrize("value, header", [("7", "7"), ("0", "0"), ("3600", "3600"), ("0.5", "0.5")])
def test_gw4_a_rate_limit_says_when_to_come_back(caller: Caller, value: str, header: str) -> None:
    assert caller.get(SEARCH, f"rate_limit:{value}").headers["Retry-After"] == header


@pytest.mark.parametrize("asked", TOOLS.values(), ids=TOOLS)
def test_s013_broken_json_is_a_200_that_cannot_be_parsed(caller: Caller, asked: Asked) -> None:
    response = caller.get(asked, "broken_json")

    assert (response.status_code, response.headers["content-type"]) == (200, "application/json")
    with pytest.raises(ValueError):
        response.json()


@pytest.mark.parametrize("fault, code", [("error_code", 103), ("error_code:-1", -1), ("error_code:20001", 20001)])
def test_s011_a_code_inside_a_200(caller: Caller, fault: str, code: int) -> None:
    response = caller.get(SEARCH, fault)

    assert (response.status_code, response.json()["code"]) == (200, code)


def test_wx7_frequency_control_inside_a_200(caller: Caller) -> None:
    assert caller.get(SEARCH, "freq_control").json() == {"ret": 200013, "msg": "freq control"}


def test_wx6_a_verify_page_stands_in_place_of_the_article(caller: Caller) -> None:
    html = caller.get(DETAIL, "verify_page").json()["data"]["html"]

    assert "环境异常" in html
    assert "去验证" in html


def test_wx6_other_tools_answer_the_verify_page_itself(caller: Caller) -> None:
    response = caller.get(SEARCH, "verify_page")

    assert response.headers["content-type"].startswith("text/html")
    assert "去验证" in response.text


def test_wx5_a_deleted_article_by_switch(caller: Caller) -> None:
    assert "该内容已被发布者删除" in caller.get(DETAIL, "deleted_article").json()["data"]["html"]


@pytest.mark.parametrize("fault", ["drop_before", "drop_after", "hang:0.05"])
@pytest.mark.parametrize("asked", TOOLS.values(), ids=TOOLS)
def test_s014_a_connection_is_really_dropped(caller: Caller, asked: Asked, fault: str) -> None:
    with pytest.raises(LOST):
        caller.get(asked, fault)

    caller.client.put("/admin/faults", json={"rules": []})
    assert caller.client.get(asked[0], params=asked[1]).status_code == 200


def test_s010_a_hanging_call_outlasts_the_callers_patience(caller: Caller) -> None:
    with pytest.raises(httpx2.ReadTimeout):
        Caller(httpx2.Client(base_url=caller.client.base_url, timeout=0.2), caller.way).get(SEARCH, "hang")


def test_s014_latency_answers_as_ever(caller: Caller) -> None:
    assert len(titles(caller.get(SEARCH, "latency:5"))) == 7
    assert caller.client.get("/admin/calls").json()["faults"] == {"latency": 1}


@pytest.mark.parametrize("fault", ["drop_before", "hang:0.05"])
def test_gw1_no_plan_where_the_call_was_lost_before_the_work(caller: Caller, fault: str) -> None:
    with pytest.raises(LOST):
        caller.post_plan(fault)

    assert caller.created() == 0


def test_gw1_a_plan_where_the_connection_was_lost_after_the_work(caller: Caller) -> None:
    with pytest.raises(LOST):
        caller.post_plan("drop_after")

    assert caller.created() == 1


def test_gw1_a_plan_where_the_answer_came_too_late(caller: Caller) -> None:
    impatient = httpx2.Client(base_url=caller.client.base_url, timeout=0.2)
    with pytest.raises(httpx2.ReadTimeout):
        Caller(impatient, caller.way).post_plan("slow_after")

    assert caller.created() == 1


@pytest.mark.parametrize("fault", ["rate_limit", "server_error", "error_code", "freq_control"])
def test_s028_no_plan_where_the_platform_says_no(caller: Caller, fault: str) -> None:
    caller.post_plan(fault)

    assert caller.created() == 0


def test_gw3_a_platform_that_ignores_the_operation_makes_two_plans(caller: Caller) -> None:
    first, second = (caller.post_plan("ignore_operation_id") for _ in range(2))

    assert (first.status_code, second.status_code, caller.created()) == (201, 201, 2)


def test_gw7_endless_pages_repeat_the_last_one_for_ever(caller: Caller) -> None:
    pages = [caller.get(SEARCH, "endless_pages", page=page, page_size=3) for page in (1, 3, 4, 90)]

    assert [titles(page) for page in pages[1:]] == [["泡脚第6讲"]] * 3
    assert titles(pages[0]) == ["泡脚第0讲", "泡脚第1讲", "泡脚第2讲"]
    assert all(page.json()["data"]["has_more"] for page in pages)


def test_gw7_an_endless_history_always_has_a_next_cursor(caller: Caller) -> None:
    data = caller.get(LISTING, "endless_pages", cursor=60, count=6).json()["data"]

    assert data["next_cursor"] == 66
    assert len(data["items"]) == 3


def test_gw7_an_endless_search_without_a_hit_is_empty_for_ever(caller: Caller) -> None:
    data = caller.get(("/tools/weixin_search", {"keyword": "没有"}), "endless_pages", page=5).json()["data"]

    assert (data["items"], data["has_more"]) == ([], True)


def test_s020_duplicates_within_and_across_pages(caller: Caller) -> None:
    first = caller.get(SEARCH, "duplicates", page=1, page_size=3)
    second = caller.get(SEARCH, "duplicates", page=2, page_size=3)

    assert titles(first) == ["泡脚第0讲", "泡脚第1讲", "泡脚第2讲", "泡脚第0讲"]
    assert titles(second) == [*titles(first)[1:3], "泡脚第3讲", "泡脚第4讲", "泡脚第5讲", "泡脚第3讲"]
    links = [item["url"] for item in first.json()["data"]["items"]]
    assert links[0] != links[3]


def test_s020_pages_that_shift_show_again_what_was_shown(caller: Caller) -> None:
    pages = [titles(caller.get(SEARCH, "shifting_pages", page=page, page_size=3)) for page in (1, 2, 3)]

    assert [page[0] for page in pages] == ["泡脚第0讲", "泡脚第1讲", "泡脚第2讲"]


def test_s020_pages_that_shift_the_other_way_leave_some_out(caller: Caller) -> None:
    assert titles(caller.get(SEARCH, "shifting_pages:-1", page=2, page_size=3))[0] == "泡脚第4讲"


@pytest.mark.parametrize("asked", [SEARCH, LISTING], ids=["search", "history"])
def test_s022_missing_counts(caller: Caller, asked: Asked) -> None:
    items = caller.get(asked, "missing_counts").json()["data"]["items"]

    assert len(items) >= 7
    assert {value for item in items for value in item["statistics"].values()} == {None}


def test_s014_a_rule_strikes_its_target_alone(client: httpx2.Client) -> None:
    Caller(client, "config").strike("server_error", "weixin_search")

    assert client.get(SEARCH[0], params=SEARCH[1]).status_code == 503
    assert client.get(DETAIL[0], params=DETAIL[1]).status_code == 200


def test_s014_the_platform_counts_calls_and_faults(client: httpx2.Client) -> None:
    client.get(SEARCH[0], params=SEARCH[1])
    client.get(SEARCH[0], params=SEARCH[1] | {"fault": "server_error"})
    client.post("/plans", json=PLAN)

    calls = client.get("/admin/calls").json()
    assert calls == {
        "endpoints": {"plan_create": 1, "weixin_search": 2},
        "faults": {"server_error": 1},
        "faults_by_endpoint": {"weixin_search": {"server_error": 1}},
        "max_in_flight": 1,
    }


@pytest.mark.parametrize("fault", ["bogus", "hang:x", "deleted_article"])
def test_s014_an_unknown_switch_is_refused(client: httpx2.Client, fault: str) -> None:
    response = client.get(SEARCH[0], params=SEARCH[1] | {"fault": fault})

    assert response.status_code == 400
    assert fault in response.json()["msg"]


def test_s014_a_bad_configuration_changes_nothing(client: httpx2.Client) -> None:
    response = client.put("/admin/faults", json={"rules": [{"fault": "hang", "rate": 2}]})

    assert response.status_code == 400
    assert "rules.0.rate" in response.json()["msg"]
    assert client.get("/admin/faults").json() == {"seed": 0, "rules": []}


def test_s014_reset_forgets_plans_counts_and_rules(client: httpx2.Client) -> None:
    client.post("/plans", json=PLAN)
    Caller(client, "config").strike("server_error", "*")

    client.post("/admin/reset")

    assert client.get("/admin/plans").json() == {"plans": [], "created": 0}
    assert client.get("/admin/calls").json()["endpoints"] == {}
    assert client.get(SEARCH[0], params=SEARCH[1]).status_code == 200
