"""The sensor on new executions, called as the daemon calls it."""

from __future__ import annotations

from typing import Any

import dagster as dg
import pytest

from demand_assets.orchestration.sensors import MAX_NEW_A_TICK, new_executions
from resources.databases.pattern_facts import tables as t
from resources.platform.configurable import PatternFactsResource
from tests.small_facts import FactWorld


def tick(cursor: str | None = None) -> Any:
    context = dg.build_sensor_context(cursor=cursor, instance=dg.DagsterInstance.ephemeral())
    return new_executions(context, facts=PatternFactsResource())


def keys(result: dg.SensorResult) -> list[str]:
    return [request.partition_key for request in result.run_requests]


def execution(execution_id: int, updated_at: str = "2026-06-01 08:00:00", status: str = "success") -> dict[str, Any]:
    return {"id": execution_id, "status": status, "created_at": updated_at, "updated_at": updated_at}


def test_it_is_off_until_it_is_turned_on():
    assert new_executions.default_status is dg.DefaultSensorStatus.STOPPED


def test_only_successful_executions_are_registered_and_run(sqlite_world: FactWorld):
    result = tick()
    assert keys(result) == ["581", "584", "585"]
    (added,) = result.dynamic_partitions_requests
    assert added.partition_keys == ["581", "584", "585"]
    assert all("run_label" in str(request.run_config) for request in result.run_requests)


def test_dg16_nothing_new_is_a_skip_with_its_reason(sqlite_world: FactWorld):
    skipped = tick(tick().cursor)
    assert isinstance(skipped, dg.SkipReason)
    assert "no new successful execution among 3" in skipped.skip_message


def test_dg16_an_empty_fact_base_is_a_skip(sqlite_world: FactWorld):
    sqlite_world.alter("DELETE FROM pattern_mining_execution")
    assert "no successful execution yet" in tick().skip_message


def test_dg4_a_redelivered_execution_gets_a_new_run_under_a_new_key(sqlite_world: FactWorld):
    first = tick()
    sqlite_world.alter("UPDATE pattern_mining_execution SET updated_at = '2026-07-01' WHERE id = 581")
    second = tick(first.cursor)
    assert keys(second) == ["581"]
    old = {request.run_key for request in first.run_requests}
    assert second.run_requests[0].run_key not in old


def test_dg7_late_and_equal_times_are_not_lost(sqlite_world: FactWorld):
    cursor = tick().cursor
    sqlite_world.insert(t.execution, execution(582, "2020-01-01 00:00:00"), execution(586, "2026-06-01 08:00:41"))
    assert keys(tick(cursor)) == ["582", "586"]


def test_dg7_an_execution_that_completes_out_of_order_is_not_lost(sqlite_world: FactWorld):
    cursor = tick().cursor
    sqlite_world.alter("UPDATE pattern_mining_execution SET status = 'success' WHERE id = 583")
    assert keys(tick(cursor)) == ["583"]


def test_dg8_many_new_executions_are_bounded_a_tick_and_all_arrive(sqlite_world: FactWorld):
    sqlite_world.insert(t.execution, *(execution(1000 + n) for n in range(5000)))
    seen: list[str] = []
    cursor = None
    while isinstance(result := tick(cursor), dg.SensorResult):
        assert len(result.run_requests) <= MAX_NEW_A_TICK
        seen.extend(keys(result))
        cursor = result.cursor
    assert len(seen) == len(set(seen)) == 5003


@pytest.mark.real_server
def test_dg5_two_rows_of_one_execution_are_one_run(postgres_world: FactWorld, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("DEMAND_PATTERN_PG_DSN", postgres_world.url.render_as_string(hide_password=False))
    postgres_world.alter("ALTER TABLE pattern_mining_execution DROP CONSTRAINT pattern_mining_execution_pkey")
    try:
        postgres_world.insert(t.execution, execution(581, "2026-06-01 08:00:41"))
        assert keys(tick()).count("581") == 1
    finally:
        postgres_world.alter(
            "DELETE FROM pattern_mining_execution",
            "ALTER TABLE pattern_mining_execution ADD PRIMARY KEY (id)",
        )


def test_dg10_a_fact_base_that_is_down_is_a_skip_that_says_so(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("DEMAND_PATTERN_PG_DSN", "postgresql://u:topsecret@127.0.0.1:1/none")
    skipped = tick('{"581": "x"}')
    assert isinstance(skipped, dg.SkipReason)
    assert "could not be read" in skipped.skip_message
    assert "topsecret" not in skipped.skip_message


def test_dg1_an_id_that_is_no_key_is_passed_over_with_a_reason(sqlite_world: FactWorld):
    sqlite_world.insert(t.execution, execution(-5))
    assert "-5" not in keys(tick())


def test_dg9_a_tick_that_is_cut_off_leaves_everything_to_the_next(
    sqlite_world: FactWorld, monkeypatch: pytest.MonkeyPatch
):
    with dg.DagsterInstance.ephemeral() as instance:
        context = dg.build_sensor_context(cursor='{"581": "x"}', instance=instance)
        with monkeypatch.context() as cut:
            cut.setattr("demand_assets.orchestration.sensors._run_request", _cut_off)
            with pytest.raises(ConnectionResetError):
                new_executions(context, facts=PatternFactsResource())
        assert context.cursor == '{"581": "x"}'
        assert instance.get_dynamic_partitions("execution_id") == []
        assert keys(new_executions(context, facts=PatternFactsResource())) == ["581", "584", "585"]


def _cut_off(_: object) -> dg.RunRequest:
    raise ConnectionResetError("the code server was reloaded")
