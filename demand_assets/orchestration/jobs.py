"""The two jobs, one an output mode (D-065), and the jobs that only look: checks again, and drift (D-073)."""

from __future__ import annotations

import dagster as dg

from demand_assets.orchestration.dagster_run import LOCAL_JOB, MYSQL_JOB
from demand_assets.orchestration.registry import ASSETS

CHECKS_JOB = "demand_checks"
DRIFT_JOB = "demand_drift"
DRIFT_ASSET = "demand_content_drift"
_RUN_ASSETS = [name for name in ASSETS if name != DRIFT_ASSET]

local_json_job = dg.define_asset_job(
    LOCAL_JOB,
    selection=dg.AssetSelection.assets(*_RUN_ASSETS),
    description="One execution into files under test_output_data/ (D-061); no database is written.",
    tags={"output_mode": "local_json"},
)
mysql_job = dg.define_asset_job(
    MYSQL_JOB,
    selection=dg.AssetSelection.assets(*_RUN_ASSETS),
    description="One execution into the one table demand_content (D-063); nothing else is written.",
    tags={"output_mode": "mysql_demand_content"},
)
checks_job = dg.define_asset_job(
    CHECKS_JOB,
    selection=dg.AssetSelection.checks_for_assets("validated_demands", "demand_content"),
    description="The eight suites over what stands in a partition, facts read afresh; nothing is materialized. "
    "Name the partition by the tag dagster/partition: a job of checks alone has no partition picker.",
)
drift_job = dg.define_asset_job(
    DRIFT_JOB,
    selection=dg.AssetSelection.assets(DRIFT_ASSET),
    description="Proves every published row against today's facts and lists those that no longer close (D-073).",
)
drift_schedule = dg.ScheduleDefinition(
    name="nightly_drift",
    job=drift_job,
    cron_schedule="0 3 * * *",
    execution_timezone="Asia/Shanghai",
    default_status=dg.DefaultScheduleStatus.STOPPED,
    description="03:00 Shanghai time; off until it is turned on.",
)
