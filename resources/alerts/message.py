"""One alert, as it leaves the product."""

from __future__ import annotations

import hashlib
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

Line = Annotated[str, StringConstraints(max_length=500)]
LONGEST_LINE = 500
MOST_COUNTS = 20


class Alert(BaseModel):
    """A failed run, a failed check, or how many more there are; ``text`` says it in one line.

    ``partition`` is an execution id or a demand batch, ``counts`` the numbers that a check names, ``link`` a path of
    the Dagster UI.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Literal["run_failed", "check_failed", "more"]
    text: Line
    location: str
    run_id: str
    job: str | None = None
    partition: str | None = None
    asset: str | None = None
    check: str | None = None
    severity: str | None = None
    rule_ids: Line | None = None
    counts: Annotated[dict[Line, int], Field(max_length=MOST_COUNTS)] | None = None
    error: Line | None = None
    what_to_do: Line | None = None
    link: str | None = None

    @property
    def key(self) -> str:
        """The same trouble has the same key, whichever run met it."""
        parts = (self.kind, self.location, self.job, self.asset, self.check, self.partition, self.error)
        return hashlib.sha256("\x00".join(part or "" for part in parts).encode()).hexdigest()[:16]


def line(text: str) -> str:
    """A text of any kind as one line of at most 500 characters."""
    joined = " ".join(text.encode("utf-8", "replace").decode().split())
    return joined if len(joined) <= LONGEST_LINE else joined[: LONGEST_LINE - 1] + "…"
