"""What the plan service is asked for and what it answers (S-028)."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints, model_validator

Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]


def _as_text(value: Any) -> Any:
    """Ids come as text or as a whole number; both are kept as text, digit by digit."""
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


Id = Annotated[Text, BeforeValidator(_as_text)]


class PlanContent(BaseModel):
    """An article of a plan by content."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    url: Text
    title: str
    account_id: str | None = None
    account_name: str | None = None


class PlanAccount(BaseModel):
    """An account of a plan by account; at least one of the three."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    account_id: str | None = None
    account_name: str | None = None
    biz: str | None = None

    @model_validator(mode="after")
    def _is_named(self) -> PlanAccount:
        if not (self.account_id or self.account_name or self.biz):
            raise ValueError("account_id, account_name, biz: one is needed")
        return self


class PlanRequest(BaseModel):
    """A plan to be created; ``contents`` for BY_CONTENT, ``accounts`` for BY_ACCOUNT, never both, never none."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    operation_id: Text
    plan_name: Text
    platform: Literal["weixin"] = "weixin"
    plan_type: Literal["BY_CONTENT", "BY_ACCOUNT"]
    task_id: Text
    contents: tuple[PlanContent, ...] = ()
    accounts: tuple[PlanAccount, ...] = ()
    source_evidence: dict[str, Any] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _holds_what_its_type_says(self) -> PlanRequest:
        wanted, other = ("contents", "accounts") if self.plan_type == "BY_CONTENT" else ("accounts", "contents")
        if not getattr(self, wanted):
            raise ValueError(f"{wanted}: a plan {self.plan_type} needs at least one")
        if getattr(self, other):
            raise ValueError(f"{other}: not for a plan {self.plan_type}")
        return self

    @property
    def item_count(self) -> int:
        """Articles or accounts of the plan."""
        return len(self.contents) + len(self.accounts)

    def payload(self) -> dict[str, Any]:
        """The body as it is sent: without the list that the plan type does not use."""
        unused = {"accounts"} if self.plan_type == "BY_CONTENT" else {"contents"}
        return self.model_dump(mode="json", exclude=unused)


class CreatedPlan(BaseModel):
    """A plan that the platform says it has."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    crawler_plan_id: Id
    crawler_plan_name: str = ""
    operation_id: str | None = None


class FoundPlan(CreatedPlan):
    """A plan found by operation id or name."""

    plan_type: str | None = None
    item_count: int | None = None
