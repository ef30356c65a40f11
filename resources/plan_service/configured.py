"""The plan service as the settings describe it."""

from __future__ import annotations

from resources.calls.configured import call_policy, service_address
from resources.calls.events import EventSink
from resources.calls.frame import CallTerms
from resources.foundation.clock import Clock, IdSource
from resources.plan_service.client import PlanService
from resources.settings.supply import SupplySettings

URL_VARIABLE = "SUPPLY_PLAN_SERVICE_URL"


def open_plan_service(settings: SupplySettings, events: EventSink, clock: Clock, ids: IdSource) -> PlanService:
    """A client to be entered with ``async with``; without an address of its own it is at the platform's.

    Raises:
        SettingsError: no address is set, or a token would travel in the clear.
    """
    base_url = service_address(settings, settings.plan_service_url, URL_VARIABLE, "plan service")
    return PlanService(base_url, settings.platform_token, CallTerms(call_policy(settings), events, ids, clock))
