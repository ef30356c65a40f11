"""Binding a task's plan to its produce plan: by CREATE_PLAN, and offered again where it failed (S-028)."""

from __future__ import annotations

from typing import Any, NamedTuple, Self

from resources.calls.events import CallScope
from resources.databases.supply_store.states import BOUND, NOT_BOUND
from resources.plan_service.errors import PlanConflict, PlanRateLimited, PlanRefused, PlanUnknown
from supply_assets.stages.stage import Workshop

SENDS = 4
BIND_SUCCESS, BIND_FAILED = "BIND_SUCCESS", "BIND_FAILED"
BindTrouble = PlanRefused | PlanRateLimited | PlanUnknown


def operation_id(task_id: str) -> str:
    """The idempotency key of a task's plan."""
    return f"p2p-plan-{task_id}"


class Binding(NamedTuple):
    """What is bound to what, and the operation id that all tries share."""

    crawler_plan_id: str
    produce_plan_id: str
    operation_id: str

    @classmethod
    def of(cls, task_id: str, crawler_plan_id: str, produce_plan_id: str) -> Self:
        """The binding of a task's plan; its operation id is the same over retries, restarts and later offers."""
        return cls(crawler_plan_id, produce_plan_id, f"{operation_id(task_id)}-bind")


async def bind(workshop: Workshop, scope: CallScope, binding: Binding) -> BindTrouble | None:
    """Bind under one operation id, so that a call that was cut off may be sent again; ``None`` when it is bound."""
    trouble: BindTrouble | None = None
    for sending in range(1, SENDS + 1):
        try:
            await workshop.plans.bind_produce_plan(scope, *binding)
            return None
        except PlanConflict:
            return None
        except PlanRefused as error:
            return error
        except (PlanRateLimited, PlanUnknown) as error:
            trouble = error
            if sending < SENDS:
                await workshop.pause(sending, getattr(error, "retry_after_s", None))
    return trouble


def bound_columns(trouble: BindTrouble | None) -> dict[str, Any]:
    """What is recorded of a binding; one that fails costs no plan."""
    if trouble is None:
        return {"produce_bind_status": BOUND, "plan_status": BIND_SUCCESS, "error_code": None, "error_message": None}
    return {
        "produce_bind_status": NOT_BOUND,
        "plan_status": BIND_FAILED,
        "error_code": trouble.code,
        "error_message": trouble.message,
    }
