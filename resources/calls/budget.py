"""What is left of a provider's day and money (S-013a); kept in the process, one count a gateway."""

from __future__ import annotations

from resources.calls.policy import Limits
from resources.foundation.clock import Clock, shanghai_dt


class Budget:
    """Counts requests against ``per_day`` (a Shanghai day) and ``money``."""

    def __init__(self, limits: Limits, clock: Clock) -> None:
        self._limits = limits
        self._clock = clock
        self._day = ""
        self._asked_today = 0
        self._spent = 0.0

    def take(self) -> bool:
        """Book one request; ``False`` when the day or the money is spent, and nothing is booked."""
        limits = self._limits
        if limits.per_day is not None:
            today = shanghai_dt(self._clock)
            if today != self._day:
                self._day, self._asked_today = today, 0
            if self._asked_today >= limits.per_day:
                return False
        if limits.money is not None and self._spent + limits.price > limits.money:
            return False
        self._asked_today += 1
        self._spent += limits.price
        return True
