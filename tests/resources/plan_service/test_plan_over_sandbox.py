"""The plan client against the sandbox: what a lost answer leaves behind is found again (S-028, GW1, GW3)."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from typing import Any, TypeVar

import httpx2
import pytest

from resources.calls.events import CallScope
from resources.plan_service.client import PlanService
from resources.plan_service.errors import PlanRefused, PlanUnknown
from resources.plan_service.models import PlanContent, PlanRequest
from sandbox.platform.app import build_app
from sandbox.platform.corpus.generated import generate
from sandbox.platform.serving.serve import serve

Result = TypeVar("Result")
ClientOf = Callable[..., PlanService]
SCOPE = CallScope("task-1", "CREATE_PLAN")
REQUEST = PlanRequest(
    operation_id="op-1",
    plan_name="计划一",
    plan_type="BY_CONTENT",
    task_id="task-1",
    contents=(PlanContent(url="https://mp.weixin.qq.com/s/abc", title="题"),),
)


@pytest.fixture(scope="module")
def running_sandbox() -> Iterator[str]:
    """A sandbox; its corpus does not matter here."""
    with serve(build_app(generate(200, 10, 0))) as running:
        yield running.url


@pytest.fixture
def sandbox(running_sandbox: str) -> str:
    """Its address, without plans and faults."""
    httpx2.post(f"{running_sandbox}/admin/reset").raise_for_status()
    return running_sandbox


def fault(url: str, target: str, name: str, value: float | None = None) -> None:
    rule = {"target": target, "fault": name, "rate": 1, "value": value}
    httpx2.put(f"{url}/admin/faults", json={"seed": 0, "rules": [rule]}).raise_for_status()


def created(url: str) -> int:
    return int(httpx2.get(f"{url}/admin/plans").json()["created"])


def run(client: PlanService, work: Callable[[PlanService], Awaitable[Result]]) -> Result:
    async def inner() -> Result:
        async with client as plans:
            return await work(plans)

    return asyncio.run(inner())


def test_s028_the_same_operation_is_one_plan(sandbox: str, client_of: ClientOf) -> None:
    async def work(plans: PlanService) -> Any:
        first, again = await plans.create(SCOPE, REQUEST), await plans.create(SCOPE, REQUEST)
        await plans.bind_produce_plan(SCOPE, first.crawler_plan_id, "produce-1", "op-1-bind")
        by_id = await plans.find_by_operation_id(SCOPE, "op-1")
        return first, again, by_id, await plans.find_by_name(SCOPE, "计划一")

    first, again, by_id, by_name = run(client_of(sandbox), work)

    assert {first.crawler_plan_id, again.crawler_plan_id} == {plan.crawler_plan_id for plan in [*by_id, *by_name]}
    assert created(sandbox) == 1


@pytest.mark.parametrize(
    ("name", "value", "made"), [("drop_after", None, 1), ("slow_after", 2, 1), ("drop_before", None, 0)]
)
def test_gw1_a_lost_answer_is_unknown_and_the_look_up_tells(
    sandbox: str, client_of: ClientOf, name: str, value: float | None, made: int
) -> None:
    fault(sandbox, "plan_create", name, value)

    async def work(plans: PlanService) -> Any:
        with pytest.raises(PlanUnknown):
            await plans.create(SCOPE, REQUEST)
        return await plans.find_by_operation_id(SCOPE, "op-1")

    found = run(client_of(sandbox, timeout_s=0.5), work)

    assert len(found) == made
    assert created(sandbox) == made


def test_gw3_two_plans_of_one_operation_are_both_told(sandbox: str, client_of: ClientOf) -> None:
    fault(sandbox, "plan_create", "ignore_operation_id")

    async def work(plans: PlanService) -> Any:
        await plans.create(SCOPE, REQUEST)
        await plans.create(SCOPE, REQUEST)
        return await plans.find_by_operation_id(SCOPE, "op-1")

    assert len({plan.crawler_plan_id for plan in run(client_of(sandbox), work)}) == 2


def test_s028_an_unknown_plan_cannot_be_bound(sandbox: str, client_of: ClientOf) -> None:
    with pytest.raises(PlanRefused):
        run(client_of(sandbox), lambda plans: plans.bind_produce_plan(SCOPE, "no-such", "produce-1", "op"))
