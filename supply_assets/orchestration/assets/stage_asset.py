"""An asset that advances every task of its batch through a stage and shows the rows that came of it.

Such an asset says which stage, whose rows, after which other asset, and what is shown of them; the rest is here.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import dagster as dg
import pandas as pd
from sqlalchemy import Connection

from resources.databases.supply_store.engine import SupplyStore
from resources.databases.supply_store.states import Stage
from resources.platform.configurable import ClockResource, IdsResource, SupplyStoreResource
from resources.platform.pools import CONTENT_PLATFORM
from supply_assets.orchestration.content_platform import ContentPlatformResource
from supply_assets.orchestration.dagster_run import advance, batch_step
from supply_assets.orchestration.partitions import DEMAND_BATCHES
from supply_assets.orchestration.registry import presentation
from supply_assets.tasks.batch_context import BatchContext
from supply_assets.tasks.batch_report import BatchReport, report_batch

ReadRows = Callable[[Connection, Sequence[str]], pd.DataFrame]


class StageOutcome(NamedTuple):
    """The tasks of a batch after a stage, while their store is open: counts by how they stand, and the stage's rows."""

    store: SupplyStore
    task_ids: list[str]
    counts: dict[str, int]
    frame: pd.DataFrame

    def report(self) -> BatchReport:
        """How all tasks of the batch stand."""
        return report_batch(self.store, self.task_ids, 0)

    def materialized(self, shown: Mapping[str, Any]) -> dg.MaterializeResult[pd.DataFrame]:
        """The rows, with what is shown of them."""
        metadata = {"dagster/row_count": len(self.frame), "tasks": self.counts, **shown}
        return dg.MaterializeResult(value=self.frame, metadata=metadata)


class StepResources(NamedTuple):
    """The resources that a step over the tasks of a batch declares."""

    store: SupplyStoreResource
    platform: ContentPlatformResource
    clock: ClockResource
    ids: IdsResource


@contextmanager
def stage_step(
    context: dg.AssetExecutionContext, resources: StepResources, tasks: pd.DataFrame, stage: Stage, rows: ReadRows
) -> Iterator[StageOutcome]:
    """Advance the tasks up to and with a stage.

    Raises:
        dg.Failure, dg.RetryRequested: as ``batch_step``.
    """
    task_ids = [str(task_id) for task_id in tasks["task_id"]]
    with batch_step(context, resources.clock) as batch, resources.store.open() as store:
        batch_context = BatchContext(
            store, resources.platform.open(), batch.clock, resources.ids.ids(), since=batch.since
        )
        outcome = advance(context, batch_context, task_ids, stage)
        with store.reading() as connection:
            frame = rows(connection, task_ids)
        yield StageOutcome(store, task_ids, outcome.counts, frame)


def stage_asset(
    stage: Stage, rows: ReadRows, *after: str
) -> Callable[[Callable[[StageOutcome], Mapping[str, Any]]], dg.AssetsDefinition]:
    """Make an asset of a function that says what is shown: its name and its docstring are the asset's."""

    def made(shown: Callable[[StageOutcome], Mapping[str, Any]]) -> dg.AssetsDefinition:
        def step(
            context: dg.AssetExecutionContext,
            supply_tasks: pd.DataFrame,
            supply_store: SupplyStoreResource,
            content_platform: ContentPlatformResource,
            clock: ClockResource,
            ids: IdsResource,
        ) -> dg.MaterializeResult[pd.DataFrame]:
            resources = StepResources(supply_store, content_platform, clock, ids)
            with stage_step(context, resources, supply_tasks, stage, rows) as done:
                return done.materialized(shown(done))

        name = shown.__name__
        step.__doc__ = shown.__doc__
        present = dg.asset(
            name=name, partitions_def=DEMAND_BATCHES, deps=after, pool=CONTENT_PLATFORM, **presentation(name)
        )
        return present(step)

    return made
