"""How long a user waits for what needs no work: the help, a chain, the list for review; on the home of the demo."""

from __future__ import annotations

import json
import resource
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

RUNS = 5
PATTERN2PLAN = Path(sys.executable).with_name("pattern2plan")


def measure(folder: Path) -> dict[str, Any]:
    """Medians of five runs each, in seconds; CPU is user and system time."""
    demo = json.loads(_run(folder, "demo", "--json"))
    commands = {
        "help": ("--help",),
        "trace": ("trace", "--crawler-plan-id", demo["plans"][0]["crawler_plan_id"]),
        "review_list": ("review", "list"),
    }
    return {name: _medians(folder, arguments) for name, arguments in commands.items()}


def _medians(folder: Path, arguments: tuple[str, ...]) -> dict[str, float]:
    walls, cpus = [], []
    for _ in range(RUNS):
        wall, cpu = time.perf_counter(), _cpu_of_children()
        _run(folder, *arguments)
        walls.append(time.perf_counter() - wall)
        cpus.append(_cpu_of_children() - cpu)
    return {"wall_s": statistics.median(walls), "cpu_s": statistics.median(cpus)}


def _cpu_of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _run(folder: Path, *arguments: str) -> str:
    done = subprocess.run([PATTERN2PLAN, *arguments], cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout
