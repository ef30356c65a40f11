"""The eight suites as asset checks, a result a partition (D-070 … D-072).

Six look at ``validated_demands`` and block: in one run nothing is published after a red one; the sink refuses by
itself as well. Two look at what was published.
"""

from collections.abc import Iterator
from typing import Any

import dagster as dg
import pandas as pd

from demand_assets.orchestration.partitions import EXECUTIONS
from demand_assets.outputs.effects_file import LOCAL_FILES, files_at_top, read_effects
from demand_assets.outputs.local_json import DEMAND_CONTENT
from demand_assets.outputs.run_folder import RunFolder, check_run_id
from expectations.demand.downstream_contract import ROWS, rows_frame
from expectations.demand.frames import evidence_frames
from expectations.demand.pack_records import PackRecord
from expectations.demand.suites import EVIDENCE_SUITES, OUTPUT_SUITES
from expectations.demand.write_scope import EFFECTS, file_effects, statement_effects
from expectations.engine.asset_checks import check_results, check_specs
from resources.databases.demand_store.engine import DemandStore
from resources.databases.demand_store.statements import read_rows_of_label
from resources.foundation.ids import parse_execution_key
from resources.platform.configurable import DemandStoreResource, PatternFactsResource, RunFoldersResource
from resources.platform.failures import product_errors


@dg.multi_asset_check(
    name="evidence_closure",
    specs=check_specs("validated_demands", EVIDENCE_SUITES, EXECUTIONS),
    ins={"validated_demands": dg.AssetIn("validated_demands")},
)
def evidence_closure(
    context: dg.AssetCheckExecutionContext, validated_demands: pd.DataFrame, facts: PatternFactsResource
) -> Iterator[dg.AssetCheckResult]:
    """Packs beside facts read afresh, in one snapshot."""
    with product_errors(context):
        execution_id = parse_execution_key(context.partition_key)
        records = [
            PackRecord.of(f"seq {row['seq']}", str(row["name"]), row["evidence_pack"])
            for row in validated_demands.to_dict("records")
        ]
        with facts.open() as database, database.snapshot() as snapshot:
            frames = evidence_frames(snapshot, execution_id, records)
    yield from check_results("validated_demands", EVIDENCE_SUITES, frames)


@dg.multi_asset_check(
    name="published_rows",
    specs=check_specs("demand_content", OUTPUT_SUITES, EXECUTIONS),
    ins={"demand_content": dg.AssetIn("demand_content")},
)
def published_rows(
    context: dg.AssetCheckExecutionContext,
    demand_content: pd.DataFrame,
    demand_store: DemandStoreResource,
    run_folders: RunFoldersResource,
) -> Iterator[dg.AssetCheckResult]:
    """Rows read back from where they stand, and what publishing touched."""
    with product_errors(context):
        if demand_content.empty:
            frames = {ROWS: rows_frame([], ""), EFFECTS: statement_effects({})}
        else:
            frames = _published_frames(demand_content, demand_store, run_folders)
    yield from check_results("demand_content", OUTPUT_SUITES, frames)


def _published_frames(
    content: pd.DataFrame, demand_store: DemandStoreResource, run_folders: RunFoldersResource
) -> dict[str, pd.DataFrame]:
    first = content.iloc[0]
    folder = RunFolder(run_folders.root() / check_run_id(str(first["run_folder"])))
    label = str(first["run_label"])
    ids = [int(row_id) for row_id in content["id"]]
    if first["output_mode"] == "local_json":
        standing = folder.read_json(DEMAND_CONTENT) or []
        effects = file_effects(files_at_top(folder), LOCAL_FILES)
    else:
        standing = _rows_of_label(demand_store.open(), label)
        effects = statement_effects(read_effects(folder))
    by_id = {row["id"]: row for row in standing}
    # A row that is gone is a row of nulls: it must not be passed over.
    return {ROWS: rows_frame([by_id.get(row_id, {"id": row_id}) for row_id in ids], label), EFFECTS: effects}


def _rows_of_label(store: DemandStore, label: str) -> list[dict[str, Any]]:
    with store.reading() as connection:
        return read_rows_of_label(connection, label)
