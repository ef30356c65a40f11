"""What stops a pack that does not close: blocking checks in one run, the sink in every run."""

from __future__ import annotations

import json
from typing import Any

import pandas as pd
import pytest

from demand_assets.orchestration import checks
from resources.databases.demand_store.engine import DemandStore
from resources.databases.demand_store.migrate import upgrade
from resources.databases.demand_store.statements import read_page
from resources.settings.demand import read_settings
from tests.demand_assets.orchestration.conftest import Location, failure_text, verdicts
from tests.small_facts import FactWorld


def tamper(location: Location, partition: str, **changes: Any) -> None:
    """Change fields of the first pack where it stands between two assets."""
    path = location.frame_file("validated_demands", partition)
    frame = pd.read_parquet(path)
    pack = json.loads(frame.loc[0, "evidence_pack"]) | changes
    frame.loc[0, "evidence_pack"] = json.dumps(pack, ensure_ascii=False)
    frame.to_parquet(path, index=False)


@pytest.fixture
def both(location: Location) -> Location:
    for partition in ("581", "584"):
        assert location.run("demand_local_json", partition, count=1).success
    return location


def test_ck1_a_tampered_partition_is_red_and_the_other_stays_green(both: Location):
    tamper(both, "584", support=0.99)
    red, green = both.check_again("584"), both.check_again("581")
    assert not verdicts(red)["itemset_closure"]
    assert verdicts(red)["post_closure"]
    assert all(verdicts(green).values())
    by_partition = {e.partition for e in red.get_asset_check_evaluations()}
    assert by_partition == {"584"}


def test_ck2_d070_starting_only_the_sink_does_not_get_round_the_checks(both: Location):
    tamper(both, "584", support=0.99)
    result = both.materialize_alone("demand_content", "584")
    assert not result.success
    assert "PackRefused" in failure_text(result)
    assert "D-034" in failure_text(result)


@pytest.mark.parametrize(
    "changes",
    [
        {"source_certainty": "model_said"},
        {"validation_status": "failed"},
        {"matched_post_ids": ["q1"], "case_ids": ["q1"], "absolute_support": 1},
        {"pattern_execution_id": 581},
        {"trace_id": ""},
        {"unknown_field": 1},
    ],
)
def test_d066_the_sink_refuses_every_altered_pack(both: Location, changes: dict[str, Any]):
    tamper(both, "584", **changes)
    assert not both.materialize_alone("demand_content", "584").success


def test_d070_nothing_is_published_in_a_run_whose_check_is_red(location: Location, monkeypatch: pytest.MonkeyPatch):
    upgrade(DemandStore(read_settings().store_url()))
    monkeypatch.setattr(checks, "evidence_frames", _tampering(checks.evidence_frames))
    result = location.run("demand_mysql_demand_content", "581", count=1, run_label="x")
    assert not result.success
    assert not verdicts(result)["post_closure"]
    with DemandStore(read_settings().store_url()).reading() as connection:
        assert read_page(connection, None, 0, 10) == []


def _tampering(original: Any) -> Any:
    def frames(connection: Any, execution_id: int, records: Any) -> Any:
        altered = [r._replace(pack={**r.pack, "absolute_support": 99}) for r in records]
        return original(connection, execution_id, altered)

    return frames


def test_d073_drift_is_listed_and_rows_are_not_touched(location: Location, sqlite_world: FactWorld):
    store = DemandStore(read_settings().store_url())
    upgrade(store)
    assert location.run("demand_mysql_demand_content", "581", count=2, run_label="x").success
    clean = location.run("demand_drift", None)
    assert verdicts(clean) == {"published_rows_close": True}
    with store.reading() as connection:
        before = read_page(connection, None, 0, 10)
    sqlite_world.alter("UPDATE pattern_itemset SET support = 0.9 WHERE id = 1001")
    drifted = location.run("demand_drift", None)
    assert drifted.success
    assert verdicts(drifted) == {"published_rows_close": False}
    frame = pd.read_parquet(location.place / ".pattern2plan/frames/demand_content_drift.parquet")
    assert set(frame["rule_id"]) == {"D-034"}
    with store.reading() as connection:
        assert read_page(connection, None, 0, 10) == before


def test_d070_a_pack_of_another_execution_is_refused_by_the_sink(both: Location):
    both.frame_file("validated_demands", "581").write_bytes(both.frame_file("validated_demands", "584").read_bytes())
    result = both.materialize_alone("demand_content", "581")
    assert not result.success
    assert "is of execution 584, not 581" in failure_text(result)


def test_d021_an_altered_score_is_refused_by_the_sink(both: Location):
    path = both.frame_file("validated_demands", "584")
    pd.read_parquet(path).assign(score=0.0001).to_parquet(path, index=False)
    result = both.materialize_alone("demand_content", "584")
    assert not result.success
    assert "D-021" in failure_text(result)


def test_d072_a_published_row_that_is_gone_is_red(both: Location):
    (file,) = both.place.glob("test_output_data/execution_584_*/demand_content.json")
    file.write_text("[]")
    assert not verdicts(both.check_again("584"))["downstream_contract"]
    file.unlink()
    assert not verdicts(both.check_again("584"))["downstream_contract"]
