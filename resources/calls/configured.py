"""What the settings say of any service that is called: how patiently, and where it is."""

from __future__ import annotations

from pydantic import AnyUrl

from resources.calls.addresses import checked_base_url
from resources.calls.policy import CallPolicy
from resources.foundation.errors import SettingsError
from resources.settings.supply import SupplySettings

PLATFORM_VARIABLE = "SUPPLY_PLATFORM_URL"
NO_PLATFORM_FIX = f"start `pattern2plan sandbox serve` or set {PLATFORM_VARIABLE}"


def call_policy(settings: SupplySettings) -> CallPolicy:
    """The call policy with what the settings say of it."""
    return CallPolicy(
        timeout_s=settings.tool_timeout_s,
        backoff_s=settings.backoff_s,
        retry_after_cap_s=settings.retry_after_cap_s,
        concurrency=settings.tool_concurrency,
    )


def service_address(settings: SupplySettings, url: AnyUrl | None, variable: str, service: str) -> str:
    """The base URL of a service that gets the platform's token.

    Raises:
        SettingsError: ``variable`` is not set, is no usable address, or a token would travel in the clear.
    """
    if url is None:
        raise SettingsError(f"{variable} is not set: there is no {service} to ask", NO_PLATFORM_FIX)
    return checked_base_url(str(url), variable, carries_token=settings.platform_token is not None)
