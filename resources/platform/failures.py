"""How a product error shows in Dagster, and when a step is tried again.

Steps have no ``retry_policy``: Dagster would take the interrupt of a cancelled run for a failure to be repeated, and
the run would go on (DG11).
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager

import dagster as dg

from resources.foundation.errors import ModelRefused, Pattern2PlanError, ServiceUnreachable
from resources.platform.step_log import step_log
from resources.platform.unevaluated_checks import say_not_looked_at

WRONGLY_ASKED = 2
"""Exit code of errors of whoever asked: what was planned for such a run was never there to be checked."""
RETRIES = 2
FIRST_PAUSE_S = 5


@contextmanager
def product_errors(context: dg.AssetExecutionContext | dg.AssetCheckExecutionContext) -> Iterator[None]:
    """A product error inside becomes a failed step with one line and its fix; log lines inside carry the step's ids.

    Raises:
        dg.RetryRequested: a service could not be reached, and the step was tried less than three times; a model that
            refuses is not asked again.
        dg.Failure: any other product error.
    """
    try:
        with step_log(context):
            yield
    except Pattern2PlanError as error:
        tried = context.op_execution_context.retry_number
        if isinstance(error, ServiceUnreachable) and not isinstance(error, ModelRefused) and tried < RETRIES:
            context.log.warning(f"the step is tried again: {error}")
            pause = FIRST_PAUSE_S * 2**tried * random.uniform(1, 1.5)
            raise dg.RetryRequested(max_retries=RETRIES, seconds_to_wait=pause) from error
        if error.exit_code == WRONGLY_ASKED and isinstance(context, dg.AssetExecutionContext):
            say_not_looked_at(context, str(error))
        raise dg.Failure(
            description=str(error),
            metadata={"error": type(error).__name__, "what_to_do": error.fix},
            allow_retries=False,
        ) from error
