"""A cancelled run whose worker does not know yet: it makes no further plan, and a later run goes on (DG11, S-028)."""

from __future__ import annotations

import os

from resources.databases.supply_store.states import Stage
from resources.databases.supply_store.tasks.leases import revoke
from resources.foundation.clock import SystemClock, epoch_ms
from tests.supply_assets.tasks.workers import ENDED, Job, Workers, after_reserving, pause
from tests.supply_assets.tasks.world import World

BATCH = "adhoc-test"


def test_dg11_after_a_cancel_a_worker_sends_no_plan_and_takes_no_further_task(
    both_worlds: World, workers: Workers
) -> None:
    task_ids = both_worlds.take_in(3)
    created = SystemClock().now()
    one_at_a_time = {**os.environ, "SUPPLY_TASK_CONCURRENCY": "1"}
    workers.stop(Job(task_ids, both_worlds.policy, after_reserving(pause), one_at_a_time, created))
    (reserved,) = [task_id for task_id in task_ids if both_worlds.plan_rows(task_id)]

    taken = both_worlds.store.write(lambda connection: revoke(connection, {BATCH: epoch_ms(created)}))
    (ending,) = workers.go_on()

    assert taken == len(task_ids)
    assert ending.code == ENDED, ending.said
    assert ending.said == repr({"revoked": len(task_ids)}), "it waits for nothing"
    assert both_worlds.platform.asked("/plans") == [], "neither sent nor looked up"
    assert both_worlds.task(reserved).current_stage is Stage.CREATE_PLAN

    both_worlds.run(task_ids)
    both_worlds.assert_completed(task_ids)
