"""What a run is asked for; the one model of it for commands and Dagster (D-004, D-015, D-061)."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from resources.foundation.errors import UsageError

MAX_COUNT = 100_000
LABEL_PATTERN = r"^[A-Za-z0-9][A-Za-z0-9._:-]{0,119}$"
DEFAULT_COUNT = 5
PROPOSERS = ("rules", "agent")
FILE_PREFIX = "file:"


class DemandRequest(BaseModel):
    """One execution, how many accepted demands are wanted, and who proposes.

    ``merge_level2`` and ``platform_type`` default to what the execution row says. ``run_label`` is the idempotency
    label of the published rows and defaults to the run id. ``max_rounds`` bounds proposing; ``seed`` breaks ties.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    execution_id: Annotated[int, Field(ge=1, le=2**63 - 1)]
    merge_level2: Annotated[str, Field(min_length=1, max_length=255)] | None = None
    platform_type: Annotated[str, Field(min_length=1, max_length=64)] | None = None
    count: Annotated[int, Field(ge=1, le=MAX_COUNT)] = DEFAULT_COUNT
    proposer: str = "rules"
    run_id: str | None = None
    run_label: Annotated[str, Field(pattern=LABEL_PATTERN)] | None = None
    output_root: Path | None = None
    seed: int = 0
    max_rounds: Annotated[int, Field(ge=1, le=10_000)] = 200

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
