"""Three checks an asset: every task accounted for, shapes and ranges, and closure (section 5 of the contract).

Facts are read afresh from the stores. In one run nothing is planned after a red check of ``content_scores``; the stage
CREATE_PLAN refuses by itself as well.
"""

from collections.abc import Iterator

import dagster as dg
import pandas as pd

from expectations.engine.asset_checks import check_results, check_specs
from expectations.supply.frames import supply_frames
from expectations.supply.suites import SUPPLY_SUITES
from resources.platform.configurable import SupplyStoreResource
from resources.platform.failures import product_errors
from supply_assets.orchestration.partitions import DEMAND_BATCHES

READ = ("supply_tasks", "demand_snapshots")


def _checks_of(asset: str) -> dg.AssetChecksDefinition:
    suites = SUPPLY_SUITES[asset]

    @dg.multi_asset_check(
        name=f"{asset}_checks",
        specs=check_specs(asset, suites, DEMAND_BATCHES, reads=READ),
        ins={name: dg.AssetIn(name) for name in READ},
    )
    def checks(
        context: dg.AssetCheckExecutionContext,
        supply_tasks: pd.DataFrame,
        demand_snapshots: pd.DataFrame,
        supply_store: SupplyStoreResource,
    ) -> Iterator[dg.AssetCheckResult]:
        """The rows of the batch as they stand in the store."""
        with product_errors(context), supply_store.open() as store, store.reading() as connection:
            frames = supply_frames(connection, asset, supply_tasks, demand_snapshots)
        yield from check_results(asset, suites, frames)

    return checks


CHECKS = [_checks_of(asset) for asset in SUPPLY_SUITES]
