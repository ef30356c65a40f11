"""One job for a batch of published demands, one for requests of a file; the same assets behind both. One for drift."""

from __future__ import annotations

import dagster as dg

from supply_assets.registry import ASSETS, STANDING

BATCH_JOB = "supply_batch"
REQUEST_JOB = "supply_requests"
DRIFT_JOB = "supply_drift"
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
    DRIFT_JOB,
    selection=dg.AssetSelection.assets(STANDING),
    description="Freezes open tasks whose demand no longer closes, and releases those that close again (D-073).",
)
