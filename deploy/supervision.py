"""Processes that are kept running: started in order, awaited, started again when they die, stopped in reverse order."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from resources.foundation.atomic_files import write_atomically
from resources.foundation.errors import Pattern2PlanError

READY_S = 120
GRACE_S = 20
LOOK_S = 0.5
LONGEST_PAUSE_S = 30
STEADY_S = 60


class NotReady(Pattern2PlanError):
    """A process did not come up."""


@dataclass(frozen=True)
class Program:
    """One process of the stack; ``port`` is where it answers when it is ready."""

    name: str
    command: Sequence[str]
    port: int | None = None


class Supervisor:
    """Keeps programs running; their pids stand in ``home/processes.json``, their output in ``home/logs``."""

    def __init__(self, programs: Sequence[Program], home: Path, environment: Mapping[str, str]) -> None:
        self._programs = programs
        self._home = home
        self._environment = dict(environment)
        self._running: dict[str, subprocess.Popen[bytes]] = {}
        self._began: dict[str, float] = {}
        self._deaths: dict[str, int] = {}
        self._due: dict[str, float] = {}
        self._stopping = False

    def start(self) -> None:
        """Start all in their order, each when the one before it answers.

        Raises:
            NotReady: a port is taken, or a program died or did not answer within two minutes; its log is named.
        """
        (self._home / "logs").mkdir(parents=True, exist_ok=True)
        for program in self._programs:
            if program.port is not None and is_listening(program.port):
                raise NotReady(
                    f"something else answers on port {program.port} of {program.name}", "end it, or take --port"
                )
            self._start(program)
            self._wait_for(program)
            print(f"{program.name} is up", flush=True)

    def keep(self) -> None:
        """Start again what dies, with growing pauses, until :meth:`stop` is called from a signal."""
        while not self._stopping:
            for program in self._programs:
                self._look_after(program)
            time.sleep(LOOK_S)

    def stop(self) -> None:
        """End :meth:`keep`; the programs are stopped by :meth:`close`."""
        self._stopping = True

    def close(self) -> None:
        """Stop all in reverse order, by force after twenty seconds."""
        for program in reversed(self._programs):
            process = self._running.get(program.name)
            if process is not None and process.poll() is None:
                os.killpg(process.pid, signal.SIGTERM)
        deadline = time.monotonic() + GRACE_S
        for process in self._running.values():
            try:
                process.wait(timeout=max(0.1, deadline - time.monotonic()))
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()

    def _look_after(self, program: Program) -> None:
        now = time.monotonic()
        process = self._running[program.name]
        if process.poll() is None:
            return
        if program.name not in self._due:
            if now - self._began[program.name] > STEADY_S:
                self._deaths[program.name] = 0
            self._deaths[program.name] = self._deaths.get(program.name, 0) + 1
            pause = min(LONGEST_PAUSE_S, 2 ** (self._deaths[program.name] - 1))
            self._due[program.name] = now + pause
            print(f"{program.name} ended with {process.returncode}; again in {pause} s", flush=True)
        elif now >= self._due[program.name]:
            del self._due[program.name]
            self._start(program)

    def _start(self, program: Program) -> None:
        with (self._home / "logs" / f"{program.name}.log").open("ab") as log:
            self._running[program.name] = subprocess.Popen(
                program.command, env=self._environment, stdout=log, stderr=subprocess.STDOUT, start_new_session=True
            )
        self._began[program.name] = time.monotonic()
        pids = {name: process.pid for name, process in self._running.items()}
        write_atomically(self._home / "processes.json", json.dumps(pids, indent=2).encode())

    def _wait_for(self, program: Program) -> None:
        if program.port is None:
            return
        deadline = time.monotonic() + READY_S
        while time.monotonic() < deadline and not self._stopping:
            if self._running[program.name].poll() is not None:
                break
            if is_listening(program.port):
                return
            time.sleep(LOOK_S)
        log = self._home / "logs" / f"{program.name}.log"
        raise NotReady(f"{program.name} did not come up", f"see {log}")


def is_listening(port: int) -> bool:
    """Whether something listens on a port of the loopback address."""
    with socket.socket() as probe:
        probe.settimeout(1)
        return probe.connect_ex(("127.0.0.1", port)) == 0
