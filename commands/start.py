"""The first thing the command runs: an interrupt while the libraries are still being imported ends it quietly."""

from __future__ import annotations

import sys

from resources.foundation.interrupts import end_quietly


def main() -> None:
    """Entry point of ``pattern2plan``."""
    with end_quietly():
        from commands.app import run_command

    sys.exit(run_command(sys.argv[1:]))
