"""Answers on standard output, everything else on standard error."""

from __future__ import annotations

import sys

from rich.console import Console

from resources.foundation import strict_json

# Wide where nobody looks, so that no table is cut in a log; what is printed holds paths and foreign texts, no markup.
out = Console(highlight=False, markup=False, soft_wrap=True, width=None if sys.stdout.isatty() else 160)
err = Console(stderr=True, highlight=False, markup=False, soft_wrap=True)


def print_json(value: object) -> None:
    """Strict JSON on standard output, nothing else beside it."""
    sys.stdout.write(strict_json.dumps(value, indent=2) + "\n")
