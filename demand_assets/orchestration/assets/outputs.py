"""Assets that publish: the one table or its file, the two mirrored pools, the manifest."""

from collections.abc import Callable

import dagster as dg
import pandas as pd

from demand_assets.evidence.pack import DemandRow
from demand_assets.evidence.weights import read_weight_scores
from demand_assets.orchestration.dagster_run import DemandRequestResource, step_identity, step_run
from demand_assets.orchestration.frames import accepted_of, content_frame, rows_of
from demand_assets.orchestration.partitions import EXECUTIONS
from demand_assets.orchestration.registry import presentation
from demand_assets.outputs.local_json import DEMAND_CONTENT, FEATURE_POINTS, MULTI_DEMAND_POOL
from demand_assets.outputs.pools import feature_point_rows, multi_demand_pool_rows
from demand_assets.outputs.run_folder import MANIFEST, claim_run_folder, resolve_root
from demand_assets.run.manifest import write_manifest
from demand_assets.run.publish import publish_to_files, publish_to_table
from resources.platform.configurable import (
    ClockResource,
    DemandSettingsResource,
    DemandStoreResource,
    PatternFactsResource,
    RunFoldersResource,
)
from resources.platform.failures import product_errors
from resources.platform.pools import PATTERN_FACTS
from resources.platform.views import frame_table


@dg.asset(partitions_def=EXECUTIONS, pool=PATTERN_FACTS, **presentation("demand_content"))
def demand_content(
    context: dg.AssetExecutionContext,
    validated_demands: pd.DataFrame,
    facts: PatternFactsResource,
    demand_store: DemandStoreResource,
    demand_request: DemandRequestResource,
    clock: ClockResource,
    run_folders: RunFoldersResource,
    demand_settings: DemandSettingsResource,
) -> dg.MaterializeResult[pd.DataFrame]:
    """Prove every pack once more, then publish in the mode of the job (D-065, D-066)."""
    with step_run(context, demand_request, facts, run_folders, demand_settings) as (run, database):
        demands = accepted_of(validated_demands)
        with database.snapshot() as snapshot:
            weights = read_weight_scores(snapshot, run.request.execution_id)
        if run.mode == "local_json":
            written = publish_to_files(run, demands, database, weights, clock.clock())
        else:
            written = publish_to_table(run, demands, database, weights, clock.clock(), demand_store.open())
    frame = content_frame(written.rows, run.mode, run.folder.root.name)
    return dg.MaterializeResult(
        value=frame,
        metadata={
            "dagster/row_count": len(frame),
            "inserted": written.inserted,
            "stood_already": written.skipped,
            "output_mode": run.mode,
            "run_label": run.identity.run_label,
            "run_folder": dg.MetadataValue.path(str(run.folder.root)),
            "rows": frame_table(frame.drop(columns="ext_data")),
            "sample_pack": dg.MetadataValue.json(_sample(written.rows)),
        },
    )


def _sample(rows: list[DemandRow]) -> dict[str, object]:
    if not rows:
        return {}
    sample = rows[0].model_dump(mode="json")
    pack = sample["ext_data"]["evidence_pack"]
    for name in ("matched_post_ids", "case_ids"):
        pack[name] = [*pack[name][:3], f"… {len(pack[name])} in all"]
    sample["ext_data"]["video_ids"] = f"{len(rows[0].ext_data.video_ids)} posts"
    return sample


Row = dict[str, object]


def _pool_asset(name: str, file: str, rows_for: Callable[[list[Row]], list[Row]]) -> dg.AssetsDefinition:
    """An asset of rows drawn from the published ones by a pure function (D-062); a file in local mode."""

    @dg.asset(name=name, partitions_def=EXECUTIONS, **presentation(name))
    def pool(
        context: dg.AssetExecutionContext,
        demand_content: pd.DataFrame,
        demand_request: DemandRequestResource,
        run_folders: RunFoldersResource,
        demand_settings: DemandSettingsResource,
    ) -> dg.MaterializeResult[pd.DataFrame]:
        rows = rows_for(rows_of(demand_content))
        with product_errors(context):
            identity = step_identity(context, demand_request, demand_settings)
            if identity.mode == "local_json":
                root = resolve_root(None, identity.run_id, run_folders.root())
                claim_run_folder(root, identity.trace_id).write_json(file, rows)
        frame = pd.DataFrame(rows)
        return dg.MaterializeResult(value=frame, metadata={"dagster/row_count": len(frame), "rows": frame_table(frame)})

    return pool


dwd_multi_demand_pool_di = _pool_asset("dwd_multi_demand_pool_di", MULTI_DEMAND_POOL, multi_demand_pool_rows)
feature_point_data = _pool_asset("feature_point_data", FEATURE_POINTS, feature_point_rows)


@dg.asset(
    partitions_def=EXECUTIONS,
    deps=["rejected_demands", "dwd_multi_demand_pool_di", "feature_point_data"],
    **presentation("run_manifest"),
)
def run_manifest(
    context: dg.AssetExecutionContext,
    demand_content: pd.DataFrame,
    facts: PatternFactsResource,
    demand_request: DemandRequestResource,
    clock: ClockResource,
    run_folders: RunFoldersResource,
    demand_settings: DemandSettingsResource,
) -> dg.MaterializeResult[pd.DataFrame]:
    """Written last: where it stands, the run is whole (D-067)."""
    with step_run(context, demand_request, facts, run_folders, demand_settings) as (run, _):
        content = write_manifest(run, demand_settings.settings(), clock.clock())
    numbers = content["counts"]
    return dg.MaterializeResult(
        value=pd.DataFrame(
            [{"run_id": run.identity.run_id, **{k: numbers[k] for k in ("wanted", "proposed", "accepted")}}]
        ),
        metadata={
            "manifest": dg.MetadataValue.json(content),
            "manifest_file": dg.MetadataValue.path(str(run.folder.path(MANIFEST))),
            "demand_content_file": dg.MetadataValue.path(str(run.folder.path(DEMAND_CONTENT))),
            "stop_reason": content["stop_reason"],
        },
    )
