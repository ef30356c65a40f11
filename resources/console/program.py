"""A command as a program: how it is told to end, and how its errors leave it.

An error is one line, without a traceback, and has its exit code.
"""

from __future__ import annotations

import json
import signal
import sys
import threading
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from resources.foundation.errors import OutputFailed, Pattern2PlanError, UsageError, one_line
from resources.foundation.ids import LIST_EXECUTIONS
from resources.foundation.interrupts import are_ignored
from resources.foundation.logs import configure_logs
from resources.settings.log_level import read_log_level

if TYPE_CHECKING:
    from stamina.instrumentation import RetryDetails
    from typer.exceptions import TyperException

INTERRUPTED = 130


def run_program(app: Callable[..., Any], arguments: list[str]) -> int:
    """Run a command line on ``arguments`` and translate what it raises into an exit code."""
    import stamina
    import typer
    from typer.exceptions import TyperException

    ignore_deprecations()
    stamina.instrumentation.set_on_retry_hooks([print_retry])
    try:
        configure_logs(read_log_level())
        code = app(args=arguments, prog_name="pattern2plan", standalone_mode=False)
    except Pattern2PlanError as error:
        print_error(error)
        return error.exit_code
    except TyperException as error:
        return _refuse(error)
    except OSError as error:
        failure = OutputFailed(one_line(error), "check rights and space")
        print_error(failure)
        return failure.exit_code
    except (KeyboardInterrupt, typer.Abort):
        return INTERRUPTED
    return code if isinstance(code, int) else 0


def ignore_deprecations() -> None:
    """Libraries deprecate among themselves; a user of the command cannot act on it.

    To be said again after an import that sets filters of its own, as Dagster's does.
    """
    warnings.filterwarnings("ignore", category=DeprecationWarning)


def print_error(error: Pattern2PlanError) -> None:
    """One line on standard error; with ``--json`` among the arguments, a JSON object instead."""
    if "--json" in sys.argv:
        fields = {"error": type(error).__name__, "message": error.message, "fix": error.fix}
        sys.stderr.write(json.dumps(fields, ensure_ascii=False) + "\n")
        return
    sys.stderr.write(f"{type(error).__name__}: {error}\n")


def print_retry(details: RetryDetails) -> None:
    """One line on standard error for each repeated call; the cause by its kind, never by its text."""
    cause = type(details.caused_by).__name__
    sys.stderr.write(f"{cause}: trying again in {details.wait_for:.1f} s (attempt {details.retry_num + 1})\n")


def stop_signal() -> threading.Event:
    """Set by SIGTERM, and by SIGINT where it is not ignored, so that a server ends in order."""
    stop = threading.Event()
    for number in (signal.SIGTERM,) if are_ignored() else (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())
    return stop


def _refuse(error: TyperException) -> int:
    """What the argument parser found wrong, as one line like every other error."""
    message = getattr(error, "format_message", lambda: str(error))()
    asks_for_execution = "Missing option" in message and "--execution-id" in message
    refusal = UsageError(message.replace("\n", " "), LIST_EXECUTIONS if asks_for_execution else "see --help")
    if message.strip():
        print_error(refusal)
    return refusal.exit_code
