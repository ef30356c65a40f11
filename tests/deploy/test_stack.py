"""The deployment as it runs: PostgreSQL storage, code servers, daemon, webserver and two workers behind Redis."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.stack_world import StackWorld, wait_until

pytestmark = [pytest.mark.real_server, pytest.mark.xdist_group("stack")]
SLOW_MS = 2_000


def test_dg11_runs_reach_workers_are_cancelled_for_good_and_outlive_a_lost_worker(stack: StackWorld):
    demand_runs = [stack.launch("demand", key) for key in (1001, 1002)]
    wait_until(lambda: all(stack.status(run) == "SUCCESS" for run in demand_runs), 120)

    stack.slow_platform(SLOW_MS)
    cancelled = stack.launch("supply", 1001)
    _in_recall(stack, "1001")
    stack.terminate(cancelled)
    wait_until(lambda: stack.status(cancelled) == "CANCELED", 30)
    assert _leases(stack, "1001") == 0

    lost = stack.launch("supply", 1002)
    _in_recall(stack, "1002")
    stack.kill(_worker_of(stack, lost))
    stack.slow_platform(0)
    wait_until(lambda: any(run["status"] == "SUCCESS" for run in stack.runs() if _is_retry(run, lost)), 180)
    assert stack.status(lost) == "FAILURE"

    owners = Counter(plan["task_id"] for plan in stack.plans())
    finished = {row["task_id"] for row in _tasks(stack, "1002")}
    assert finished
    assert {owners[task_id] for task_id in finished} == {1}
    assert not [row for row in _tasks(stack, "1001") if row["task_id"] in owners]


def _tasks(stack: StackWorld, batch: str) -> list[dict[str, str]]:
    return stack.rows(f"SELECT task_id, status FROM supply_task WHERE JSON_VALUE(ext, '$.batch') = '{batch}'")


def _in_recall(stack: StackWorld, batch: str) -> None:
    wait_until(lambda: any(row["status"] == "RUNNING" for row in _tasks(stack, batch)), 60)


def _leases(stack: StackWorld, batch: str) -> int:
    held = stack.rows(
        "SELECT COUNT(*) AS held FROM supply_task WHERE JSON_VALUE(ext, '$.lease.until_ms') > 0 "
        f"AND JSON_VALUE(ext, '$.batch') = '{batch}'"
    )
    return int(held[0]["held"])


def _worker_of(stack: StackWorld, run_id: str) -> str:
    logs = {name: (stack.home / "logs" / f"{name}.log").read_text() for name in ("worker-1", "worker-2")}
    return next(name for name, log in logs.items() if run_id in log)


def _is_retry(run: dict[str, dict[str, str]], of: str) -> bool:
    return run["tags"].get("dagster/parent_run_id") == of
