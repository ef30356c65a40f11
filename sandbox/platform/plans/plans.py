"""The platform's crawler plans: created once an operation, found again, bound to a produce plan.

Belongs here: the store and what a plan must hold. Does not belong here: HTTP (``plan_service``).
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError, model_validator

from resources.foundation import strict_json
from resources.foundation.errors import OutputFailed, UsageError, one_line

NonBlank = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]


class PlansUnreadable(UsageError):
    """A file of plans is not what this store wrote."""


class PlannedContent(BaseModel):
    """An article to crawl."""

    model_config = ConfigDict(extra="allow")

    url: Annotated[str, StringConstraints(pattern=r"^https?://\S+$")]
    title: str


class PlannedAccount(BaseModel):
    """An account to crawl; one of its ids at least."""

    model_config = ConfigDict(extra="allow")

    account_id: str | None = None
    biz: str | None = None

    @model_validator(mode="after")
    def _known(self) -> Self:
        if not (self.account_id or self.biz):
            raise ValueError("account_id or biz is needed")
        return self


class PlanBody(BaseModel):
    """What a plan is created from."""

    model_config = ConfigDict(extra="allow")

    operation_id: NonBlank
    plan_name: NonBlank
    platform: Literal["weixin"]
    plan_type: Literal["BY_CONTENT", "BY_ACCOUNT"]
    task_id: NonBlank
    contents: list[PlannedContent] = Field(default_factory=list)
    accounts: list[PlannedAccount] = Field(default_factory=list)
    source_evidence: dict[str, Any]

    @model_validator(mode="after")
    def _filled(self) -> Self:
        if self.plan_type == "BY_CONTENT" and not self.contents:
            raise ValueError("contents: a plan BY_CONTENT needs at least one")
        if self.plan_type == "BY_ACCOUNT" and not self.accounts:
            raise ValueError("accounts: a plan BY_ACCOUNT needs at least one")
        return self


class Plan(PlanBody):
    """A plan as the platform keeps it."""

    crawler_plan_id: str
    produce_plan_ids: list[str] = Field(default_factory=list)

    def summary(self) -> dict[str, Any]:
        """What a look-up shows of it."""
        return {
            "crawler_plan_id": self.crawler_plan_id,
            "crawler_plan_name": self.plan_name,
            "operation_id": self.operation_id,
            "plan_type": self.plan_type,
            "item_count": len(self.contents if self.plan_type == "BY_CONTENT" else self.accounts),
        }


class PlanStore:
    """Plans in memory; with ``path`` each change is also a line of that file, and read back at the start.

    Raises:
        PlansUnreadable: the file is there and holds something else.
    """

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        self._plans: dict[str, Plan] = {}
        self._by_operation: dict[str, str] = {}
        if path is not None and path.exists():
            self._read(path)

    def create(self, body: PlanBody, *, known_operations: bool = True) -> tuple[Plan, bool]:
        """The plan of the body's operation and whether it was made just now.

        Args:
            body: what to plan.
            known_operations: ``False`` makes a new plan although the operation has one (a platform that ignores
                the key).

        Raises:
            OutputFailed: the file could not be written; there is no plan then.
        """
        earlier = self._by_operation.get(body.operation_id) if known_operations else None
        if earlier is not None:
            return self._plans[earlier], False
        plan = Plan(**body.model_dump(), crawler_plan_id=f"cp-{len(self._plans) + 1:06d}")
        self._keep(plan)
        return plan, True

    def find(self, *, operation_id: str | None = None, plan_name: str | None = None) -> list[Plan]:
        """Plans with that operation id, or that name, in the order they were made."""
        return [
            plan
            for plan in self._plans.values()
            if (operation_id is not None and plan.operation_id == operation_id)
            or (plan_name is not None and plan.plan_name == plan_name)
        ]

    def bind(self, crawler_plan_id: str, produce_plan_id: str) -> bool:
        """Bind a produce plan, once; ``False`` where there is no such crawler plan."""
        plan = self._plans.get(crawler_plan_id)
        if plan is None:
            return False
        if produce_plan_id not in plan.produce_plan_ids:
            bound = [*plan.produce_plan_ids, produce_plan_id]
            self._keep(plan.model_copy(update={"produce_plan_ids": bound}))
        return True

    def plans(self) -> list[Plan]:
        """Every plan, in the order they were made."""
        return list(self._plans.values())

    def clear(self) -> None:
        """Forget every plan, in the file too."""
        self._plans.clear()
        self._by_operation.clear()
        if self._path is not None:
            self._path.write_text("", encoding="utf-8")

    def _keep(self, plan: Plan) -> None:
        if self._path is not None:
            try:
                with self._path.open("a", encoding="utf-8") as lines:
                    lines.write(strict_json.dumps(plan.model_dump()) + "\n")
            except OSError as error:
                raise OutputFailed(f"{self._path} could not be written: {one_line(error)}") from error
        self._hold(plan)

    def _hold(self, plan: Plan) -> None:
        self._plans[plan.crawler_plan_id] = plan
        self._by_operation.setdefault(plan.operation_id, plan.crawler_plan_id)

    def _read(self, path: Path) -> None:
        """The last line of a plan is how it stands; a last line cut by a kill is left out."""
        try:
            text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise PlansUnreadable(f"{path} could not be read: {one_line(error)}") from error
        whole = text[: text.rfind("\n") + 1]
        for number, line in enumerate(whole.split("\n")[:-1], 1):
            try:
                self._hold(Plan.model_validate(strict_json.loads(line)))
            except (strict_json.JsonRefused, ValidationError) as error:
                raise PlansUnreadable(f"{path}, line {number} is not a plan", "name another file") from error
        if whole != text:
            path.write_text(whole, encoding="utf-8")
