"""What a binding came to stands on the plan, which a binding that fails does not cost (S-028)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from resources.databases.supply_store.measures.outstanding import OutstandingTasks, outstanding_tasks
from resources.databases.supply_store.states import Stage
from resources.databases.supply_store.tasks.ext import set_ext
from resources.databases.supply_store.tasks.leases import acquire
from resources.foundation.clock import SystemClock
from resources.settings.supply import read_supply_settings
from supply_assets.stages.create_plan import PLAN_UNKNOWN
from supply_assets.tasks.batch_context import open_batch_context
from supply_assets.tasks.rebinding import Offer, Offered, bindings_to_offer, offer_bindings
from tests.supply_assets.tasks.world import TINY, World

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


def offer(world: World, **unproved: str) -> list[Offered]:
    with open_batch_context(read_supply_settings()) as opened:
        context = replace(opened, policy=TINY)
        return offer_bindings(context, bindings_to_offer(context, None), unproved)


def test_s028_a_binding_that_failed_is_offered_again_until_it_stands(world: World) -> None:
    (task_id,) = world.take_in(produce_plan_id="produce-1")
    world.platform.faults(REFUSED)
    world.run([task_id])
    assert [(one.offer, one.reason[:12]) for one in offer(world)] == [(Offer.REFUSED, "bad_argument")]

    world.platform.faults()
    (offered,) = offer(world)
    (row,) = world.plan_rows(task_id)
    assert (offered.offer, offered.crawler_plan_id, offered.task_id) == (Offer.BOUND, row.crawler_plan_id, task_id)
    assert (row.produce_bind_status, row.plan_status, row.error_code) == ("SUCCESS", "BIND_SUCCESS", None)
    assert offer(world) == []
    assert len(world.platform.plans(task_id)) == 1


def test_s030_d073_what_waits_for_a_person_or_for_the_facts_is_not_bound(world: World) -> None:
    held, broken = world.take_in(2, produce_plan_id="produce-1")
    world.platform.faults(REFUSED)
    world.run([held, broken])
    world.platform.faults()
    world.store.write(lambda connection: set_ext(connection, held, "review", {"state": "HELD"}))

    offered = offer(world, **{broken: "D-036: posts are gone"})

    assert {one.task_id: one.offer for one in offered} == {held: Offer.HELD, broken: Offer.NOT_PROVED}
    assert {world.plan_rows(task_id)[0].produce_bind_status for task_id in (held, broken)} == {"FAILED"}


def test_s005_a_task_that_another_worker_has_is_left_to_it(world: World) -> None:
    (task_id,) = world.take_in(produce_plan_id="produce-1")
    world.platform.faults(REFUSED)
    world.run([task_id])
    now = SystemClock().now()
    world.store.write(lambda connection: acquire(connection, task_id, "another", now=now, ttl_s=60))
    assert [one.offer for one in offer(world)] == [Offer.BUSY]


def test_s028_what_is_left_to_do_is_counted_by_batch(world: World) -> None:
    bound, unbound = world.take_in(2, produce_plan_id="produce-1")
    world.run([bound])
    world.platform.faults(REFUSED)
    world.run([unbound])
    with world.store.reading() as connection:
        (left,) = outstanding_tasks(connection, PLAN_UNKNOWN)
    assert left._replace(batch="") == OutstandingTasks("", 1, 0, 0, 0, 0, 0)
