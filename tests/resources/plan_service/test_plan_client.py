"""Create is sent once and every end says whether the plan may exist; look-ups are repeated (S-028, GW1)."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import pytest
from pydantic import ValidationError

from resources.calls.events import CallScope, EventType
from resources.calls.outcomes.answers import Code
from resources.foundation.clock import RandomIds, SystemClock
from resources.foundation.errors import Pattern2PlanError, SettingsError
from resources.plan_service.client import PlanService
from resources.plan_service.configured import open_plan_service
from resources.plan_service.errors import PlanConflict, PlanRateLimited, PlanRefused, PlanUnknown
from resources.plan_service.models import PlanAccount, PlanContent, PlanRequest
from resources.settings.supply import read_supply_settings
from tests.resources.tool_gateway.scripted import HandClock, ScriptedPlatform, Sink, Step, said, said_json

Result = TypeVar("Result")
ClientOf = Callable[..., PlanService]
SCOPE = CallScope("task-1", "CREATE_PLAN")
CONTENT = PlanContent(url="https://mp.weixin.qq.com/s/abc", title="题", account_id="gh_1", account_name="号")
REQUEST = PlanRequest(
    operation_id="op-1",
    plan_name="计划一",
    plan_type="BY_CONTENT",
    task_id="task-1",
    contents=(CONTENT,),
    source_evidence={"pattern_execution_id": 581},
)
PLAN = {"crawler_plan_id": "p1", "crawler_plan_name": "计划一", "operation_id": "op-1"}
BIND_PATH = "/plans/p1/produce-plan"


def run(client: PlanService, work: Callable[[PlanService], Awaitable[Result]]) -> Result:
    async def inner() -> Result:
        async with client as open_client:
            return await work(open_client)

    return asyncio.run(inner())


def create(client: PlanService) -> Any:
    return run(client, lambda plans: plans.create(SCOPE, REQUEST))


def find(client: PlanService) -> Any:
    return run(client, lambda plans: plans.find_by_operation_id(SCOPE, "op-1"))


@pytest.mark.parametrize("status", [200, 201])
@pytest.mark.parametrize("plan_id", ["p1", 9007199254740993])
def test_s028_a_created_plan_and_what_was_sent(
    service: ScriptedPlatform, client_of: ClientOf, status: int, plan_id: Any
) -> None:
    body = json.dumps({"code": 0, "data": PLAN | {"crawler_plan_id": plan_id, "added": 1}}).encode()
    service.on("/plans", Step(status, body))

    plan = create(client_of(service.url))

    assert (plan.crawler_plan_id, plan.crawler_plan_name) == (str(plan_id), "计划一")
    [seen] = service.seen
    assert seen.headers["idempotency-key"] == "op-1"
    assert json.loads(seen.body) == {
        "operation_id": "op-1",
        "plan_name": "计划一",
        "platform": "weixin",
        "plan_type": "BY_CONTENT",
        "task_id": "task-1",
        "contents": [CONTENT.model_dump()],
        "source_evidence": {"pattern_execution_id": 581},
    }


@pytest.mark.parametrize(
    ("step", "error", "code"),
    [
        (Step(400, b'{"code": 20002, "msg": "contents: empty"}'), PlanRefused, Code.BAD_ARGUMENT),
        (Step(401), PlanRefused, Code.NOT_PERMITTED),
        (Step(404), PlanRefused, Code.BAD_ARGUMENT),
        (said(None, code=20002), PlanRefused, Code.BAD_ARGUMENT),
        (said(None, code=20001), PlanRefused, Code.BUDGET_SPENT),
        (Step(429), PlanRateLimited, Code.RATE_LIMITED),
        (said(None, code=103), PlanRateLimited, Code.RATE_LIMITED),
        (said_json({"ret": 200013}), PlanRateLimited, Code.RATE_LIMITED),
        (Step(409), PlanConflict, Code.BAD_ARGUMENT),
        (Step(500), PlanUnknown, Code.SERVER_ERROR),
        (Step(503), PlanUnknown, Code.SERVER_ERROR),
        (Step(408), PlanUnknown, Code.TIMEOUT),
        (Step(302, headers={"Location": "/x"}), PlanUnknown, Code.WRONG_SHAPE),
        (said(None, code=50000), PlanUnknown, Code.SERVER_ERROR),
        (said(None, code=777), PlanUnknown, Code.WRONG_SHAPE),
        (Step(cut=True), PlanUnknown, Code.CONNECTION),
        (Step(delay_s=2), PlanUnknown, Code.TIMEOUT),
        (Step(201, b'{"code": 0, "da'), PlanUnknown, Code.WRONG_SHAPE),
        (Step(201, b""), PlanUnknown, Code.WRONG_SHAPE),
        (said({}), PlanUnknown, Code.WRONG_SHAPE),
        (said(None), PlanUnknown, Code.WRONG_SHAPE),
        (said(PLAN | {"operation_id": "op-2"}), PlanUnknown, Code.WRONG_SHAPE),
    ],
)
def test_gw1_a_create_is_sent_once_whatever_comes_back(
    service: ScriptedPlatform,
    client_of: ClientOf,
    clock: HandClock,
    sink: Sink,
    step: Step,
    error: type[Pattern2PlanError],
    code: Code,
) -> None:
    service.on("/plans", step)

    with pytest.raises(error) as caught:
        create(client_of(service.url, timeout_s=0.3))

    assert caught.value.code is code  # type: ignore[attr-defined]
    assert service.asked("/plans") == 1
    assert clock.pauses == []
    [told] = sink.of(EventType.ERROR)
    assert (told.tool, told.payload["error_code"], told.request_id) == ("create_crawler_plan", code, "request-1")


def test_s028_a_refusal_names_the_field(service: ScriptedPlatform, client_of: ClientOf) -> None:
    service.on("/plans", Step(400, b'{"code": 20002, "msg": "contents: empty"}'))

    with pytest.raises(PlanRefused, match="contents: empty"):
        create(client_of(service.url))


def test_gw4_the_wish_of_a_busy_service_is_handed_on(service: ScriptedPlatform, client_of: ClientOf) -> None:
    service.on("/plans", Step(429, headers={"Retry-After": "7"}))

    with pytest.raises(PlanRateLimited) as caught:
        create(client_of(service.url))

    assert caught.value.retry_after_s == 7


@pytest.mark.parametrize("step", [Step(503), Step(cut=True), Step(429), said(None, code=103), Step(200, b"{")])
def test_s028_a_look_up_is_repeated(
    service: ScriptedPlatform, client_of: ClientOf, clock: HandClock, step: Step
) -> None:
    service.on("/plans", step, step, said({"plans": [PLAN | {"plan_type": "BY_CONTENT", "item_count": 1}]}))

    [plan] = find(client_of(service.url))

    assert (plan.crawler_plan_id, plan.item_count) == ("p1", 1)
    assert len(clock.pauses) == 2
    assert {seen.headers["x-request-id"] for seen in service.seen} == {"request-1"}
    assert service.seen[0].query == {"operation_id": "op-1"}


@pytest.mark.parametrize(
    "step",
    [Step(503), Step(401), Step(404), Step(429, headers={"Retry-After": "999"}), said({}), said({"plans": [{}]})],
)
def test_s028_a_look_up_that_nobody_answers_is_never_an_empty_list(
    service: ScriptedPlatform, client_of: ClientOf, step: Step
) -> None:
    service.on("/plans", step)

    with pytest.raises(PlanUnknown):
        find(client_of(service.url))


def test_s028_an_empty_list_says_that_there_is_none(service: ScriptedPlatform, client_of: ClientOf) -> None:
    service.on("/plans", said({"plans": []}))

    assert find(client_of(service.url)) == []


def test_s028_plans_of_others_are_not_adopted(service: ScriptedPlatform, client_of: ClientOf) -> None:
    other = {"crawler_plan_id": "p2", "crawler_plan_name": "别的", "operation_id": "op-2"}
    service.on("/plans", said({"plans": [other, PLAN]}))

    assert [plan.crawler_plan_id for plan in find(client_of(service.url))] == ["p1"]
    by_name = run(client_of(service.url), lambda plans: plans.find_by_name(SCOPE, "计划一"))
    assert [plan.crawler_plan_id for plan in by_name] == ["p1"]
    assert service.seen[-1].query == {"plan_name": "计划一"}


def test_s028_a_produce_plan_is_bound_once(service: ScriptedPlatform, client_of: ClientOf, sink: Sink) -> None:
    service.on(BIND_PATH, said({"bound": True}))

    run(client_of(service.url), lambda plans: plans.bind_produce_plan(SCOPE, "p1", "produce-1", "op-1-bind"))

    assert json.loads(service.seen[0].body) == {"produce_plan_id": "produce-1", "operation_id": "op-1-bind"}
    assert [event.tool for event in sink.events] == ["bind_produce_plan"] * 2


@pytest.mark.parametrize(
    ("step", "error"),
    [
        (Step(404, b'{"code": 404, "msg": "no such plan"}'), PlanRefused),
        (said({"bound": False}), PlanRefused),
        (said({}), PlanUnknown),
        (Step(503), PlanUnknown),
        (Step(429), PlanRateLimited),
        (Step(409), PlanConflict),
    ],
)
def test_s028_a_binding_that_fails_says_how(
    service: ScriptedPlatform, client_of: ClientOf, step: Step, error: type[Pattern2PlanError]
) -> None:
    service.on(BIND_PATH, step)

    with pytest.raises(error):
        run(client_of(service.url), lambda plans: plans.bind_produce_plan(SCOPE, "p1", "produce-1", "op"))

    assert service.asked(BIND_PATH) == 1


def test_s028_an_id_cannot_lead_to_another_address(service: ScriptedPlatform, client_of: ClientOf) -> None:
    with pytest.raises(PlanRefused):
        run(client_of(service.url), lambda plans: plans.bind_produce_plan(SCOPE, "../admin?x=", "p", "op"))

    [seen] = service.seen
    assert (seen.path.endswith("/produce-plan"), seen.query) == (True, {})


def test_s028_a_plan_by_account_sends_accounts_only() -> None:
    account = PlanAccount(account_name="号", biz="MzA=")
    request = PlanRequest(
        operation_id="o", plan_name="n", plan_type="BY_ACCOUNT", task_id="t", accounts=(account,), source_evidence={}
    )

    assert request.payload()["accounts"] == [{"account_id": None, "account_name": "号", "biz": "MzA="}]
    assert "contents" not in request.payload()
    assert request.item_count == 1
    assert PlanRequest.model_validate(request.model_dump(mode="json")) == request


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"contents": ()}, "contents"),
        ({"accounts": ({"biz": "x"},)}, "accounts"),
        ({"plan_type": "BY_ACCOUNT"}, "accounts"),
        ({"contents": ({"url": " ", "title": "x"},)}, "contents"),
        ({"operation_id": ""}, "operation_id"),
    ],
)
def test_s028_a_plan_without_its_items_is_never_sent(change: dict[str, Any], named: str) -> None:
    with pytest.raises(ValidationError, match=named):
        PlanRequest.model_validate(REQUEST.model_dump() | change)


def test_s028_the_service_is_at_the_platform_unless_it_has_an_address(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("SUPPLY_PLATFORM_URL", "SUPPLY_PLAN_SERVICE_URL", "SUPPLY_PLATFORM_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(SettingsError, match="pattern2plan sandbox serve"):
        open_plan_service(read_supply_settings(), Sink(), SystemClock(), RandomIds())

    monkeypatch.setenv("SUPPLY_PLATFORM_URL", "http://127.0.0.1:1")
    assert open_plan_service(read_supply_settings(), Sink(), SystemClock(), RandomIds())

    monkeypatch.setenv("SUPPLY_PLAN_SERVICE_URL", "http://elsewhere.example")
    monkeypatch.setenv("SUPPLY_PLATFORM_TOKEN", "t")
    with pytest.raises(SettingsError, match="SUPPLY_PLAN_SERVICE_URL"):
        open_plan_service(read_supply_settings(), Sink(), SystemClock(), RandomIds())
