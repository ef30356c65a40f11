"""Every fault switch of the platform against whole task runs over HTTP (S-014, S-028; field reports WX5 … WX7, GW1)."""

from __future__ import annotations

from typing import Any

import pytest

from resources.databases.supply_store.states import TaskStatus
from tests.supply_assets.tasks.world import World

SEARCH, ACCOUNT, HISTORY, DETAIL = (
    "weixin_search",
    "fetch_weixin_account",
    "fetch_account_article_list",
    "fetch_article_detail",
)
CREATE = "plan_create"
SHORTER_THAN_A_HANG_S, LONGER_THAN_A_CALL_S = 0.1, 2
FAULTS: dict[str, float | None] = {
    "latency": 5,
    "hang": LONGER_THAN_A_CALL_S,
    "rate_limit": 0.01,
    "server_error": None,
    "broken_json": None,
    "error_code": 103,
    "freq_control": None,
    "verify_page": None,
    "deleted_article": None,
    "drop_before": None,
    "drop_after": None,
    "slow_after": LONGER_THAN_A_CALL_S,
    "duplicates": None,
    "shifting_pages": 2,
    "endless_pages": None,
    "missing_counts": None,
    "ignore_operation_id": None,
}
"""Every switch there is, with a measure that fits a test."""
ALTERING = ("latency", "duplicates", "shifting_pages", "endless_pages", "missing_counts", "ignore_operation_id")
"""These change or delay an answer and take none away; they occur together."""
AT_ITS_PLACE = [
    ("hang", SEARCH),
    ("hang", CREATE),
    ("rate_limit", ACCOUNT),
    ("server_error", HISTORY),
    ("broken_json", CREATE),
    ("error_code", DETAIL),
    ("freq_control", SEARCH),
    ("verify_page", SEARCH),
    ("verify_page", DETAIL),
    ("deleted_article", DETAIL),
    ("drop_before", HISTORY),
    ("drop_before", CREATE),
    ("drop_after", SEARCH),
    ("drop_after", CREATE),
    ("slow_after", DETAIL),
    ("slow_after", CREATE),
    ("duplicates", SEARCH),
    ("shifting_pages", SEARCH),
    ("endless_pages", SEARCH),
    ("missing_counts", SEARCH),
    ("ignore_operation_id", CREATE),
]


def rule(fault: str, target: str = "*", rate: float = 1.0) -> dict[str, Any]:
    return {"target": target, "fault": fault, "rate": rate, "value": FAULTS[fault]}


def settle(world: World, task_ids: list[str], rounds: int) -> None:
    """Rounds under faults, then one without: each task is sound all the time and completed in the end."""
    for _ in range(rounds):
        world.run(task_ids, timeout_s=SHORTER_THAN_A_HANG_S)
        world.assert_sound(task_ids)
        assert world.free_leases(task_ids)
        if all(world.task(task_id).status is TaskStatus.COMPLETED for task_id in task_ids):
            break
    world.platform.faults()
    world.run(task_ids)
    world.assert_sound(task_ids)


def assert_planned_where_selected(world: World, task_id: str) -> None:
    task = world.task(task_id)
    assert task.status is TaskStatus.COMPLETED, (task.error_code, task.error_message)
    result = world.stages(task_id)[-1].output_payload
    assert len(world.platform.plans(task_id)) == bool(result["selected"])


@pytest.mark.parametrize(("fault", "target"), AT_ITS_PLACE)
def test_s014_a_switch_that_strikes_always_ends_in_a_resumable_task(world: World, fault: str, target: str) -> None:
    task_ids = world.take_in()
    world.platform.faults(rule(fault, target))
    settle(world, task_ids, rounds=1)
    assert_planned_where_selected(world, task_ids[0])


@pytest.mark.parametrize("faults", [ALTERING, *((fault,) for fault in FAULTS if fault not in ALTERING)])
def test_s014_a_switch_at_a_fifth_of_all_calls_costs_no_task(world: World, faults: tuple[str, ...]) -> None:
    task_ids = world.take_in(2)
    world.platform.faults(*(rule(fault, rate=0.2) for fault in faults))
    settle(world, task_ids, rounds=2)
    for task_id in task_ids:
        assert_planned_where_selected(world, task_id)
