"""The command as a user meets it: exit code, standard output, standard error; in this process or in one to kill."""

from __future__ import annotations

import json
import multiprocessing
import os
import re
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import VARIABLES

CONTEXT = multiprocessing.get_context("forkserver")
CONTEXT.set_forkserver_preload(["commands.app", "commands.demand", "commands.operations.metrics"])
ERROR_LINE = re.compile(r"[A-Z]\w+: .+")
PROGRESS_LINE = re.compile(r"(round \d+: accepted|\d+ rows proved)")
RUN_LOCAL = ("demand", "run", "--output", "local_json", "--execution-id", "581")
RUN_MYSQL = ("demand", "run", "--output", "mysql_demand_content", "--execution-id", "581")


@dataclass(frozen=True)
class Done:
    """What a finished command left on the terminal."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Standard output as JSON."""
        return json.loads(self.out)

    @property
    def error(self) -> str:
        """The one line of an error, after lines of progress; anything else on the terminal fails the test."""
        lines = [line for line in self.err.splitlines() if not PROGRESS_LINE.match(line)]
        assert self.out == "", self.out
        assert len(lines) == 1, self.err
        assert ERROR_LINE.fullmatch(lines[0]), self.err
        assert len(lines[0]) < 500, "a line that a person can read"
        return lines[0]


class Cli:
    """Runs the command in this process: fast, and as true as ``pattern2plan`` but for the process."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
        self._monkeypatch = monkeypatch
        self._capfd = capfd

    def __call__(self, *arguments: str) -> Done:
        from commands.app import run_command

        self._monkeypatch.setattr(sys, "argv", ["pattern2plan", *arguments])
        self._capfd.readouterr()
        code = run_command(list(arguments))
        printed = self._capfd.readouterr()
        return Done(code, printed.out, printed.err)


@dataclass(frozen=True)
class Running:
    """A command in a process of its own."""

    process: Any
    folder: Path
    out: Path
    err: Path

    def signal(self, number: int) -> None:
        os.kill(self.process.pid, number)

    def kill(self) -> None:
        """End it as a power cut would, where it has not ended by itself."""
        self.process.kill()
        self.process.join()

    def wait(self, seconds: float = 60) -> Done:
        self.process.join(seconds)
        if self.process.is_alive():
            self.kill()
            pytest.fail(f"still running after {seconds} s")
        return Done(self.process.exitcode, self.out.read_text(), self.err.read_text())


def start_cli(
    folder: Path,
    arguments: Sequence[str],
    environment: dict[str, str] | None = None,
    before: Callable[[], None] | None = None,
) -> Running:
    """Start the command in ``folder``; ``before`` runs in the new process ahead of it."""
    number = time.monotonic_ns()
    out, err = folder / f".{number}.stdout", folder / f".{number}.stderr"
    wiring = (folder, tuple(arguments), environment or {}, before, out, err)
    process = CONTEXT.Process(target=_command_process, args=wiring)
    process.start()
    return Running(process, folder, out, err)


def wait_for_file(path: Path, seconds: float = 30) -> None:
    """Until the file is there."""
    deadline = time.monotonic() + seconds
    while not path.exists():
        assert time.monotonic() < deadline, f"{path.name} did not appear"
        time.sleep(0.005)


def _command_process(
    folder: Path,
    arguments: tuple[str, ...],
    environment: dict[str, str],
    before: Callable[[], None] | None,
    out: Path,
    err: Path,
) -> None:
    os.chdir(folder)
    for name in [name for name in os.environ if name.startswith(VARIABLES)]:
        del os.environ[name]
    os.environ.update(environment)
    for descriptor, path in ((1, out), (2, err)):
        os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT, 0o666), descriptor)
    from commands.app import run_command

    sys.argv = ["pattern2plan", *arguments]
    if before is not None:
        before()
    sys.exit(run_command(list(arguments)))
