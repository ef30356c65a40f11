"""The code location "demand", assembled from default lists; nothing is read or opened at import."""

from __future__ import annotations

from collections.abc import Mapping

import dagster as dg

from demand_assets.orchestration.assets.candidates import propose_and_decide
from demand_assets.orchestration.assets.drift import demand_content_drift
from demand_assets.orchestration.assets.facts import pattern_itemsets, weight_scores
from demand_assets.orchestration.assets.outputs import (
    demand_content,
    dwd_multi_demand_pool_di,
    feature_point_data,
    run_manifest,
)
from demand_assets.orchestration.checks import evidence_closure, published_rows
from demand_assets.orchestration.dagster_run import DemandRequestResource
from demand_assets.orchestration.jobs import checks_job, drift_job, drift_schedule, local_json_job, mysql_job
from demand_assets.orchestration.retention import expired_run_files, weekly_retention
from demand_assets.orchestration.sensors import new_executions
from resources.platform.configurable import (
    AlertWebhookResource,
    ClockResource,
    DemandSettingsResource,
    DemandStoreResource,
    FramesIOManager,
    PatternFactsResource,
    RunFoldersResource,
)
from resources.platform.failure_alerts import failure_alerts

ASSETS = [
    pattern_itemsets,
    weight_scores,
    propose_and_decide,
    demand_content,
    dwd_multi_demand_pool_di,
    feature_point_data,
    run_manifest,
    demand_content_drift,
]


def default_resources() -> dict[str, object]:
    """Resources that read the environment when a step uses them."""
    return {
        "facts": PatternFactsResource(),
        "demand_store": DemandStoreResource(),
        "demand_request": DemandRequestResource.configure_at_launch(),
        "clock": ClockResource(),
        "run_folders": RunFoldersResource(),
        "demand_settings": DemandSettingsResource(),
        "alert_webhook": AlertWebhookResource(),
        "io_manager": FramesIOManager(),
    }


def build_defs(*, resources: Mapping[str, object] | None = None) -> dg.Definitions:
    """The definitions of the location.

    Args:
        resources: replaces default resources by name.
    """
    return dg.Definitions(
        assets=ASSETS,
        asset_checks=[evidence_closure, published_rows],
        jobs=[local_json_job, mysql_job, checks_job, drift_job, expired_run_files],
        schedules=[drift_schedule, weekly_retention],
        sensors=[new_executions, failure_alerts("demand")],
        resources={**default_resources(), **(resources or {})},
        executor=dg.in_process_executor,
    )


defs = build_defs()
