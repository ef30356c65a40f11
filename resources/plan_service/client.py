"""The plan service over HTTP: a create that is sent once, look-ups that may be repeated (S-028, GW1, GW3).

Does not belong here: intents, reservation and adoption of plans; they are the stage's, in the store.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar
from urllib.parse import quote

from pydantic import BaseModel, ConfigDict, SecretStr

from resources.calls.bodies import field, good_body, json_object, stated_failure
from resources.calls.call_log import CallLog
from resources.calls.events import CallScope, EventType, Level
from resources.calls.foreign_text.json_bounds import is_small_json
from resources.calls.foreign_text.page_bounds import is_small_page
from resources.calls.foreign_text.unreadable import Unreadable
from resources.calls.frame import CallFrame, CallTerms
from resources.calls.outcomes.answers import Code
from resources.calls.outcomes.verdicts import TRIED_AGAIN, NoValue, Verdict, WrongShape, unreadable
from resources.calls.provider import headers_for, validated
from resources.calls.transport import Outgoing, Reply, exchange
from resources.foundation import strict_json
from resources.foundation.errors import Pattern2PlanError
from resources.plan_service.errors import PlanConflict, PlanRateLimited, PlanRefused, PlanUnknown
from resources.plan_service.models import CreatedPlan, FoundPlan, PlanRequest

Result = TypeVar("Result")
CREATE, FIND, BIND = "create_crawler_plan", "find_crawler_plan", "bind_produce_plan"
SERVICE = "plan_service"
_CONFLICT = 409


class _Plans(BaseModel):
    model_config = ConfigDict(extra="ignore")

    plans: list[FoundPlan]


class _Binding(BaseModel):
    model_config = ConfigDict(extra="ignore")

    bound: bool


class PlanService(CallFrame):
    """Async context manager of one plan service."""

    def __init__(self, base_url: str, token: SecretStr | None, terms: CallTerms) -> None:
        super().__init__(terms, "the plan service")
        self._base_url = base_url.rstrip("/")
        self._token = token

    async def create(self, scope: CallScope, request: PlanRequest) -> CreatedPlan:
        """Create the plan of ``request.operation_id``: sent exactly once, never repeated in here.

        Raises:
            PlanRefused: refused for good, nothing was done.
            PlanRateLimited: not taken, nothing was done.
            PlanConflict: the service already has a plan of this operation.
            PlanUnknown: sent, and nobody can say whether it was done.
        """
        body = request.payload()
        items = request.item_count
        log = self.log(scope, CREATE)
        log.record(
            EventType.TOOL_CALL,
            Level.INFO,
            "asked",
            {"operation_id": request.operation_id, "plan_type": request.plan_type, "items": items},
        )
        headers = {"Idempotency-Key": request.operation_id}
        try:
            data = await self._sent_data(await self._send(log, Outgoing("/plans", body=_encoded(body)), headers))
            plan = validated(CreatedPlan, data, "data")
            if plan.operation_id not in (None, request.operation_id):
                raise PlanUnknown(Code.WRONG_SHAPE, "data.operation_id: the plan of another operation was answered")
        except WrongShape as error:
            raise self._failed(log, PlanUnknown(Code.WRONG_SHAPE, str(error))) from error
        except Pattern2PlanError as error:
            raise self._failed(log, error) from None
        log.record(EventType.TOOL_RESULT, Level.INFO, "created", {"crawler_plan_id": plan.crawler_plan_id})
        return plan

    async def find_by_operation_id(self, scope: CallScope, operation_id: str) -> list[FoundPlan]:
        """The plans of an operation id; an empty list says with authority that there is none.

        Raises:
            PlanUnknown: nobody could say, also after retries.
        """
        return await self._find(scope, {"operation_id": operation_id})

    async def find_by_name(self, scope: CallScope, plan_name: str) -> list[FoundPlan]:
        """The plans of exactly that name; otherwise as :meth:`find_by_operation_id`."""
        return await self._find(scope, {"plan_name": plan_name})

    async def bind_produce_plan(
        self, scope: CallScope, crawler_plan_id: str, produce_plan_id: str, operation_id: str
    ) -> None:
        """Bind a produce plan to a crawler plan: sent once.

        Raises:
            PlanRefused, PlanRateLimited, PlanConflict, PlanUnknown: as :meth:`create`.
        """
        log = self.log(scope, BIND)
        body = {"produce_plan_id": produce_plan_id, "operation_id": operation_id}
        log.record(EventType.TOOL_CALL, Level.INFO, "asked", {"crawler_plan_id": crawler_plan_id, **body})
        outgoing = Outgoing(f"/plans/{quote(crawler_plan_id, safe='')}/produce-plan", body=_encoded(body))
        try:
            data = await self._sent_data(await self._send(log, outgoing, {"Idempotency-Key": operation_id}))
            if not validated(_Binding, data, "data").bound:
                raise PlanRefused(Code.BAD_ARGUMENT, "data.bound is false")
        except WrongShape as error:
            raise self._failed(log, PlanUnknown(Code.WRONG_SHAPE, str(error))) from error
        except Pattern2PlanError as error:
            raise self._failed(log, error) from None
        log.record(EventType.TOOL_RESULT, Level.INFO, "bound", {"crawler_plan_id": crawler_plan_id})

    async def _find(self, scope: CallScope, wanted: dict[str, str]) -> list[FoundPlan]:
        log = self.log(scope, FIND)
        log.record(EventType.TOOL_CALL, Level.INFO, "asked", dict(wanted))
        ends_at = self.deadline()
        failures = 0
        while True:
            found = await self._found(await self._send(log, Outgoing("/plans", wanted), {}))
            if not isinstance(found, Verdict):
                log.record(EventType.TOOL_RESULT, Level.INFO, "found", {"plans": len(found), "attempts": failures + 1})
                return [plan for plan in found if _answers(plan, wanted)]
            failures += 1
            may_pass = found.code in TRIED_AGAIN or found.passing
            pause = self.pause_before_next(found, failures, ends_at) if may_pass else None
            if pause is None:
                raise self._failed(log, PlanUnknown(found.code, found.message))
            log.retried(SERVICE, found, failures, pause)
            await self.terms.sleep(pause)

    async def _send(self, log: CallLog, outgoing: Outgoing, extra: dict[str, str]) -> Reply | Verdict:
        headers = {**headers_for(self._token, log.request_id), **extra}
        if outgoing.body is not None:
            headers["Content-Type"] = "application/json"
        async with self.slots:
            return await exchange(self.client, outgoing, self._base_url, headers, self.policy.timeout_s)

    async def _read(self, function: Callable[[Reply], Result | Verdict], reply: Reply) -> Result | Verdict:
        try:
            return await self.read(is_small_page(reply.body) or is_small_json(reply.body), function, reply)
        except Unreadable as error:
            return unreadable(error)

    async def _found(self, reply: Reply | Verdict) -> list[FoundPlan] | Verdict:
        if isinstance(reply, Verdict):
            return reply
        refused = reply.failure(self.terms.clock.now())
        return await self._read(_read_plans, reply) if refused is None else refused

    async def _sent_data(self, reply: Reply | Verdict) -> Any:
        """``data`` of the answer to something that was sent once; every other outcome as its typed error."""
        if isinstance(reply, Verdict):
            raise PlanUnknown(reply.code, reply.message)
        body = await self._read(json_object, reply)
        said = stated_failure(body) if isinstance(body, dict) else None
        by_status = reply.failure(self.terms.clock.now())
        if reply.status == _CONFLICT:
            raise PlanConflict(said.message if said else "HTTP 409")
        refused = by_status or said
        if refused is not None:
            message = said.message if said else refused.message
            raise _typed(Verdict(refused.code, message, refused.retry_after_s))
        if isinstance(body, Verdict):
            raise PlanUnknown(body.code, body.message)
        return body.get("data")

    def _failed(self, log: CallLog, error: Pattern2PlanError) -> Pattern2PlanError:
        code = getattr(error, "code", None)
        log.record(EventType.ERROR, Level.ERROR, error.message, {"error_code": code, "error": type(error).__name__})
        return error


def _encoded(body: dict[str, Any]) -> bytes:
    return strict_json.dumps(body).encode()


def _typed(verdict: Verdict) -> Pattern2PlanError:
    """The error of a refusal that the service itself stated: only then is it sure that nothing was done."""
    if verdict.code is Code.RATE_LIMITED:
        return PlanRateLimited(verdict.retry_after_s, verdict.message)
    if verdict.code in (Code.BAD_ARGUMENT, Code.NOT_PERMITTED, Code.BUDGET_SPENT, Code.NOT_FOUND):
        return PlanRefused(verdict.code, verdict.message)
    return PlanUnknown(verdict.code, verdict.message)


def _read_plans(reply: Reply) -> list[FoundPlan] | Verdict:
    try:
        return validated(_Plans, field(good_body(reply), "data"), "data").plans
    except NoValue as error:
        return error.verdict
    except WrongShape as error:
        return Verdict(Code.WRONG_SHAPE, str(error))


def _answers(plan: FoundPlan, wanted: dict[str, str]) -> bool:
    """Whether a plan says itself that it is what was looked for: a service that ignores the question, or says
    nothing of its plans, is not believed.
    """
    if "operation_id" in wanted:
        return plan.operation_id == wanted["operation_id"]
    return plan.crawler_plan_name == wanted["plan_name"]
