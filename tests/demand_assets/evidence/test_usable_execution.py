"""D-004 without a command line: an execution that cannot be used is named before anything is written."""

from __future__ import annotations

from pathlib import Path

import pytest

from demand_assets.run.existing_execution import RunEnvironment, run_execution
from demand_assets.run.request import make_request
from resources.databases.pattern_facts.executions import require_usable
from resources.foundation.errors import ExecutionNotUsable, UsageError
from resources.settings.demand import read_settings
from tests.small_facts import FactWorld

SAID = {
    580: "execution 580 has status 'failed'",
    583: "execution 583 has status 'running'",
    77: "execution 77 does not",
}


@pytest.mark.parametrize("execution_id", SAID)
def test_d004_the_error_names_the_id_and_its_status(world: FactWorld, execution_id: int) -> None:
    with world.open() as facts, pytest.raises(ExecutionNotUsable, match=SAID[execution_id]) as caught:
        require_usable(facts, execution_id)

    assert caught.value.exit_code == 2


def test_d004_a_successful_execution_is_usable(world: FactWorld) -> None:
    with world.open() as facts:
        execution = require_usable(facts, 581)

    assert (execution.status, execution.merge_leve2, execution.platform_type) == ("success", "全局树", "piaoquan")


@pytest.mark.parametrize("execution_id", SAID)
def test_d004_nothing_is_written(sqlite_world: FactWorld, tmp_path: Path, execution_id: int) -> None:
    with pytest.raises(ExecutionNotUsable):
        run_execution("local_json", make_request(execution_id=execution_id), RunEnvironment(read_settings()))

    written = [path.name for path in tmp_path.rglob("*") if path.is_file()]
    assert [name for name in written if not name.startswith("facts.db")] == []


@pytest.mark.parametrize("execution_id", [0, -1, 2**63, "x", 1.5, None])
def test_d004_something_that_is_no_id(execution_id: object) -> None:
    with pytest.raises(UsageError, match="--execution-id"):
        make_request(execution_id=execution_id)
