"""A command is there at once: its help imports nothing heavy, and the root's help imports no command."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from commands.app import COMMANDS
from commands.deferred import DeferredCommand
from tests.commands.cli_runner import Cli
from tests.commands.loading import ROOT, Asked, every_help

NESTED = ("demand run", "backfill status", "sandbox serve", "review serve", "db upgrade", "metrics serve")


@pytest.fixture(scope="module")
def asked() -> list[Asked]:
    return every_help()


def test_every_command_has_a_help(asked: list[Asked]) -> None:
    paths = [one.path for one in asked]
    assert set(paths) >= {"", *(name for name, _, _ in COMMANDS), *NESTED}
    assert len(paths) == len(set(paths))
    for one in asked:
        assert (one.code, f"Usage: {' '.join(('pattern2plan', one.path)).strip()} " in one.said) == (0, True), one.path


def test_no_help_imports_anything_heavy(asked: list[Asked]) -> None:
    assert [(one.path, one.heavy) for one in asked if one.heavy][:1] == []


def test_the_help_of_the_root_imports_no_command(asked: list[Asked]) -> None:
    assert asked[0].path == ""
    assert asked[0].commands == ["commands.app", "commands.deferred"]


@pytest.mark.parametrize(("name", "place", "line"), COMMANDS, ids=[name for name, _, _ in COMMANDS])
def test_the_table_says_the_first_line_of_the_commands_own_help(name: str, place: str, line: str) -> None:
    help_text = DeferredCommand(name, place, line).load().help
    assert help_text is not None
    assert help_text.split("\n\n")[0] == line


def test_what_is_nearly_a_command_is_named(cli: Cli) -> None:
    done = cli("trac")
    assert (done.code, done.error) == (2, "UsageError: No such command 'trac'. Did you mean 'trace'? -> see --help")


def test_ctrl_c_while_a_command_is_imported_ends_it_without_a_word(tmp_path: Path) -> None:
    slow = "import os, signal, time\ntry:\n    os.kill(os.getpid(), signal.SIGINT)\n    time.sleep(9)\n"
    (tmp_path / "slow.py").write_text(slow + "except BaseException:\n    print('swallowed')\n")
    program = "from commands.deferred import DeferredCommand; DeferredCommand('slow', 'slow:x', '').load()"
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={"PYTHONPATH": f"{ROOT}:{tmp_path}"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (-signal.SIGINT, "", "")
