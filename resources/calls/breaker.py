"""A circuit breaker for one provider of one tool (S-010, GW5, GW6).

Written here because the installed library lets every caller through while half-open; here exactly one probe passes.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import Enum, StrEnum

from resources.foundation.clock import Clock


class Outcome(Enum):
    """What an attempt says about the provider's health."""

    ALIVE = "alive"
    OUTAGE = "outage"
    NOTHING = "nothing"


class BreakerState(StrEnum):
    """What a breaker has changed to."""

    OPEN = "open"
    CLOSED = "closed"


@dataclass(frozen=True)
class Permit:
    """Leave for one attempt; stale once the breaker has changed its state."""

    generation: int


class Breaker:
    """Opens after ``threshold`` outages in a row, lets one probe through after ``cooldown_s`` seconds.

    A probe that fails opens it again for another cool-down, one that finds the provider alive closes it, and one
    that says nothing (a rate limit, a cancelled call) frees the place for the next probe. Answers of attempts that
    were let through before the last change of state are ignored.
    """

    def __init__(self, threshold: int, cooldown_s: float, clock: Clock) -> None:
        self._threshold = threshold
        self._cooldown = timedelta(seconds=cooldown_s)
        self._clock = clock
        self._generation = 0
        self._outages = 0
        self._opened_at: datetime | None = None
        self._probing = False

    @property
    def is_open(self) -> bool:
        """Whether an attempt would be refused now."""
        return self._opened_at is not None and (self._probing or not self._cooled(self._opened_at))

    def enter(self) -> Permit | None:
        """A permit, or ``None`` while open or while the one probe is under way."""
        if self._opened_at is None:
            return Permit(self._generation)
        if self.is_open:
            return None
        self._probing = True
        self._generation += 1
        return Permit(self._generation)

    def leave(self, permit: Permit, outcome: Outcome) -> BreakerState | None:
        """Report what came of the attempt; every permit is returned exactly once.

        Returns what the breaker changed to; ``None`` where it is as it was. A failed probe opens it anew.
        """
        if permit.generation != self._generation:
            return None
        if self._opened_at is None:
            return self._count(outcome)
        self._probing = False
        if outcome is Outcome.OUTAGE:
            return self._open()
        if outcome is Outcome.ALIVE:
            return self._close()
        return None

    def _count(self, outcome: Outcome) -> BreakerState | None:
        if outcome is Outcome.ALIVE:
            self._outages = 0
        elif outcome is Outcome.OUTAGE:
            self._outages += 1
            if self._outages >= self._threshold:
                return self._open()
        return None

    def _open(self) -> BreakerState:
        self._opened_at = self._clock.now()
        self._generation += 1
        return BreakerState.OPEN

    def _close(self) -> BreakerState:
        self._opened_at = None
        self._outages = 0
        self._generation += 1
        return BreakerState.CLOSED

    def _cooled(self, opened_at: datetime) -> bool:
        return self._clock.now() - opened_at >= self._cooldown
