"""The deployment as it runs: PostgreSQL storage, code servers, daemon, webserver and two workers behind Redis."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from tests.real_servers import require_redis
from tests.stack_world import StackWorld, stack_world, wait_until

pytestmark = [pytest.mark.real_server, pytest.mark.xdist_group("stack")]
SLOW_MS = 2_000


def test_dg11_runs_reach_workers_are_cancelled_for_good_and_outlive_a_lost_worker(tmp_path: Path):
    require_redis()
    with stack_world(tmp_path, [1001, 1002]) as world:
        demand_runs = [world.launch("demand", key) for key in (1001, 1002)]
        wait_until(lambda: all(world.status(run) == "SUCCESS" for run in demand_runs), 120)

        world.slow_platform(SLOW_MS)
        cancelled = world.launch("supply", 1001)
        _in_recall(world, "1001")
        world.terminate(cancelled)
        wait_until(lambda: world.status(cancelled) == "CANCELED", 30)
        assert _leases(world, "1001") == 0

        lost = world.launch("supply", 1002)
        _in_recall(world, "1002")
        world.kill(_worker_of(world, lost))
        world.slow_platform(0)
        wait_until(lambda: any(run["status"] == "SUCCESS" for run in world.runs() if _is_retry(run, lost)), 180)
        assert world.status(lost) == "FAILURE"

        owners = Counter(plan["task_id"] for plan in world.plans())
        tasks = {row["task_id"] for row in _tasks(world, "1002")}
        assert set(owners) == tasks
        assert set(owners.values()) == {1}


def _tasks(world: StackWorld, batch: str) -> list[dict[str, str]]:
    return world.rows(f"SELECT task_id, status FROM supply_task WHERE JSON_VALUE(ext, '$.batch') = '{batch}'")


def _in_recall(world: StackWorld, batch: str) -> None:
    wait_until(lambda: any(row["status"] == "RUNNING" for row in _tasks(world, batch)), 60)


def _leases(world: StackWorld, batch: str) -> int:
    held = world.rows(
        "SELECT COUNT(*) AS held FROM supply_task WHERE JSON_VALUE(ext, '$.lease.until_ms') > 0 "
        f"AND JSON_VALUE(ext, '$.batch') = '{batch}'"
    )
    return int(held[0]["held"])


def _worker_of(world: StackWorld, run_id: str) -> str:
    logs = {name: (world.home / "logs" / f"{name}.log").read_text() for name in ("worker-1", "worker-2")}
    return next(name for name, log in logs.items() if run_id in log)


def _is_retry(run: dict[str, dict[str, str]], of: str) -> bool:
    return run["tags"].get("dagster/parent_run_id") == of
