"""One job for a batch of published demands, one for requests of a file; the same assets behind both."""

from __future__ import annotations

import dagster as dg

from supply_assets.registry import ASSETS

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
