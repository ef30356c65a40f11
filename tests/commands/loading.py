"""What commands have imported, seen from a process of their own; run as a module it asks each command for its help."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[2]
NEVER_FOR_HELP = (
    "dagster",
    "great_expectations",
    "jieba",
    "matplotlib",
    "openai",
    "pandas",
    "pyarrow",
    "pydantic_ai",
    "scipy",
)
THEN_MODULES = (
    "import sys; from commands.app import run_command; code = run_command(sys.argv[1:]);"
    "print(*{name.partition('.')[0] for name in sys.modules}, file=sys.stderr); sys.exit(code)"
)


class Asked(NamedTuple):
    """A command that was asked for its help: what it said, and what stood in the process after it."""

    path: str
    code: int
    said: str
    heavy: list[str]
    commands: list[str]


def every_help() -> list[Asked]:
    """All commands of the tree, the root first, each asked in one further process."""
    return [Asked(*json.loads(line)) for line in _python("-m", "tests.commands.loading").stdout.splitlines()]


def packages_after(*arguments: str) -> set[str]:
    """The packages that a command which ends well has imported, in the working directory and environment of now."""
    return set(_python("-c", THEN_MODULES, *arguments).stderr.splitlines()[-1].split())


def _python(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, *arguments]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False, env=environment)
    assert done.returncode == 0, done.stderr
    return done


def _paths(command: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Loads a command only after the one before it was answered."""
    yield path
    for name, below in getattr(command, "commands", {}).items():
        yield from _paths(below.load() if hasattr(below, "load") else below, (*path, name))


def _walk() -> None:
    from commands.app import app, run_command

    for path in _paths(app):
        with redirect_stdout(io.StringIO()) as said:
            code = run_command([*path, "--help"])
        heavy = [name for name in NEVER_FOR_HELP if name in sys.modules]
        imported = sorted(name for name in sys.modules if name.startswith("commands."))
        sys.stdout.write(json.dumps(Asked(" ".join(path), code, said.getvalue(), heavy, imported)) + "\n")


if __name__ == "__main__":
    _walk()
