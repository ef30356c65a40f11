"""Ctrl-C: ignored by a command that was told to ignore it, obeyed by whatever executes Dagster runs."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
STRIKE = "import os, signal; os.kill(os.getpid(), signal.SIGINT)"
LOADING = (
    f"from resources.foundation.interrupts import end_quietly\nwith end_quietly():\n    {STRIKE}\nprint('went on')"
)
COMMAND = (
    "import sys; import commands.start as start; sys.argv = ['pattern2plan', '--help']\n"
    f"import commands.app\ncommands.app.run_command = lambda arguments: exec({STRIKE!r}) or print('went on')\n"
    "start.main()"
)
EXECUTED = (
    "import os, sys\n"
    "show = [sys.executable, '-c', 'import signal; print(signal.getsignal(signal.SIGINT).__name__)']\n"
    "os.execv = lambda *_: os.execve(sys.executable, show, os.environ)\n"
    "from commands.operations.dagster_ui import main\nmain()"
)
SERVER = (
    "import signal; from resources.console.program import stop_signal\nstop = stop_signal()\n"
    "for number in (signal.SIGINT, signal.SIGTERM):\n    signal.raise_signal(number); print(stop.is_set())"
)


DESK = (
    "import signal, uvicorn; from desk.server import DeskServer\nserver = DeskServer(uvicorn.Config('x:y'))\n"
    "for number in (signal.SIGINT, signal.SIGTERM):\n    server.handle_exit(number, None); print(server.should_exit)"
)
IGNORING = ("sh", "-c", 'trap "" INT; exec "$@"', "sh")


def run(program: str, folder: Path, before: tuple[str, ...] = ()) -> tuple[int, str]:
    done = subprocess.run(
        [*before, sys.executable, "-c", program],
        env={"PYTHONPATH": str(ROOT), "PATH": os.environ["PATH"]},
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize("program", [LOADING, COMMAND], ids=["while it is imported", "while it works"])
def test_a_command_started_with_interrupts_ignored_ignores_them(program: str, tmp_path: Path) -> None:
    assert run(program, tmp_path, IGNORING) == (0, "went on\n")


def test_any_other_command_is_ended_without_a_word_while_it_is_imported(tmp_path: Path) -> None:
    assert run(LOADING, tmp_path) == (-signal.SIGINT, "")


@pytest.mark.parametrize("program", [SERVER, DESK], ids=["metrics and sandbox", "review desk"])
def test_a_server_started_with_interrupts_ignored_ends_by_sigterm_alone(program: str, tmp_path: Path) -> None:
    assert run(program, tmp_path, IGNORING) == (0, "False\nTrue\n")
    assert run(program, tmp_path) == (0, "True\nTrue\n")


def test_dg11_what_executes_runs_hands_no_ignored_interrupt_to_its_children(tmp_path: Path) -> None:
    assert run(EXECUTED, tmp_path, IGNORING) == (0, "default_int_handler\n")
