"""The plan service as the settings describe it."""

from __future__ import annotations

from resources.calls.addresses import checked_base_url
from resources.calls.events import EventSink
from resources.foundation.clock import Clock, IdSource
from resources.foundation.errors import SettingsError
from resources.plan_service.client import PlanService
from resources.settings.supply import SupplySettings
from resources.tool_gateway.configured import NO_PLATFORM_FIX, call_policy

URL_VARIABLE = "SUPPLY_PLAN_SERVICE_URL"


def open_plan_service(settings: SupplySettings, events: EventSink, clock: Clock, ids: IdSource) -> PlanService:
    """A client to be entered with ``async with``; without an address of its own it is at the platform's.

    Raises:
        SettingsError: no address is set, or a token would travel in the clear.
    """
    if settings.plan_service_url is None:
        raise SettingsError(f"{URL_VARIABLE} is not set: there is no plan service to ask", NO_PLATFORM_FIX)
    token = settings.platform_token
    base_url = checked_base_url(str(settings.plan_service_url), URL_VARIABLE, carries_token=token is not None)
    return PlanService(base_url, token, call_policy(settings), events, ids, clock)
