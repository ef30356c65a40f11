"""What a run is asked for; the one model of it for commands and Dagster (D-004, D-015, D-061)."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from resources.foundation.errors import UsageError
from resources.foundation.ids import MAX_ID

MAX_COUNT = 100_000
LABEL_PATTERN = r"^[A-Za-z0-9][A-Za-z0-9._:-]{0,119}$"
PROPOSERS = ("rules", "agent")
FILE_PREFIX = "file:"


class DemandRequest(BaseModel):
    """One execution, how many accepted demands are wanted, and who proposes; each field is an option of every entry."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    execution_id: int = Field(
        ge=1, le=MAX_ID, description="An existing pattern_mining_execution.id with status success."
    )
    merge_level2: Annotated[str, Field(min_length=1, max_length=255)] | None = Field(
        default=None, description="Business level of the rows; default: the execution's."
    )
    platform_type: Annotated[str, Field(min_length=1, max_length=64)] | None = Field(
        default=None, description="Platform; default: the execution's."
    )
    count: int = Field(default=5, ge=1, le=MAX_COUNT, description="Accepted demands wanted.")
    proposer: str = Field(
        default="rules", description="rules, agent or file:PATH (JSON lines, below DEMAND_PROPOSER_DIR)."
    )
    run_id: str | None = Field(default=None, description="Name of the run's folder.")
    run_label: Annotated[str, Field(pattern=LABEL_PATTERN)] | None = Field(
        default=None, description="Idempotency label of the rows; default: the run id."
    )
    output_root: Path | None = Field(default=None, description="The run's folder; must be inside test_output_data/.")
    seed: int = Field(default=0, description="Decides between itemsets of equal rank.")
    max_rounds: int = Field(default=200, ge=1, le=10_000, description="How often the proposer is asked at the most.")

    @model_validator(mode="after")
    def _proposer_is_known(self) -> Self:
        if self.proposer in PROPOSERS or (self.proposer.startswith(FILE_PREFIX) and self.file_path is not None):
            return self
        raise ValueError(f"proposer {self.proposer!r} is none of rules, agent, file:PATH")

    @property
    def file_path(self) -> Path | None:
        """The candidate file of the file proposer."""
        name = self.proposer.removeprefix(FILE_PREFIX)
        return Path(name) if self.proposer.startswith(FILE_PREFIX) and name else None


def make_request(**fields: object) -> DemandRequest:
    """A request from command-line or launchpad values.

    Raises:
        UsageError: naming the first faulty field and what it takes.
    """
    try:
        return DemandRequest.model_validate(fields)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        option = "--" + str(first["loc"][0]).replace("_", "-") if first["loc"] else "--proposer"
        given = f" (given: {str(first['input'])[:60]!r})" if first["loc"] else ""
        raise UsageError(f"{option}: {first['msg'].removeprefix('Value error, ')}{given}") from None
