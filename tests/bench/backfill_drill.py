"""``python -m tests.bench.backfill_drill``: a backfill of 50 that meets everything, and what is left of it at the end.

It is cancelled at 10 and resumed; then the daemon, a code server, a worker and the database are killed, each once.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.bench.backfill import pattern2plan
from tests.own_postgres import OwnPostgres, own_postgres
from tests.stack_world import StackWorld, stack_world, wait_until

FIRST = 1001
WANTED = 50
CANCELLED_AT = 10
NAME = "drill"
QUIET_S = 20
RESUMES = 4
DOWN_S = 5


def main() -> None:
    """Print what happened as JSON; progress on standard error."""
    wanted = int(sys.argv[1]) if len(sys.argv) > 1 else WANTED
    with tempfile.TemporaryDirectory() as folder, own_postgres() as postgres:
        keys = range(FIRST, FIRST + wanted)
        with stack_world(Path(folder), keys, postgres=postgres.url) as world:
            report = drill(world, postgres, wanted)
    sys.stdout.write(json.dumps(report, indent=2, ensure_ascii=False) + "\n")


def drill(world: StackWorld, postgres: OwnPostgres, wanted: int) -> dict[str, Any]:
    """The whole story; counts at the end are of the stores and of the platform."""
    began = time.monotonic()
    report: dict[str, Any] = {"wanted": wanted}
    run = _follow(
        world, "backfill", "--from", str(FIRST), "--to", str(FIRST + wanted - 1), "--only", "all", "--name", NAME
    )
    wait_until(lambda: _succeeded(world) >= CANCELLED_AT, 600)
    cancelled = pattern2plan(world, "backfill", "cancel", NAME, "--json")
    posts = len(world.plans())
    _say(f"cancelled at {_succeeded(world)} runs: {cancelled.stdout[-300:]} {cancelled.stderr[-300:]}")
    time.sleep(QUIET_S)
    report["plans_at_cancel"] = posts
    report["plans_20_s_after_cancel"] = len(world.plans())
    run.wait(timeout=120)
    resumed = _follow(world, "backfill", "resume", NAME)
    report["kills"] = _kill_each_once(world, postgres)
    codes = [resumed.wait()]
    while codes[-1] != 0 and len(codes) < RESUMES:
        codes.append(_follow(world, "backfill", "resume", NAME).wait())
    report["exit_codes_of_resumes"] = codes
    report["seconds"] = round(time.monotonic() - began)
    return report | {"status": _status(world)} | _left(world)


def _kill_each_once(world: StackWorld, postgres: OwnPostgres) -> dict[str, int]:
    """Runs that had succeeded when each was killed."""

    def database() -> None:
        postgres.kill()
        time.sleep(DOWN_S)
        postgres.start()

    kills: dict[str, Callable[[], None]] = {
        "daemon": lambda: world.kill("daemon"),
        "code-supply": lambda: world.kill("code-supply"),
        "worker-1": lambda: world.kill("worker-1"),
        "database": database,
    }
    at: dict[str, int] = {}
    so_far = _succeeded(world)
    for number, (name, kill) in enumerate(kills.items(), start=1):
        wait_until(lambda n=number: _succeeded(world) >= so_far + 6 * n, 900, every=1)
        at[name] = _succeeded(world)
        _say(f"killing {name} at {at[name]}")
        kill()
    return at


def _left(world: StackWorld) -> dict[str, Any]:
    """Rows and plans by how often the same thing stands there; the highest count must be one."""
    rows = world.rows(
        "SELECT JSON_VALUE(ext_data, '$.run_label') l, name, JSON_VALUE(ext_data, '$.evidence_pack.source_post_id') p, "
        "COUNT(*) n FROM demand_content GROUP BY l, name, p"
    )
    tasks = world.rows("SELECT status, COUNT(*) n FROM supply_task GROUP BY status")
    by_demand = world.rows("SELECT demand_id, COUNT(*) n FROM supply_task GROUP BY demand_id")
    plans = Counter(plan["task_id"] for plan in world.plans())
    return {
        "demand_rows": sum(row["n"] for row in rows),
        "most_rows_of_one_demand": max(row["n"] for row in rows),
        "tasks_by_status": {row["status"]: row["n"] for row in tasks},
        "most_tasks_of_one_demand": max(row["n"] for row in by_demand),
        "plans": sum(plans.values()),
        "most_plans_of_one_task": max(plans.values()),
    }


def _follow(world: StackWorld, *arguments: str) -> subprocess.Popen[str]:
    code = "import sys; from commands.app import run_command; sys.exit(run_command(sys.argv[1:]))"
    environment = {**world.environment, "PATTERN2PLAN_DAGSTER_URL": world.address}
    return subprocess.Popen([sys.executable, "-c", code, *arguments], env=environment, stdout=sys.stderr, text=True)


def _succeeded(world: StackWorld) -> int:
    try:
        return sum(run["status"] == "SUCCESS" for run in world.runs())
    except (OSError, AssertionError, KeyError, ValueError):
        return 0
    except Exception as error:
        if type(error).__module__.startswith("httpx"):
            return 0
        raise


def _status(world: StackWorld) -> Any:
    return json.loads(pattern2plan(world, "backfill", "status", NAME, "--json").stdout or "{}")


def _say(text: str) -> None:
    sys.stderr.write(text + "\n")


if __name__ == "__main__":
    main()
