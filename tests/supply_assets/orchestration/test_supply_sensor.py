"""The sensor that registers demand batches, called as the daemon calls it."""

from __future__ import annotations

from collections.abc import Iterator

import dagster as dg
import pytest

from supply_assets.orchestration.partitions import DEMAND_BATCHES
from supply_assets.orchestration.sensors import MAX_NEW_A_TICK, demand_batches
from tests.supply_assets.orchestration.conftest import BATCH, NO_EXECUTIONS, Finished

NAME = str(DEMAND_BATCHES.name)


@pytest.fixture
def instance() -> Iterator[dg.DagsterInstance]:
    with dg.DagsterInstance.ephemeral() as ephemeral:
        yield ephemeral


def published(instance: dg.DagsterInstance, *keys: str, mode: str | None = None) -> None:
    said = {"output_mode": mode} if mode else {}
    for key in keys:
        instance.report_runless_asset_event(dg.AssetMaterialization("demand_content", partition=key, metadata=said))


def tick(instance: dg.DagsterInstance) -> list[str] | str:
    """Keys that are registered, as the daemon does it, or why there are none."""
    return ticked(instance, None)[0]


def ticked(instance: dg.DagsterInstance, cursor: str | None) -> tuple[list[str] | str, str | None]:
    """The same, and the cursor afterwards."""
    context = dg.build_sensor_context(instance=instance, cursor=cursor)
    result = demand_batches(context)
    return _registered(instance, result), result.cursor if isinstance(result, dg.SensorResult) else context.cursor


def _registered(instance: dg.DagsterInstance, result: object) -> list[str] | str:
    if isinstance(result, dg.SkipReason):
        return str(result.skip_message)
    assert isinstance(result, dg.SensorResult)
    (added,) = result.dynamic_partitions_requests
    instance.add_dynamic_partitions(NAME, list(added.partition_keys))
    return list(added.partition_keys)


def test_it_is_off_until_it_is_turned_on() -> None:
    assert demand_batches.default_status is dg.DefaultSensorStatus.STOPPED


def test_section5_a_publishing_run_of_the_demand_location_becomes_a_batch(finished: Finished) -> None:
    assert isinstance(finished.tick, dg.SensorResult)
    assert [added.partition_keys for added in finished.tick.dynamic_partitions_requests] == [[BATCH]]
    assert not finished.tick.run_requests, "the automation condition says when a batch runs"


def test_dg16_nothing_published_is_a_skip_with_its_reason(instance: dg.DagsterInstance) -> None:
    assert tick(instance) == "no newly published execution among 0"


def test_dg5_a_batch_is_registered_once_however_often_it_is_published(instance: dg.DagsterInstance) -> None:
    published(instance, "581", "581", "584")
    assert tick(instance) == ["581", "584"]
    assert tick(instance) == "no newly published execution among 2"
    published(instance, "581")
    assert tick(instance) == "no newly published execution among 2"


def test_dg2_a_batch_that_was_removed_comes_back_and_harms_no_other(instance: dg.DagsterInstance) -> None:
    published(instance, "581", "584")
    tick(instance)
    instance.delete_dynamic_partition(NAME, "581")
    assert tick(instance) == ["581"]


def test_dg8_many_new_executions_are_bounded_a_tick_and_all_arrive(instance: dg.DagsterInstance) -> None:
    keys = [str(1_000 + number) for number in range(2 * MAX_NEW_A_TICK + 5)]
    published(instance, *keys)
    seen: list[str] = []
    while isinstance(fresh := tick(instance), list):
        assert 0 < len(fresh) <= MAX_NEW_A_TICK
        seen.extend(fresh)
    assert sorted(seen) == sorted(keys)


def test_s002_an_execution_that_was_written_to_files_alone_is_no_batch(instance: dg.DagsterInstance) -> None:
    published(instance, "581", mode="local_json")
    published(instance, "584", mode="mysql_demand_content")
    published(instance, "584", mode="local_json")
    published(instance, "585")
    fresh, cursor = ticked(instance, None)
    assert fresh == ["584", "585"]
    said, cursor = ticked(instance, cursor)
    assert "1 were written to files alone" in said
    published(instance, "581", mode="local_json")
    said, cursor = ticked(instance, cursor)
    assert "1 were written to files alone" in said
    published(instance, "581", mode="mysql_demand_content")
    assert ticked(instance, cursor)[0] == ["581"]


def test_dg8_executions_in_files_do_not_keep_the_others_waiting(instance: dg.DagsterInstance) -> None:
    published(instance, *(str(1_000 + number) for number in range(MAX_NEW_A_TICK + 5)), mode="local_json")
    published(instance, "9999")
    _, cursor = ticked(instance, None)
    assert ticked(instance, cursor)[0] == ["9999"]


def test_dg10_a_storage_that_errs_fails_the_tick_and_registers_nothing(
    instance: dg.DagsterInstance, monkeypatch: pytest.MonkeyPatch
) -> None:
    published(instance, "581")
    context = dg.build_sensor_context(instance=instance, cursor="{}")
    with monkeypatch.context() as away:
        away.setattr(instance.event_log_storage, "fetch_materializations", _away)
        with pytest.raises(ConnectionError):
            demand_batches(context)
    assert (context.cursor, instance.get_dynamic_partitions(NAME)) == ("{}", [])
    assert tick(instance) == ["581"]


def _away(*_: object, **__: object) -> None:
    raise ConnectionError("the storage is away")


@pytest.mark.parametrize("key", [*NO_EXECUTIONS, "adhoc-cats"])
def test_dg1_a_key_that_is_no_execution_is_passed_over(instance: dg.DagsterInstance, key: str) -> None:
    published(instance, key, "584")
    assert tick(instance) == ["584"]
    assert tick(instance) == "no newly published execution among 2"
