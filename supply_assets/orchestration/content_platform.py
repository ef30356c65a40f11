"""The content platform as a Dagster resource: its tools, its plan service, and how a worker works there."""

from __future__ import annotations

from typing import Any

import dagster as dg
from pydantic import Field

from resources.settings.supply import SupplySettings, read_supply_settings
from supply_assets.tasks.batch_context import ContentPlatform, content_platform_of
from supply_assets.tasks.beforehand import require_platform

OF_A_WORKER = ("lease_s", "task_concurrency", "stuck_after_s")


class ContentPlatformResource(dg.ConfigurableResource):  # type: ignore[type-arg]
    """The platform of ``SUPPLY_PLATFORM_URL`` or ``SUPPLY_PROVIDERS_FILE``; a launch may say how a worker works."""

    lease_s: float | None = Field(default=None, gt=0, le=3600, description="Seconds a worker may be silent.")
    task_concurrency: int | None = Field(default=None, ge=1, le=64, description="Tasks in work at once.")
    stuck_after_s: float | None = Field(default=None, gt=0, le=86_400, description="Seconds without a move.")

    def open(self) -> ContentPlatform:
        """How a worker opens the gateway and the plan service, which live as long as its batch.

        Raises:
            SettingsError: a variable is malformed.
        """
        return content_platform_of(self._settings())

    def require(self) -> None:
        """Look whether it could be opened, before anything is written for it.

        Raises:
            SettingsError: no platform is named, or what names it is wrong.
        """
        require_platform(self._settings())

    def standstill_s(self) -> float:
        """Seconds after which a task that does not move is stuck.

        Raises:
            SettingsError: a variable is malformed.
        """
        return self._settings().stuck_after_s

    def _settings(self) -> SupplySettings:
        named: dict[str, Any] = self.model_dump(include=set(OF_A_WORKER), exclude_none=True)
        return read_supply_settings().model_copy(update=named)
