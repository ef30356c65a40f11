"""How a product error shows in Dagster, and when a step is tried again."""

from __future__ import annotations

import dagster as dg

from resources.errors import Pattern2PlanError, ServiceUnreachable

WHEN_UNREACHABLE = dg.RetryPolicy(max_retries=2, delay=5, backoff=dg.Backoff.EXPONENTIAL, jitter=dg.Jitter.PLUS_MINUS)


def as_failure(error: Pattern2PlanError) -> dg.Failure:
    """One line and its fix; retried by the step's policy only where a service could not be reached."""
    return dg.Failure(
        description=str(error),
        metadata={"error": type(error).__name__, "what_to_do": error.fix},
        allow_retries=isinstance(error, ServiceUnreachable),
    )
