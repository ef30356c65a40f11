"""CREATE_PLAN: intent first, then the call, then the record; a plan is adopted rather than made twice (S-028).

A call that timed out or was cut off is *unknown*, not failed: the platform is asked by operation id and by plan name
before anything is sent again. The operation id is made of the task id, so it is the same over retries and restarts.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import Connection

from resources.databases.supply_store.articles.features import candidates_read
from resources.databases.supply_store.articles.plans import NewPlan, PlanRow, plans_of_tasks, record_plan, reserve_plan
from resources.databases.supply_store.states import BOUND, Stage, TaskStatus
from resources.databases.supply_store.tasks.leases import require_lease
from resources.databases.supply_store.tasks.tasks import TaskRow, lock_task
from resources.foundation.errors import StaleTask
from resources.plan_service.errors import PlanConflict, PlanRateLimited, PlanRefused, PlanUnknown
from resources.plan_service.models import CreatedPlan, FoundPlan, PlanAccount, PlanContent, PlanRequest
from supply_assets.intake.request import PLATFORM
from supply_assets.normalisation import texts
from supply_assets.normalisation.accounts import account_key, platform_id
from supply_assets.review.review_state import is_held
from supply_assets.stages.binding import SENDS, Binding, bind, bound_columns, operation_id
from supply_assets.stages.selection import SelectedArticle, open_ends, read_selection, without_account, without_evidence
from supply_assets.stages.stage import Attempt, StageEnd, StageFailed, TaskFrozen, TaskHeld
from supply_assets.standing.freeze_state import Freeze, freeze_of

LOOKS = 3
NOT_REQUIRED = "NOT_REQUIRED"
INTENDED, CREATED, FAILED = "INTENDED", "CREATED", "FAILED"
PLAN_NAME = 255
PLAN_UNKNOWN = "plan_unknown"
"""Nobody can say whether the platform has the plan."""


@dataclass(frozen=True)
class PlanOnPlatform:
    """The task's plan, how we came to it, and how many more of its kind the platform has; ``None``: it did not say."""

    crawler_plan_id: str
    crawler_plan_name: str
    response: dict[str, Any]
    origin: str
    duplicates: int | None = 0


async def create_plan(attempt: Attempt) -> StageEnd:
    """One plan for the task, whatever happened before.

    Raises:
        TaskHeld: a person holds the task.
        TaskFrozen: today's facts do not stand behind its demand.
        StageFailed: the selection does not close, the platform refused, or nobody could say.
    """
    row, was_there = await _reserve(attempt)
    plan = await _plan_of(attempt, row, was_there)
    recorded = {"crawler_plan_id": plan.crawler_plan_id, "crawler_plan_name": plan.crawler_plan_name}
    if plan.origin != "recorded":
        columns: dict[str, Any] = recorded | {"response_payload": plan.response, "plan_status": CREATED}
        columns |= {"error_code": None, "error_message": None}
        found = recorded | {"origin": plan.origin, "duplicates_on_platform": plan.duplicates}
        await _record(attempt, row, found, columns)
    bound = await _bound(attempt, row, plan)
    output = recorded | {
        "plan_type": row.plan_type,
        "input_count": row.input_count,
        "origin": plan.origin,
        "produce_bind_status": bound["produce_bind_status"],
        "duplicates_on_platform": plan.duplicates,
    }
    return StageEnd(
        TaskStatus.PLAN_CREATED,
        Stage.FINALIZE,
        output,
        lambda connection: record_plan(connection, row.id, **bound),
    )


async def _bound(attempt: Attempt, row: PlanRow, plan: PlanOnPlatform) -> dict[str, Any]:
    """Columns that say what came of the binding; a binding that fails costs no plan."""
    if row.produce_plan_id is None:
        return {"produce_bind_status": NOT_REQUIRED, "plan_status": CREATED}
    if row.produce_bind_status == BOUND:
        return bound_columns(None)
    binding = Binding.of(attempt.task.task_id, plan.crawler_plan_id, row.produce_plan_id)
    return bound_columns(await bind(attempt.workshop, attempt.scope, binding))


async def _record(attempt: Attempt, row: PlanRow, output: dict[str, Any], columns: dict[str, Any]) -> None:
    """Write to the plan row while the attempt is ours: a worker that was overtaken changes nothing (S-005)."""
    await attempt.checkpoint(output, lambda connection: record_plan(connection, row.id, **columns))


async def _reserve(attempt: Attempt) -> tuple[PlanRow, bool]:
    """The task's one plan row, written before anything is sent; whether it stood already."""
    task_id = attempt.task.task_id

    def work(connection: Connection) -> tuple[PlanRow, bool]:
        task = lock_task(connection, task_id)
        if (task.status, task.current_stage) != (attempt.task.status, attempt.task.current_stage):
            raise StaleTask(f"task {task_id} is {task.status}/{task.current_stage} by now", "run the batch again")
        if is_held(task):
            raise TaskHeld(f"task {task_id} is held", "pattern2plan review release")
        freeze = freeze_of(task)
        # A plan that may have been sent already is still asked for, and adopted; nothing is sent (D-073).
        if freeze is not None and not plans_of_tasks(connection, [task_id]):
            raise _frozen(task, freeze)
        selection = read_selection(connection, [task_id])[task_id]
        broken = open_ends(selection, candidates_read(connection, [task_id])) + without_evidence(selection)
        if task.ext["options"]["plan_type"] == "BY_ACCOUNT":
            broken += without_account(selection)
        if broken or not selection:
            detail = broken[0] if broken else "nothing is selected"
            raise StageFailed(
                "selection_open", f"{len(broken)} selected articles may not be planned: {detail}", retryable=False
            )
        reserved = reserve_plan(connection, task, _intent(attempt, selection), attempt.workshop.owner)
        return reserved.row, reserved.stood_already

    return await attempt.workshop.write(work)


def _frozen(task: TaskRow, freeze: Freeze) -> TaskFrozen:
    return TaskFrozen(f"task {task.task_id} is frozen since {freeze.at}: {freeze}", "see the asset demand_standing")


def _require_sendable(connection: Connection, task_id: str, owner: str) -> None:
    """Read under the task's lock: what was decided of the task before a call is sent holds against the call.

    A lease that was taken away from a cancelled run counts as well: that run makes no further plan (DG11).
    """
    task = require_lease(connection, task_id, owner)
    freeze = freeze_of(task)
    if freeze is not None:
        raise _frozen(task, freeze)


def _intent(attempt: Attempt, selection: list[SelectedArticle]) -> NewPlan:
    request = plan_request(attempt, selection)
    produce_plan_id = attempt.task.ext["options"].get("produce_plan_id")
    return NewPlan(
        task_id=attempt.task.task_id,
        platform=PLATFORM,
        plan_type=request.plan_type,
        input_count=request.item_count,
        crawler_plan_name=request.plan_name,
        produce_plan_id=produce_plan_id,
        produce_bind_status=NOT_REQUIRED if produce_plan_id is None else None,
        request_payload=request.model_dump(mode="json"),
        plan_status=INTENDED,
    )


def plan_request(attempt: Attempt, selection: list[SelectedArticle]) -> PlanRequest:
    """What is sent: articles, or their accounts once each in rank order."""
    task = attempt.task
    by_account = task.ext["options"]["plan_type"] == "BY_ACCOUNT"
    name = texts.cut(f"p2p {texts.display(attempt.snapshot.query)}", PLAN_NAME - 40) + f" {task.task_id}"
    return PlanRequest(
        operation_id=operation_id(task.task_id),
        plan_name=name,
        platform=PLATFORM,
        plan_type=task.ext["options"]["plan_type"],
        task_id=task.task_id,
        contents=[] if by_account else [_content(article) for article in selection],
        accounts=_accounts(selection) if by_account else [],
        source_evidence=task.ext["source_evidence"],
    )


def _content(article: SelectedArticle) -> PlanContent:
    candidate = article.candidate
    return PlanContent(
        url=candidate.url,
        title=candidate.title,
        account_id=platform_id(candidate.account_id),
        account_name=candidate.account_name,
    )


def _accounts(selection: list[SelectedArticle]) -> list[PlanAccount]:
    by_key = {
        account_key(candidate): PlanAccount(
            account_id=platform_id(candidate.account_id), account_name=candidate.account_name, biz=candidate.biz_info
        )
        for candidate in (article.candidate for article in selection)
    }
    return list(by_key.values())


async def _plan_of(attempt: Attempt, row: PlanRow, was_there: bool) -> PlanOnPlatform:
    """Reuse what is recorded, adopt what the platform has, else send."""
    if row.crawler_plan_id is not None:
        return PlanOnPlatform(row.crawler_plan_id, row.crawler_plan_name or "", {}, origin="recorded")
    request = PlanRequest.model_validate(row.request_payload)
    if was_there:
        found = await _look(attempt, request)
        if found:
            return _adopted(found)
        request = await _refreshed(attempt, row, request)
    return await _send(attempt, row, request, sent_before=was_there)


async def _refreshed(attempt: Attempt, row: PlanRow, request: PlanRequest) -> PlanRequest:
    """The platform does not have the plan: what is sent is the selection of today, written down first."""
    task_id = attempt.task.task_id
    selection = (await attempt.workshop.read(lambda connection: read_selection(connection, [task_id])))[task_id]
    today = plan_request(attempt, selection)
    if today != request:
        columns = {"request_payload": today.model_dump(mode="json"), "input_count": today.item_count}
        await _record(attempt, row, {"input_count": today.item_count}, columns)
    return today


async def _send(attempt: Attempt, row: PlanRow, request: PlanRequest, *, sent_before: bool) -> PlanOnPlatform:
    """Send until the platform has the plan; after an unknown outcome look before sending again.

    Each send is noted first in the attempt's own row: a worker that was overtaken meanwhile, or whose task was frozen,
    sends nothing.
    """
    plans, doubtful, trouble = attempt.workshop.plans, sent_before, PLAN_UNKNOWN
    task_id, owner = attempt.task.task_id, attempt.workshop.owner
    for sending in range(1, SENDS + 1):
        await attempt.checkpoint({"sending": sending}, lambda connection: _require_sendable(connection, task_id, owner))
        try:
            created = await plans.create(attempt.scope, request)
        except PlanConflict:
            found = await _look(attempt, request)
            if found:
                return _adopted(found)
            doubtful = True
            await attempt.workshop.pause(sending)
        except PlanRefused as error:
            found = await _look(attempt, request) if doubtful else []
            if found:
                return _adopted(found)
            await _note_refusal(attempt, row, error)
            raise StageFailed(error.code, error.message, retryable=False) from error
        except PlanRateLimited as error:
            trouble = str(error.code)
            await attempt.workshop.pause(sending, error.retry_after_s)
        except PlanUnknown:
            doubtful, trouble = True, PLAN_UNKNOWN
            for looking in range(1, LOOKS + 1):
                await attempt.workshop.pause(looking)
                found = await _look(attempt, request)
                if found:
                    return _adopted(found)
        else:
            return await _counted(attempt, request, created) if doubtful else _made(created)
    raise StageFailed(trouble, f"the platform did not take the plan in {SENDS} tries", retryable=True)


async def _counted(attempt: Attempt, request: PlanRequest, created: CreatedPlan) -> PlanOnPlatform:
    """Something was sent before: a platform that ignores the operation id now has two, and that is told (GW3)."""
    made = _made(created)
    try:
        found = await _look(attempt, request)
    except StageFailed:
        # The plan stands and is recorded, whether or not its doubles can be counted.
        return replace(made, duplicates=None)
    others = [plan for plan in found if plan.crawler_plan_id != made.crawler_plan_id]
    return replace(made, duplicates=len(others))


def _made(created: CreatedPlan) -> PlanOnPlatform:
    response = created.model_dump(mode="json")
    return PlanOnPlatform(created.crawler_plan_id, created.crawler_plan_name, response, origin="created")


def _adopted(found: list[FoundPlan]) -> PlanOnPlatform:
    first = found[0]
    response = {"adopted_from": [plan.model_dump(mode="json") for plan in found]}
    name = first.crawler_plan_name
    return PlanOnPlatform(first.crawler_plan_id, name, response, origin="adopted", duplicates=len(found) - 1)


async def _note_refusal(attempt: Attempt, row: PlanRow, error: PlanRefused) -> None:
    columns = {"plan_status": FAILED, "error_code": error.code, "error_message": error.message}
    await _record(attempt, row, {"refused": error.code}, columns)


async def _look(attempt: Attempt, request: PlanRequest) -> list[FoundPlan]:
    """Plans of ours on the platform, by operation id, else by name."""
    plans = attempt.workshop.plans
    try:
        found = await plans.find_by_operation_id(attempt.scope, request.operation_id)
        return found or await plans.find_by_name(attempt.scope, request.plan_name)
    except PlanUnknown as error:
        raise StageFailed(PLAN_UNKNOWN, f"the platform could not be asked: {error.message}", retryable=True) from error
