"""Runs of pytest in one copied tree, by a Python that has the libraries loaded already (``preloaded``)."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Self


class Nursery:
    """Context manager of the loaded Python of one tree; one run at a time."""

    def __init__(self, tree: Path) -> None:
        self.tree = tree
        self._output = tree.with_suffix(".output")

    def __enter__(self) -> Self:
        kept = {name: value for name, value in os.environ.items() if name not in ("CI", "PYTEST_ADDOPTS")}
        self._python = subprocess.Popen(
            [sys.executable, "-m", "tests.harden.preloaded"],
            cwd=self.tree,
            env=kept | {"PYTHONPATH": str(self.tree), "PYTHONDONTWRITEBYTECODE": "1"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._python.communicate()

    def end(self) -> None:
        """End the run that is going on, and take no other."""
        self._python.terminate()

    def run(self, arguments: Sequence[str], limit_s: float) -> tuple[int | None, str]:
        """Exit code and output of pytest; ``None`` where it did not end in time.

        Raises:
            RuntimeError: the loaded Python has died.
        """
        assert self._python.stdin is not None
        assert self._python.stdout is not None
        order = {"arguments": list(arguments), "output": str(self._output), "limit_s": limit_s}
        self._python.stdin.write(json.dumps(order) + "\n")
        self._python.stdin.flush()
        answer = self._python.stdout.readline()
        if not answer:
            raise RuntimeError(f"the tests of {self.tree} cannot be run any more")
        return json.loads(answer), self._output.read_text(errors="replace")
