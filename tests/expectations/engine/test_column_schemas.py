"""What the UI says of the columns of a table is what its frame has, and lineage leads to columns that are there."""

from __future__ import annotations

import dagster as dg

from demand_assets.definitions import defs as demand_defs
from demand_assets.orchestration import frames
from demand_assets.orchestration.columns import COLUMNS as DEMAND
from supply_assets.definitions import defs as supply_defs
from supply_assets.orchestration.columns import COLUMNS as SUPPLY
from supply_assets.orchestration.frames import DEMAND_COLUMNS

OF_FRAMES = {
    "pattern_itemsets": frames.ITEMSET_COLUMNS,
    "weight_scores": frames.WEIGHT_COLUMNS,
    "candidate_demands": frames.CANDIDATE_COLUMNS,
    "validated_demands": frames.VALIDATED_COLUMNS,
    "rejected_demands": frames.REJECTED_COLUMNS,
    "demand_content": frames.CONTENT_COLUMNS,
    "demand_snapshots": tuple(DEMAND_COLUMNS),
}


def test_columns_are_those_of_the_frames():
    for asset, columns in OF_FRAMES.items():
        assert tuple(one.name for one in (DEMAND | SUPPLY)[asset]) == tuple(columns), asset


def test_lineage_leads_to_columns_of_assets_above():
    graphs = [supply_defs.resolve_asset_graph(), demand_defs.resolve_asset_graph()]
    declared = DEMAND | SUPPLY
    assets = {key.to_user_string(): graph.get(key) for graph in graphs for key in graph.get_all_asset_keys()}
    for name, columns in declared.items():
        metadata = assets[name].metadata
        assert isinstance(metadata["dagster/column_schema"], dg.TableSchemaMetadataValue | dg.TableSchema)
        for source in (source for one in columns for source in one.made_of):
            asset, _, column = source.partition(".")
            assert asset in assets, source
            if asset in declared:
                assert column in {one.name for one in declared[asset]}, source


def test_freshness_is_asked_of_what_each_night_makes():
    drift = demand_defs.resolve_asset_graph().get(dg.AssetKey("demand_content_drift"))
    assert drift.freshness_policy is not None
