"""The log lines of a Dagster step: each carries the run, the job, the partition and the step."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

import dagster as dg
import structlog

from resources.foundation.logs import configure_logs
from resources.settings.log_level import read_log_level

log = structlog.get_logger(__name__)
StepContext = dg.AssetExecutionContext | dg.AssetCheckExecutionContext


@contextmanager
def step_log(context: StepContext) -> Iterator[None]:
    """Every line inside carries the step's ids; its start and end are said, the end with seconds and any error.

    Raises:
        SettingsError: the log level is none.
    """
    configure_logs(read_log_level())
    with structlog.contextvars.bound_contextvars(**_ids(context)):
        started = time.monotonic()
        log.info("step started")
        try:
            yield
        except Exception as error:
            log.warning("step failed", error=type(error).__name__, duration_s=_since(started))
            raise
        log.info("step ended", duration_s=_since(started))


def _ids(context: StepContext) -> dict[str, str]:
    step = context.op_execution_context
    ids = {"run_id": step.run_id, "job": step.job_name, "step": step.op.name}
    return ids | ({"partition": step.partition_key} if step.has_partition_key else {})


def _since(started: float) -> float:
    return round(time.monotonic() - started, 3)
