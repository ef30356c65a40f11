"""The webserver as the environment describes it."""

from __future__ import annotations

from resources.calls.addresses import checked_base_url
from resources.dagster_api.client import DagsterApi
from resources.settings.dagster_api import ADDRESS, read_dagster_settings


def open_dagster_api() -> DagsterApi:
    """A client to be closed after use.

    Raises:
        SettingsError: the address is not one, or a token would travel in the clear.
    """
    settings = read_dagster_settings()
    base_url = checked_base_url(str(settings.url), ADDRESS, carries_token=settings.token is not None)
    return DagsterApi(base_url, settings.token)
