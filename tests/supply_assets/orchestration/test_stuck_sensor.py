"""The reaper: batches that stand still get one run, which goes on with what is there."""

from __future__ import annotations

import time
import uuid
from datetime import UTC, datetime, timedelta

import dagster as dg
import pytest
from sqlalchemy import Connection, update

from resources.databases.supply_store.states import Stage
from resources.databases.supply_store.tables import supply_task
from resources.databases.supply_store.tasks.leases import revoke
from resources.platform.configurable import ClockResource, SupplyStoreResource
from supply_assets.orchestration.content_platform import ContentPlatformResource
from supply_assets.orchestration.partitions import DEMAND_BATCHES
from supply_assets.orchestration.stuck_sensor import MAX_BATCHES_A_TICK, MOST_TRIES, stuck_tasks
from tests.supply_assets.orchestration.conftest import BATCH, SupplyLocation, metadata_of, table_of
from tests.supply_chain import PRICES, ask, of_post, request

ADHOC = "adhoc-test"


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever does not move is stuck."""
    monkeypatch.setenv("SUPPLY_STUCK_AFTER_S", "0.001")


def tick(location: SupplyLocation) -> dg.SensorResult | str:
    return looked(dg.build_sensor_context(instance=location.instance))


def looked(context: dg.SensorEvaluationContext) -> dg.SensorResult | str:
    result = stuck_tasks(
        context,
        supply_store=SupplyStoreResource(),
        content_platform=ContentPlatformResource(),
        clock=ClockResource(),
    )
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


def test_s005_requests_from_outside_go_on_by_hand_without_their_file(supply: SupplyLocation):
    (task,) = supply.chain.ask(request()).tasks
    supply.register(ADHOC)
    assert supply.run(ADHOC, job="supply_requests").success
    assert supply.chain.task(task.task_id).status == "COMPLETED"


def test_s002_a_demand_that_no_longer_closes_is_not_taken_up(supply: SupplyLocation):
    supply.chain.publish(of_post("p1"), PRICES)
    tasks = supply.chain.take_in(expected_count=3).tasks
    supply.chain.run(tasks, through=Stage.RANK)
    supply.chain.facts.alter("UPDATE pattern_itemset SET support = 0.25 WHERE id = 1001")
    done = supply.run(only_standing=True)
    assert done.success
    drifted, closes = sorted(tasks, key=lambda task: task.demand_id)
    assert supply.task_ids() == [closes.task_id]
    assert len(supply.platform.plans([closes.task_id])) == 1
    assert supply.platform.plans([drifted.task_id]) == []
    refused = metadata_of(done, "demand_snapshots")["refusals"]
    assert [row["rule_id"] for row in table_of(refused)] == ["D-034"]


def test_s003_two_versions_of_a_demand_go_on_together(supply: SupplyLocation):
    supply.chain.publish(of_post("p1"))
    tasks = [supply.chain.take_in(expected_count=wanted).tasks[0] for wanted in (2, 3)]
    done = supply.run(only_standing=True)
    assert done.success
    assert sorted(supply.task_ids()) == sorted(task.task_id for task in tasks)
    assert [check.check_name for check in done.get_asset_check_evaluations() if not check.passed] == []


def test_s005_a_batch_with_an_unfinished_run_is_left_to_it(supply: SupplyLocation):
    supply.chain.publish(of_post("p1"))
    supply.chain.take_in()
    run = dg.DagsterRun(job_name="supply_batch", status=dg.DagsterRunStatus.STARTED, tags={"dagster/partition": BATCH})
    supply.instance.add_run(run)
    assert f"{BATCH} has an unfinished run" in str(tick(supply))


@pytest.mark.parametrize(("last", "reason"), [("CANCELED", "was cancelled"), ("FAILURE", None)])
def test_dg11_a_batch_whose_last_run_was_cancelled_waits_for_a_person(
    supply: SupplyLocation, last: str, reason: str | None
):
    supply.chain.publish(of_post("p1"))
    supply.chain.take_in()
    of_the_other_half = dg.DagsterRun(job_name="demand_mysql_demand_content", status=dg.DagsterRunStatus.CANCELED)
    ours = dg.DagsterRun(job_name="supply_batch", status=dg.DagsterRunStatus[last])
    for run in (ours, of_the_other_half):
        supply.instance.add_run(run.with_tags({"dagster/partition": BATCH}))
    said = tick(supply)
    assert (reason is None) == isinstance(said, dg.SensorResult)
    assert reason is None or (reason in str(said) and BATCH in str(said))


def test_dg8_batches_are_bounded_a_tick_and_none_is_starved(supply: SupplyLocation):
    batches = [f"adhoc-{number:03}" for number in range(MAX_BATCHES_A_TICK + 5)]
    for number, batch in enumerate(batches, start=1):
        ask(supply.chain.supply, request(demand_id=number), batch=batch)
    asked: list[str | None] = []
    cursor = None
    for _ in range(2):
        result = looked(dg.build_sensor_context(instance=supply.instance, cursor=cursor))
        assert isinstance(result, dg.SensorResult)
        assert len(result.run_requests or []) == MAX_BATCHES_A_TICK
        asked += [run.partition_key for run in result.run_requests or []]
        cursor = result.cursor
    assert set(asked) == set(batches)


def test_dg10_a_store_that_is_away_is_a_skip_with_its_reason(supply: SupplyLocation, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("SUPPLY_STORE_MYSQL_DSN", "mysql://nobody:hidden-secret@127.0.0.1:1/nothing")
    said = str(tick(supply))
    assert "could not be read" in said
    assert "hidden-secret" not in said


def test_dg11_a_batch_that_a_backfill_revoked_is_left_alone_though_its_run_had_failed(supply: SupplyLocation):
    supply.chain.publish(of_post("p1"))
    supply.chain.take_in()
    run = dg.DagsterRun(job_name="supply_batch", status=dg.DagsterRunStatus.FAILURE, tags={"dagster/partition": BATCH})
    supply.instance.add_run(run)
    assert isinstance(tick(supply), dg.SensorResult), "a run that failed is no reason"
    later = int(time.time() * 1000) + 1
    supply.chain.supply.write(lambda connection: revoke(connection, {BATCH: later}))
    assert "was cancelled" in str(tick(supply))


def test_s005_a_standstill_that_a_run_left_as_it_is_gets_no_second_run(supply: SupplyLocation):
    supply.chain.publish(of_post("p1"))
    (task,) = supply.chain.take_in().tasks
    supply.chain.supply.write(lambda connection: _moved_long_ago(connection, task.task_id))
    run = dg.DagsterRun(job_name="supply_batch", status=dg.DagsterRunStatus.SUCCESS, tags={"dagster/partition": BATCH})
    supply.instance.add_run(run)
    assert "was left as it is" in str(tick(supply))


def _failed_runs(supply: SupplyLocation, number: int) -> None:
    for _ in range(number):
        run = dg.DagsterRun("supply_batch", run_id=str(uuid.uuid4()), status=dg.DagsterRunStatus.FAILURE)
        supply.instance.add_run(run.with_tags({"dagster/partition": BATCH}))


def test_s005_runs_that_move_nothing_come_at_growing_distances(supply: SupplyLocation, monkeypatch: pytest.MonkeyPatch):
    supply.chain.publish(of_post("p1"))
    (task,) = supply.chain.take_in().tasks
    supply.chain.supply.write(lambda connection: _moved_long_ago(connection, task.task_id))
    monkeypatch.setenv("SUPPLY_STUCK_AFTER_S", "1000")
    assert isinstance(tick(supply), dg.SensorResult)
    for waits in (3_000, 6_000, 12_000):
        _failed_runs(supply, 1)
        said = str(tick(supply))
        assert f"{BATCH} is run again in " in said
        assert 0 <= waits - float(said.split("run again in ")[1].split(maxsplit=1)[0]) < 120


def test_s005_a_batch_that_five_runs_did_not_move_waits_for_a_person(supply: SupplyLocation):
    supply.chain.publish(of_post("p1"))
    (task,) = supply.chain.take_in().tasks
    supply.chain.supply.write(lambda connection: _moved_long_ago(connection, task.task_id))
    _failed_runs(supply, MOST_TRIES - 1)
    time.sleep(0.1)
    assert isinstance(tick(supply), dg.SensorResult)
    _failed_runs(supply, 1)
    assert f"{BATCH} did not move in {MOST_TRIES} runs" in str(tick(supply))


def _moved_long_ago(connection: Connection, task_id: str) -> None:
    long_ago = datetime.now(UTC) - timedelta(days=1)
    connection.execute(update(supply_task).where(supply_task.c.task_id == task_id).values(updated_at=long_ago))
