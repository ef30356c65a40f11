"""The plan service: one plan an operation, found again, kept over restarts (S-028)."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx2
import pytest

from sandbox.platform.app import build_app
from sandbox.platform.plans.plans import PlanStore, PlansUnreadable
from sandbox.platform.serving.serve import serve
from tests.sandbox.platform.conftest import BIZ, small_corpus

BY_CONTENT: dict[str, Any] = {
    "operation_id": "op-1",
    "plan_name": "泡脚 101",
    "platform": "weixin",
    "plan_type": "BY_CONTENT",
    "task_id": "task-1",
    "contents": [
        {"url": "https://mp.weixin.qq.com/s/a", "title": "泡脚", "account_id": "gh_1", "account_name": "课堂"}
    ],
    "source_evidence": {"itemset_ids": [1], "note": "换\u2028行"},
}
BY_ACCOUNT = BY_CONTENT | {
    "plan_type": "BY_ACCOUNT",
    "contents": [],
    "accounts": [{"biz": BIZ}, {"account_id": "gh_2"}],
}


def create(client: httpx2.Client, body: dict[str, Any], key: str | None = None) -> httpx2.Response:
    return client.post("/plans", json=body, headers={"Idempotency-Key": key or body["operation_id"]})


def found(client: httpx2.Client, **asked: str) -> list[dict[str, Any]]:
    plans: list[dict[str, Any]] = client.get("/plans", params=asked).json()["data"]["plans"]
    return plans


def test_s028_the_same_operation_is_the_same_plan(client: httpx2.Client) -> None:
    first, again, other = (
        create(client, BY_CONTENT),
        create(client, BY_CONTENT),
        create(client, BY_CONTENT | {"operation_id": "op-2"}),
    )

    assert (first.status_code, again.status_code, other.status_code) == (201, 200, 201)
    assert first.json() == again.json()
    assert first.json()["data"] == {
        "crawler_plan_id": "cp-000001",
        "crawler_plan_name": "泡脚 101",
        "operation_id": "op-1",
    }
    assert other.json()["data"]["crawler_plan_id"] == "cp-000002"


def test_s028_eight_at_once_make_one_plan(client: httpx2.Client) -> None:
    with ThreadPoolExecutor(8) as pool:
        statuses = sorted(pool.map(lambda _: create(client, BY_CONTENT).status_code, range(8)))

    assert statuses == [200] * 7 + [201]


def test_s028_a_plan_is_found_by_operation_and_by_name(client: httpx2.Client) -> None:
    create(client, BY_ACCOUNT)

    expected = {
        "crawler_plan_id": "cp-000001",
        "crawler_plan_name": "泡脚 101",
        "operation_id": "op-1",
        "plan_type": "BY_ACCOUNT",
        "item_count": 2,
    }
    assert found(client, operation_id="op-1") == found(client, plan_name="泡脚 101") == [expected]
    assert found(client, operation_id="op-9") == found(client, plan_name="泡脚") == []
    assert client.get("/plans").status_code == 400


def test_s028_a_produce_plan_is_bound_to_a_plan_that_is_there(client: httpx2.Client) -> None:
    create(client, BY_CONTENT)
    bind = {"produce_plan_id": "pp-1", "operation_id": "op-1"}

    for _ in range(2):
        assert client.post("/plans/cp-000001/produce-plan", json=bind).json() == {
            "code": 0,
            "msg": "ok",
            "data": {"bound": True},
        }
    assert client.post("/plans/cp-9/produce-plan", json=bind).status_code == 404
    assert client.post("/plans/cp-000001/produce-plan", json={}).status_code == 400
    (plan,) = client.get("/admin/plans").json()["plans"]
    assert plan["produce_plan_ids"] == ["pp-1"]
    assert plan["task_id"] == "task-1"
    assert plan["contents"] == BY_CONTENT["contents"]
    assert plan["source_evidence"] == BY_CONTENT["source_evidence"]


@pytest.mark.parametrize(
    "change, named",
    [
        ({"contents": []}, "contents"),
        ({"contents": [{"url": "not a link", "title": "a"}]}, "contents.0.url"),
        ({"contents": [{"url": "https://a/b"}]}, "contents.0.title"),
        ({"plan_type": "BY_LUCK"}, "plan_type"),
        ({"platform": "douyin"}, "platform"),
        ({"plan_name": " "}, "plan_name"),
        ({"operation_id": ""}, "operation_id"),
        ({"source_evidence": None}, "source_evidence"),
        ({"plan_type": "BY_ACCOUNT"}, "accounts"),
        ({"plan_type": "BY_ACCOUNT", "accounts": [{}]}, "accounts.0"),
    ],
)
def test_s028_a_bad_body_is_refused_by_field(client: httpx2.Client, change: dict[str, Any], named: str) -> None:
    response = client.post("/plans", json=BY_CONTENT | change)

    assert (response.status_code, response.json()["code"]) == (400, 20002)
    assert response.json()["msg"].startswith(f"{named}:")
    assert client.get("/admin/plans").json()["created"] == 0


def test_s028_a_body_that_is_no_json_or_belies_its_key_is_refused(client: httpx2.Client) -> None:
    assert client.post("/plans", content=b'{"a": 1').status_code == 400
    assert create(client, BY_CONTENT, key="op-other").status_code == 400
    assert client.get("/admin/plans").json()["created"] == 0


def test_s028_plans_outlive_the_server_and_a_half_written_line(tmp_path: Path) -> None:
    file = tmp_path / "plans.jsonl"
    with (
        serve(build_app(small_corpus(), plans=PlanStore(file))) as platform,
        httpx2.Client(base_url=platform.url) as client,
    ):
        create(client, BY_CONTENT)
        client.post("/plans/cp-000001/produce-plan", json={"produce_plan_id": "pp-1", "operation_id": "op-1"})
    with file.open("a", encoding="utf-8") as lines:
        lines.write('{"operation_id": "op-2", "plan_na')

    with (
        serve(build_app(small_corpus(), plans=PlanStore(file))) as platform,
        httpx2.Client(base_url=platform.url) as client,
    ):
        assert create(client, BY_CONTENT).status_code == 200
        assert create(client, BY_CONTENT | {"operation_id": "op-2"}).status_code == 201
        plans = client.get("/admin/plans").json()["plans"]
    assert [plan["produce_plan_ids"] for plan in plans] == [["pp-1"], []]
    assert [plan.crawler_plan_id for plan in PlanStore(file).plans()] == ["cp-000001", "cp-000002"]


def test_s028_a_file_that_holds_something_else_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "plans.jsonl"
    file.write_text('{"some": "thing"}\n', encoding="utf-8")

    with pytest.raises(PlansUnreadable, match="line 1"):
        PlanStore(file)
