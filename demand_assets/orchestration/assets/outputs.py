"""Assets that publish: the one table or its file, the two mirrored pools, the manifest."""

import dagster as dg
import pandas as pd

from demand_assets.decisions.decision_loop import AcceptedDemand
from demand_assets.evidence.pack import DemandRow
from demand_assets.evidence.weights import read_weight_scores
from demand_assets.orchestration.dagster_run import DemandRequestResource, StepRun, step_run
from demand_assets.orchestration.frames import accepted_of, content_frame, rows_of
from demand_assets.orchestration.partitions import EXECUTIONS
from demand_assets.orchestration.registry import presentation
from demand_assets.outputs.demand_content import publish
from demand_assets.outputs.effects_file import write_effects
from demand_assets.outputs.local_json import (
    DEMAND_CONTENT,
    DEMAND_TASK,
    FEATURE_POINTS,
    MULTI_DEMAND_POOL,
    local_rows,
    write_demand_content,
)
from demand_assets.outputs.outcome_file import read_outcome, read_published, write_published
from demand_assets.outputs.pools import feature_point_rows, multi_demand_pool_rows
from demand_assets.outputs.rows import RowContext
from demand_assets.outputs.run_folder import MANIFEST
from demand_assets.run.deciding import require_all_proven
from demand_assets.run.existing_execution import require_usable
from demand_assets.run.manifest import RunFacts, manifest, simulated_task, write_manifest
from resources.databases.demand_store.engine import DemandStore
from resources.databases.pattern_facts.engine import FactsDatabase
from resources.foundation.clock import shanghai_dt
from resources.platform.configurable import ClockResource, DemandStoreResource, PatternFactsResource
from resources.platform.pools import PATTERN_FACTS
from resources.platform.views import frame_table
from resources.settings.demand import read_settings


@dg.asset(partitions_def=EXECUTIONS, pool=PATTERN_FACTS, **presentation("demand_content"))
def demand_content(
    context: dg.AssetExecutionContext,
    validated_demands: pd.DataFrame,
    facts: PatternFactsResource,
    demand_store: DemandStoreResource,
    demand_request: DemandRequestResource,
    clock: ClockResource,
) -> dg.MaterializeResult[pd.DataFrame]:
    """Prove every pack once more, then publish in the mode of the job (D-065, D-066)."""
    with step_run(context, demand_request) as run, facts.open() as database:
        demands = accepted_of(validated_demands)
        run_facts = _run_facts(run, database)
        with database.snapshot() as snapshot:
            weights = read_weight_scores(snapshot, run.execution_id)
        require_all_proven(database, demands, run.execution_id, weights)
        row_context = RowContext(run_facts.merge_leve2, run.run_label, shanghai_dt(clock.clock()))
        if run.mode == "local_json":
            rows, inserted = _publish_to_file(run, run_facts, demands, row_context)
        else:
            rows, inserted = _publish_to_table(run, demand_store.open(), demands, row_context)
    frame = content_frame(rows, run.mode, run.folder.root.name)
    return dg.MaterializeResult(
        value=frame,
        metadata={
            "dagster/row_count": len(frame),
            "inserted": inserted,
            "stood_already": len(demands) - inserted,
            "output_mode": run.mode,
            "run_label": run.run_label,
            "run_folder": dg.MetadataValue.path(str(run.folder.root)),
            "rows": frame_table(frame.drop(columns="ext_data")),
            "sample_pack": dg.MetadataValue.json(_sample(rows)),
        },
    )


def _publish_to_file(
    run: StepRun, run_facts: RunFacts, demands: list[AcceptedDemand], row_context: RowContext
) -> tuple[list[DemandRow], int]:
    rows = local_rows(demands, row_context)
    run.folder.write_json(DEMAND_TASK, simulated_task(run_facts))
    write_demand_content(run.folder, rows)
    write_published(run.folder, len(rows), len(demands) - len(rows))
    return rows, len(rows)


def _publish_to_table(
    run: StepRun, store: DemandStore, demands: list[AcceptedDemand], row_context: RowContext
) -> tuple[list[DemandRow], int]:
    done = publish(store, demands, row_context)
    write_effects(run.folder, store.effects)
    write_published(run.folder, done.inserted, done.skipped)
    return done.rows, done.inserted


def _sample(rows: list[DemandRow]) -> dict[str, object]:
    if not rows:
        return {}
    sample = rows[0].model_dump(mode="json")
    pack = sample["ext_data"]["evidence_pack"]
    for name in ("matched_post_ids", "case_ids"):
        pack[name] = [*pack[name][:3], f"… {len(pack[name])} in all"]
    sample["ext_data"]["video_ids"] = f"{len(rows[0].ext_data.video_ids)} posts"
    return sample


@dg.asset(partitions_def=EXECUTIONS, **presentation("dwd_multi_demand_pool_di"))
def dwd_multi_demand_pool_di(
    context: dg.AssetExecutionContext, demand_content: pd.DataFrame, demand_request: DemandRequestResource
) -> dg.MaterializeResult[pd.DataFrame]:
    """The two gap strategies (D-062); a file in local mode."""
    pool = multi_demand_pool_rows(rows_of(demand_content))
    return _pool(context, demand_request, MULTI_DEMAND_POOL, pool)


@dg.asset(partitions_def=EXECUTIONS, **presentation("feature_point_data"))
def feature_point_data(
    context: dg.AssetExecutionContext, demand_content: pd.DataFrame, demand_request: DemandRequestResource
) -> dg.MaterializeResult[pd.DataFrame]:
    """Feature points of ``全局树`` (D-062); a file in local mode, also when it is empty."""
    points = feature_point_rows(rows_of(demand_content))
    return _pool(context, demand_request, FEATURE_POINTS, points)


def _pool(
    context: dg.AssetExecutionContext, demand_request: DemandRequestResource, name: str, rows: list[dict[str, object]]
) -> dg.MaterializeResult[pd.DataFrame]:
    with step_run(context, demand_request) as run:
        if run.mode == "local_json":
            run.folder.write_json(name, rows)
    frame = pd.DataFrame(rows)
    return dg.MaterializeResult(value=frame, metadata={"dagster/row_count": len(frame), "rows": frame_table(frame)})


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
) -> dg.MaterializeResult[pd.DataFrame]:
    """Written last: where it stands, the run is whole (D-067)."""
    with step_run(context, demand_request) as run, facts.open() as database:
        published = read_published(run.folder)
        finished_at = clock.clock().now().isoformat()
        content = manifest(_run_facts(run, database), read_outcome(run.folder), read_settings(), published, finished_at)
        write_manifest(run.folder, content)
    numbers = content["counts"]
    return dg.MaterializeResult(
        value=pd.DataFrame([{"run_id": run.run_id, **{k: numbers[k] for k in ("wanted", "proposed", "accepted")}}]),
        metadata={
            "manifest": dg.MetadataValue.json(content),
            "manifest_file": dg.MetadataValue.path(str(run.folder.path(MANIFEST))),
            "demand_content_file": dg.MetadataValue.path(str(run.folder.path(DEMAND_CONTENT))),
            "stop_reason": content["stop_reason"],
        },
    )


def _run_facts(run: StepRun, database: FactsDatabase) -> RunFacts:
    execution = require_usable(database, run.execution_id)
    return RunFacts(
        run_id=run.run_id,
        run_label=run.run_label,
        mode=run.mode,
        request=run.request,
        execution=execution,
        trace_id=run.trace_id,
        merge_leve2=run.request.merge_level2 or execution.merge_leve2 or "",
        started_at=run.started_at.isoformat(),
    )
