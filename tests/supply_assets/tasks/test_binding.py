"""What a binding came to stands on the plan, which a binding that fails does not cost (S-028)."""

from __future__ import annotations

import pytest

from resources.databases.supply_store.states import Stage
from tests.supply_assets.tasks.world import World

REFUSED = {"target": "plan_bind", "fault": "error_code", "value": 20002}


@pytest.mark.parametrize(("faults", "bound"), [([], "SUCCESS"), ([REFUSED], "FAILED")])
def test_s028_a_binding_is_told_as_it_went(world: World, faults: list[dict[str, object]], bound: str) -> None:
    (task_id,) = world.take_in(produce_plan_id="produce-1")
    world.platform.faults(*faults)
    world.run([task_id])
    (row,) = world.plan_rows(task_id)
    assert row.crawler_plan_id == world.platform.plans(task_id)[0]["crawler_plan_id"]
    assert (row.produce_bind_status, row.plan_status) == (bound, f"BIND_{bound}")
    assert row.error_code == (None if bound == "SUCCESS" else "bad_argument")
    assert world.stages(task_id, Stage.CREATE_PLAN)[-1].output_payload["produce_bind_status"] == bound
