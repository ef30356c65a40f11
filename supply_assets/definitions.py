"""The code location "supply", assembled from default lists; nothing is read or opened at import."""

from __future__ import annotations

from collections.abc import Mapping

import dagster as dg

from resources.platform.configurable import (
    AlertWebhookResource,
    ClockResource,
    DemandStoreResource,
    FramesIOManager,
    IdsResource,
    PatternFactsResource,
    RunFoldersResource,
    SupplyStoreResource,
)
from resources.platform.failure_alerts import failure_alerts
from supply_assets.orchestration.assets.candidates import account_profiles, candidate_pool, content_features
from supply_assets.orchestration.assets.intake import take_in_demands
from supply_assets.orchestration.assets.plans import content_scores, crawler_plans, supply_results
from supply_assets.orchestration.assets.report import execution_report
from supply_assets.orchestration.assets.standing import demand_standing
from supply_assets.orchestration.checks import CHECKS
from supply_assets.orchestration.content_platform import ContentPlatformResource
from supply_assets.orchestration.dagster_run import SupplyRequestResource
from supply_assets.orchestration.jobs import batch_job, checks_job, drift_job, request_job
from supply_assets.orchestration.sensors import SUPPLY_AUTOMATION, demand_batches
from supply_assets.orchestration.stuck_sensor import stuck_tasks

ASSETS = [
    take_in_demands,
    candidate_pool,
    account_profiles,
    content_features,
    content_scores,
    crawler_plans,
    supply_results,
    execution_report,
    demand_standing,
]


def default_resources() -> dict[str, object]:
    """Resources that read the environment when a step uses them."""
    return {
        "facts": PatternFactsResource(),
        "demand_store": DemandStoreResource(),
        "supply_store": SupplyStoreResource(),
        "supply_request": SupplyRequestResource.configure_at_launch(),
        "content_platform": ContentPlatformResource(),
        "clock": ClockResource(),
        "ids": IdsResource(),
        "run_folders": RunFoldersResource(),
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
        asset_checks=CHECKS,
        jobs=[batch_job, request_job, drift_job, checks_job],
        sensors=[demand_batches, stuck_tasks, SUPPLY_AUTOMATION, failure_alerts("supply")],
        resources={**default_resources(), **(resources or {})},
        executor=dg.in_process_executor,
    )


defs = build_defs()
