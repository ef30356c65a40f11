"""How patient a call is and how much a provider may be asked (S-010, S-013a)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class CallPolicy:
    """Bounds of a call; times in seconds.

    ``timeout_s`` bounds one attempt as a whole, ``deadline_s`` all attempts at all providers with their pauses,
    counted from the moment the call leaves the local queue. ``attempts`` is the first try and its retries; the
    pauses between them are ``backoff_s`` doubled each time (2/4/8) unless the provider names one, and a provider
    that asks for more than ``retry_after_cap_s`` is not waited for.
    """

    timeout_s: float = 10
    attempts: int = 4
    backoff_s: float = 2
    retry_after_cap_s: float = 30
    deadline_s: float = 120
    concurrency: int = 8
    breaker_threshold: int = 5
    breaker_cooldown_s: float = 30


@dataclass(frozen=True)
class Limits:
    """What a provider may be asked; ``None`` is no limit.

    ``per_second`` requests spread evenly, ``per_day`` requests a Shanghai day, ``money`` in the vendor's unit spent
    at ``price`` a request over the life of a gateway.
    """

    per_second: float | None = None
    per_day: int | None = None
    money: float | None = None
    price: float = 1.0
