"""The reaper: batches that stand still get one run, which goes on with what is there."""

from __future__ import annotations

import dagster as dg
import pytest

from resources.configurable import SupplyStoreResource
from resources.supply_store.states import Stage
from supply_assets.partitions import DEMAND_BATCHES
from supply_assets.stuck_sensor import stuck_tasks
from tests.dagster_location.supply.conftest import BATCH, SupplyLocation
from tests.supply_chain import of_post, request

ADHOC = "adhoc-test"


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever does not move is stuck."""
    monkeypatch.setenv("SUPPLY_STUCK_AFTER_S", "0.001")


def tick(location: SupplyLocation) -> dg.SensorResult | str:
    context = dg.build_sensor_context(instance=location.instance)
    result = stuck_tasks(context, supply_store=SupplyStoreResource())
    return str(result.skip_message) if isinstance(result, dg.SkipReason) else result


def test_s005_nothing_stuck_is_a_skip_with_its_reason(supply: SupplyLocation):
    assert "no task has stood still" in str(tick(supply))


def test_s005_a_batch_whose_worker_is_gone_is_taken_up_and_finished(supply: SupplyLocation):
    supply.chain.publish(of_post("p1"))
    (task,) = supply.chain.take_in(expected_count=3).tasks
    supply.chain.run([task], through=Stage.RECALL)
    asked = tick(supply)
    assert isinstance(asked, dg.SensorResult)
    (run,) = asked.run_requests or []
    assert (run.partition_key, run.job_name) == (BATCH, "supply_batch")
    assert not asked.dynamic_partitions_requests

    done = supply.run(BATCH, **run.run_config["resources"]["supply_request"]["config"])
    assert done.success
    assert supply.chain.task(task.task_id).status == "COMPLETED"
    assert supply.task_ids() == [task.task_id]
    assert len(supply.platform.plans([task.task_id])) == 1
    assert "no task has stood still" in str(tick(supply))


def test_s005_requests_from_outside_go_on_without_their_file(supply: SupplyLocation):
    (task,) = supply.chain.ask(request()).tasks
    asked = tick(supply)
    assert isinstance(asked, dg.SensorResult)
    (run,) = asked.run_requests or []
    assert (run.partition_key, run.job_name) == (ADHOC, "supply_requests")
    (added,) = asked.dynamic_partitions_requests or []
    assert (added.partitions_def_name, list(added.partition_keys)) == (DEMAND_BATCHES.name, [ADHOC])

    supply.register(ADHOC)
    done = supply.run(ADHOC, job="supply_requests", only_standing=True)
    assert done.success
    assert supply.chain.task(task.task_id).status == "COMPLETED"


def test_s005_a_batch_with_an_unfinished_run_is_left_to_it(supply: SupplyLocation):
    supply.chain.publish(of_post("p1"))
    supply.chain.take_in()
    run = dg.DagsterRun(job_name="supply_batch", status=dg.DagsterRunStatus.STARTED, tags={"dagster/partition": BATCH})
    supply.instance.add_run(run)
    assert "have a run already" in str(tick(supply))


def test_dg10_a_store_that_is_away_is_a_skip_with_its_reason(supply: SupplyLocation, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("SUPPLY_STORE_MYSQL_DSN", "mysql://nobody:hidden-secret@127.0.0.1:1/nothing")
    said = str(tick(supply))
    assert "could not be read" in said
    assert "hidden-secret" not in said
