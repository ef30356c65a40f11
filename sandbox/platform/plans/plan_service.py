"""The plan service over HTTP: create by operation id, find, bind a produce plan.

Belongs here: requests and responses. Does not belong here: the plans themselves (``plans``).
"""

from __future__ import annotations

from typing import TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError
from starlette.responses import Response

from resources.foundation import strict_json
from sandbox.platform.plans.plans import NonBlank, PlanBody, PlanStore
from sandbox.platform.serving.endpoints import BAD_ARGUMENT, ApiRequest, ArgumentRefused, Dialect, json_response
from sandbox.platform.serving.faults import FaultName, wrong_field

Body = TypeVar("Body", bound=BaseModel)


class BindBody(BaseModel):
    """What a produce plan is bound by."""

    model_config = ConfigDict(extra="allow")

    produce_plan_id: NonBlank
    operation_id: NonBlank


class PlanEndpoints(Dialect):
    """The three calls over a store; refusals have the status that fits."""

    def __init__(self, plans: PlanStore) -> None:
        self._plans = plans

    def error(self, code: int, message: str) -> Response:
        return json_response({"code": code, "msg": message})

    def refused(self, message: str) -> Response:
        return json_response({"code": BAD_ARGUMENT, "msg": message}, 400)

    def deleted(self, request: ApiRequest) -> Response:
        return self.error(404, "deleted")

    def create(self, request: ApiRequest) -> Response:
        """201 for a new plan, 200 for the plan that the operation has already."""
        body = _read(request, PlanBody)
        key = request.headers.get("Idempotency-Key")
        if key is not None and key != body.operation_id:
            raise ArgumentRefused("operation_id: differs from the header Idempotency-Key")
        heeded = FaultName.IGNORE_OPERATION_ID not in request.alterations
        plan, created = self._plans.create(body, known_operations=heeded)
        summary = plan.summary()
        shown = {name: summary[name] for name in ("crawler_plan_id", "crawler_plan_name", "operation_id")}
        return json_response({"code": 0, "msg": "ok", "data": shown}, 201 if created else 200)

    def find(self, request: ApiRequest) -> Response:
        """Plans of ``operation_id`` or ``plan_name``; an empty list where there is none."""
        operation_id, plan_name = request.query.get("operation_id"), request.query.get("plan_name")
        if not (operation_id or plan_name):
            raise ArgumentRefused("operation_id: one of operation_id and plan_name is needed")
        found = self._plans.find(operation_id=operation_id, plan_name=plan_name)
        return json_response({"code": 0, "msg": "ok", "data": {"plans": [plan.summary() for plan in found]}})

    def bind(self, request: ApiRequest) -> Response:
        """404 where there is no such crawler plan."""
        body = _read(request, BindBody)
        if not self._plans.bind(request.path["crawler_plan_id"], body.produce_plan_id):
            return json_response({"code": 404, "msg": "no such crawler plan"}, 404)
        return json_response({"code": 0, "msg": "ok", "data": {"bound": True}})


def _read(request: ApiRequest, kind: type[Body]) -> Body:
    try:
        return kind.model_validate(strict_json.loads(request.body))
    except strict_json.JsonRefused as error:
        raise ArgumentRefused(f"body: {error.message}") from error
    except ValidationError as error:
        raise ArgumentRefused(wrong_field(error)) from error
