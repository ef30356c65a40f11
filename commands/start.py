"""The first thing the command runs: an interrupt while the libraries are still being imported ends it quietly."""

from __future__ import annotations

import signal
import sys


def main() -> None:
    """Entry point of ``pattern2plan``."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    from commands.app import run_command

    signal.signal(signal.SIGINT, signal.default_int_handler)
    sys.exit(run_command(sys.argv[1:]))
