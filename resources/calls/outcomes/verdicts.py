"""Why an exchange brought no value, and what each reason means for retries, fail-over and the breaker.

Belongs here: the rules by code. Does not belong here: how a code is read out of a status, a body or a page.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from resources.calls.foreign_text.unreadable import Unreadable
from resources.calls.outcomes.answers import Code

Value = TypeVar("Value")

ABSENCE = frozenset({Code.NOT_FOUND, Code.DELETED, Code.VIOLATION, Code.EXPIRED_LINK, Code.MOVED, Code.CLOSED})
"""The provider speaks with authority: the thing is not there. Final, no other provider is asked."""

OUTAGES = frozenset({Code.TIMEOUT, Code.CONNECTION, Code.SERVER_ERROR, Code.BLOCKED, Code.BUSY, Code.UNKNOWN_PAGE})
"""Counted by the breaker. A rate limit is no outage: it slows by its pause and opens nothing (GW6)."""

TRIED_AGAIN = OUTAGES | {Code.RATE_LIMITED}
"""Asked again at the same provider after a pause (S-010); arguments, permissions and shapes never."""

REFUSALS = frozenset({Code.BAD_ARGUMENT, Code.NOT_PERMITTED})
"""The provider is up and refused the request: for the breaker a sign of life."""

MAY_PASS = TRIED_AGAIN | {
    Code.BREAKER_OPEN,
    Code.BUDGET_SPENT,
    Code.NO_PROVIDER,
    Code.UNAVAILABLE,
    Code.SUSPICIOUS_EMPTY,
}
"""Asking later may help."""


@dataclass(frozen=True)
class Verdict:
    """A reason instead of a value.

    ``passing`` marks a wrong shape that may be a broken transfer (a cut body) rather than a changed interface.
    """

    code: Code
    message: str
    retry_after_s: float | None = None
    passing: bool = False

    @property
    def retryable(self) -> bool:
        """Whether asking later may help."""
        return self.passing or self.code in MAY_PASS


@dataclass(frozen=True)
class Reading(Generic[Value]):
    """What one exchange brought: a value or a verdict, with the decoded body for the raw column."""

    outcome: Value | Verdict
    raw: Any = None


def unreadable(error: Unreadable) -> Verdict:
    """One answer's trouble: too heavy to be read, and as heavy when it is asked for again."""
    return Verdict(Code.UNREADABLE, error.message[:300], passing=error.passing)


class NoValue(Exception):
    """A body that brings no value: what it says instead, and the body itself where it is one."""

    def __init__(self, verdict: Verdict, raw: Any = None) -> None:
        self.verdict = verdict
        self.raw = raw
        super().__init__(verdict.message)


class WrongShape(ValueError):
    """A field that is used is missing or has another type; ``str()`` names the field (S-013)."""

    def __init__(self, field: str, why: str) -> None:
        super().__init__(f"{field}: {why}")
