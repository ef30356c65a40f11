"""What the version before left behind is read and gone on with: run folders, databases, cursors, Dagster's storage.

``home_0_1_0.tar.xz`` was made by version 0.1.0 over the small facts: a published execution and its batch of two plans
by jobs, a run into files, a run of the command that was cut off, and a request whose task had not begun.
"""

from __future__ import annotations

import tarfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import dagster as dg
import pytest

from demand_assets.definitions import defs as demand_defs
from demand_assets.evidence.drift import verify_published
from demand_assets.orchestration.partitions import EXECUTIONS
from demand_assets.orchestration.sensors import new_executions
from demand_assets.run.existing_execution import RunEnvironment, run_execution
from demand_assets.run.request import make_request
from lineage.report.numbers import Sources, gather_report
from lineage.report.page import render
from lineage.report.records import Records
from lineage.trace import ChainEnd, chains_through, prove
from resources.databases.connections import open_facts, open_store, open_supply_store
from resources.databases.supply_store.migrate import upgrade
from resources.databases.supply_store.tasks.evidence import find_tasks_with_evidence
from resources.foundation.clock import SystemClock
from resources.foundation.errors import StoreUnwritable
from resources.platform.configurable import PatternFactsResource
from resources.settings.demand import read_settings
from resources.settings.supply import read_supply_settings
from supply_assets.definitions import defs as supply_defs
from supply_assets.orchestration.partitions import DEMAND_BATCHES
from supply_assets.orchestration.sensors import demand_batches
from supply_assets.review.review_list import list_for_review
from tests.demand_assets.orchestration.conftest import failure_text

ARCHIVE = Path(__file__).with_name("home_0_1_0.tar.xz")
HOME = Path(".pattern2plan")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """The folder in which version 0.1.0 had worked, after ``db upgrade``; it is the working directory."""
    with tarfile.open(ARCHIVE) as archive:
        archive.extractall(tmp_path, filter="data")
    with closing(open_supply_store(read_supply_settings())) as store:
        with pytest.raises(StoreUnwritable, match="not all there"), store.reading() as connection:
            find_tasks_with_evidence(connection, limit=1, post_id="p1")
        upgrade(store)
    return tmp_path


@pytest.fixture
def instance(home: Path) -> Iterator[dg.DagsterInstance]:
    """Dagster over the storage of that version."""
    with dg.DagsterInstance.local_temp(str(home / HOME / "dagster")) as found:
        yield found


def job(defs: dg.Definitions, name: str, instance: dg.DagsterInstance, **how: Any) -> dg.ExecuteInProcessResult:
    done = defs.resolve_job_def(name).execute_in_process(instance=instance, raise_on_error=False, **how)
    assert done.success, failure_text(done)
    return done


def plans() -> list[str]:
    with closing(open_supply_store(read_supply_settings())) as store, store.reading() as connection:
        rows = connection.exec_driver_sql("SELECT crawler_plan_id FROM supply_crawler_plan ORDER BY id")
        return [row[0] for row in rows]


def test_published_rows_close_and_every_chain_is_walked(home: Path) -> None:
    settings = read_settings()
    with closing(open_facts(settings)) as facts, closing(open_supply_store(read_supply_settings())) as store:
        report = verify_published(open_store(settings), facts)
        assert (report.rows, report.drifts) == (2, [])
        (plan, *_) = plans()
        chains = chains_through(ChainEnd(plan, None, None, None, None), store)
        prove(chains, open_store(settings), facts)
        assert [chain.closed for chain in chains] == [True]
        sources = Sources(store, open_store(settings), lambda: closing(open_facts(settings)), Records(HOME / "frames"))
        assert plan in render(gather_report("581", sources, SystemClock()))


def test_s006_what_had_been_taken_in_before_is_found_by_post_and_category(home: Path) -> None:
    with closing(open_supply_store(read_supply_settings())) as store:
        (plan,) = chains_through(ChainEnd(crawler_plan_id=plans()[0]), store)
        post, node = plan.evidence.matched_post_ids[-1], plan.evidence.categories[0].id
        for end in (ChainEnd(post_id=post), ChainEnd(category_id=node)):
            assert plan.task_id in [chain.task_id for chain in chains_through(end, store)]


def test_a_run_of_the_command_that_was_cut_off_is_resumed_and_another_may_not_take_its_folder(home: Path) -> None:
    around = RunEnvironment(read_settings())
    request = make_request(execution_id=581, count=2, run_id="cut-off")
    assert run_execution("local_json", request, around, resume=True).exit_code == 0
    assert (home / "test_output_data" / "cut-off" / "run_manifest.json").is_file()


def test_partitions_and_materializations_are_known_and_checks_read_the_frames(instance: dg.DagsterInstance) -> None:
    assert instance.get_dynamic_partitions(str(EXECUTIONS.name)) == ["581", "584"]
    assert instance.get_dynamic_partitions(str(DEMAND_BATCHES.name)) == ["581"]
    for key in ("validated_demands", "demand_content", "crawler_plans", "supply_results", "execution_report"):
        assert "581" in instance.get_materialized_partitions(dg.AssetKey(key)), key
    for defs, name, number in ((demand_defs, "demand_checks", 8), (supply_defs, "supply_checks", 25)):
        found = job(defs, name, instance, tags={"dagster/partition": "581"}).get_asset_check_evaluations()
        assert len(found) == number
        assert [evaluation.check_name for evaluation in found if not evaluation.passed] == []


def test_cursors_are_taken_over_and_nothing_is_asked_for_again(home: Path, instance: dg.DagsterInstance) -> None:
    cursor = (home / HOME / "new_executions.cursor").read_text()
    facts = {"facts": PatternFactsResource()}
    context = dg.build_sensor_context(instance=instance, cursor=cursor, resources=facts)
    assert isinstance(new_executions(context), dg.SkipReason)
    assert isinstance(demand_batches(dg.build_sensor_context(instance=instance)), dg.SkipReason | dg.SensorResult)


def test_a_batch_run_again_makes_no_second_plan_and_what_had_not_begun_is_listed(
    home: Path, instance: dg.DagsterInstance, cats: str
) -> None:
    before = plans()
    asked = {"resources": {"supply_request": {"config": {"expected_count": 3}}}}
    job(supply_defs, "supply_batch", instance, partition_key="581", run_config=asked)
    assert plans() == before
    with closing(open_supply_store(read_supply_settings())) as store:
        listed = list_for_review(store, None)
    assert [task["status"] for task in listed] == ["PENDING"]


def test_a_launch_goes_on_in_the_folder_of_its_run_alone(home: Path, instance: dg.DagsterInstance) -> None:
    taken = next(path.name for path in (home / "test_output_data").iterdir() if (path / ".dagster_run").is_file())
    config = {"resources": {"demand_request": {"config": {"count": 1, "run_id": taken}}}}
    done = demand_defs.resolve_job_def("demand_local_json").execute_in_process(
        instance=instance, partition_key="581", run_config=config, raise_on_error=False
    )
    assert "exists already" in failure_text(done)
