"""The source's entry points as programs: the program is the mode, so no ``--output`` is taken (D-065)."""

from __future__ import annotations

import sys

from commands.app import run_command
from commands.console import say_error
from resources.errors import UsageError
from resources.settings import OutputMode


def run_existing_execution(mode: OutputMode) -> int:
    """``demand run`` in a fixed mode with this process's arguments; returns the exit code."""
    given = sys.argv[1:]
    if any(argument == "--output" or argument.startswith("--output=") for argument in given):
        error = UsageError(f"--output: this entry point always writes {mode}", "leave it away")
        say_error(error)
        return error.exit_code
    return run_command(["demand", "run", *given, "--output", mode])
