"""When a step is tried again: only for a failure that says a service could not be reached."""

from __future__ import annotations

import dagster as dg

WHEN_UNREACHABLE = dg.RetryPolicy(max_retries=2, delay=5, backoff=dg.Backoff.EXPONENTIAL, jitter=dg.Jitter.PLUS_MINUS)
