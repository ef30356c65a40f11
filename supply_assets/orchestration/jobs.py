"""The jobs of the supply half: a batch of demands, requests of a file, drift, and the checks alone."""

from __future__ import annotations

import dagster as dg

from expectations.supply.suites import SUPPLY_SUITES
from supply_assets.orchestration.registry import ASSETS, STANDING

BATCH_JOB = "supply_batch"
REQUEST_JOB = "supply_requests"
_SELECTION = dg.AssetSelection.assets(*ASSETS)

batch_job = dg.define_asset_job(
    BATCH_JOB,
    selection=_SELECTION,
    description="The published demands of one execution into crawler plans. Running it again goes on.",
)
request_job = dg.define_asset_job(
    REQUEST_JOB,
    selection=_SELECTION,
    description="The requests of a JSON file, named by supply_request.request_file, in an adhoc- partition.",
)
drift_job = dg.define_asset_job(
    "supply_drift",
    selection=dg.AssetSelection.assets(STANDING),
    description="Freezes open tasks whose demand no longer closes, and releases those that close again (D-073).",
)
checks_job = dg.define_asset_job(
    "supply_checks",
    selection=dg.AssetSelection.checks_for_assets(*SUPPLY_SUITES),
    description="The suites over what stands of a batch; nothing is materialized. Name the batch by the tag "
    "dagster/partition: a job of checks alone has no partition picker.",
)
