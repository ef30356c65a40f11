"""The content platform as a Dagster resource: its tools, its plan service, and how a worker works there."""

from __future__ import annotations

from typing import Any

import dagster as dg
from pydantic import Field

from resources.settings.supply import SupplySettings, read_supply_settings
from supply_assets.tasks.surroundings import ContentPlatform, content_platform_of

OF_A_WORKER = ("lease_s", "task_concurrency", "stuck_after_s")


class ContentPlatformResource(dg.ConfigurableResource):  # type: ignore[type-arg]
    """The platform of ``SUPPLY_PLATFORM_URL`` or ``SUPPLY_PROVIDERS_FILE``; what is named here goes before them."""

    address: str | None = Field(
        default=None,
        description="Tools and plan service are asked here instead, without the token: that is for the platform of the "
        "environment alone.",
    )
    lease_s: float | None = Field(default=None, gt=0, le=3600, description="Seconds a worker may be silent.")
    task_concurrency: int | None = Field(default=None, ge=1, le=64, description="Tasks in work at once.")
    stuck_after_s: float | None = Field(default=None, gt=0, le=86_400, description="Seconds without a move.")

    def open(self) -> ContentPlatform:
        """How a worker opens the gateway and the plan service, which live as long as its batch.

        Raises:
            SettingsError: a variable is malformed.
        """
        return content_platform_of(self._settings())

    def standstill_s(self) -> float:
        """Seconds after which a task that does not move is stuck.

        Raises:
            SettingsError: a variable is malformed.
        """
        return self._settings().stuck_after_s

    def _settings(self) -> SupplySettings:
        named: dict[str, Any] = self.model_dump(include=set(OF_A_WORKER), exclude_none=True)
        if self.address is not None:
            elsewhere = {"platform_url": self.address, "plan_service_url": self.address}
            named |= elsewhere | {"platform_token": None, "providers_file": None}
        return read_supply_settings().model_copy(update=named)
