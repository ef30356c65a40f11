"""What a batch takes from outside: an opened store, the way to the platform, time, ids, bounds and weights.

Whoever runs a batch opens these and closes them; nothing that works on a task reads a setting.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractAsyncContextManager, closing, contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial

from resources.calls.events import EventSink
from resources.databases.connections import open_supply_store
from resources.databases.supply_store.engine import SupplyStore
from resources.foundation.clock import Clock, IdSource, RandomIds, SystemClock
from resources.plan_service.client import PlanService
from resources.plan_service.configured import open_plan_service
from resources.settings.supply import SupplySettings
from resources.tool_gateway.configured import open_gateway
from resources.tool_gateway.gateway import ToolGateway
from supply_assets.scoring.records import Weights
from supply_assets.stages.policy import SupplyPolicy

OpenGateway = Callable[[EventSink, Clock, IdSource], AbstractAsyncContextManager[ToolGateway]]
OpenPlanService = Callable[[EventSink, Clock, IdSource], AbstractAsyncContextManager[PlanService]]


@dataclass(frozen=True)
class ContentPlatform:
    """How a worker opens the platform's tools and its plan service, and how it works there; times in seconds."""

    open_gateway: OpenGateway
    open_plan_service: OpenPlanService
    lease_s: float
    task_concurrency: int


@dataclass(frozen=True)
class BatchContext:
    """What a batch takes from outside.

    ``since`` is when the Dagster run was created that the work is done for; ``None`` where it is done for none.
    """

    store: SupplyStore
    platform: ContentPlatform
    clock: Clock
    ids: IdSource
    policy: SupplyPolicy = field(default_factory=SupplyPolicy)
    weights: Weights = field(default_factory=Weights)
    since: datetime | None = None


def content_platform_of(settings: SupplySettings) -> ContentPlatform:
    """The platform of the settings; where none is named, opening it says so."""
    return ContentPlatform(
        open_gateway=partial(open_gateway, settings),
        open_plan_service=partial(open_plan_service, settings),
        lease_s=settings.lease_s,
        task_concurrency=settings.task_concurrency,
    )


@contextmanager
def open_batch_context(settings: SupplySettings) -> Iterator[BatchContext]:
    """Store and platform of the settings, the machine's clock and random ids; the store is closed with the block.

    Raises:
        SettingsError: the store's DSN is not one.
    """
    with closing(open_supply_store(settings)) as store:
        yield BatchContext(store, content_platform_of(settings), SystemClock(), RandomIds())
