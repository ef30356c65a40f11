"""Structured logs on standard error: readable on a terminal, one JSON object a line elsewhere.

Ids come from contextvars: a step's from ``resources.platform.step_log``, a task's from the worker that has it, a
call's from its call log. ``PATTERN2PLAN_LOG_LEVEL`` says from which level on lines are written.
"""

from __future__ import annotations

import logging
import sys

import structlog
from structlog.typing import Processor

from resources.foundation.secret_masking import SecretMask


def configure_logs(level: str) -> None:
    """Set up structlog for a process; called by entry points and steps, never at import.

    Args:
        level: DEBUG, INFO, WARNING or ERROR.
    """
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            SecretMask.of_environment(),
            _renderer(),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(getattr(logging, level)),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
        cache_logger_on_first_use=False,
    )


def _renderer() -> Processor:
    if sys.stderr.isatty():
        return structlog.dev.ConsoleRenderer()
    return structlog.processors.JSONRenderer(ensure_ascii=False)
