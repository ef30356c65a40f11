"""From settings, or from a file, to the facts database and the two stores."""

from __future__ import annotations

from resources.databases.demand_store.engine import DemandStore
from resources.databases.pattern_facts.engine import FactsDatabase
from resources.databases.supply_store.engine import SupplyStore
from resources.settings.demand import Settings
from resources.settings.supply import SupplySettings


def open_facts(settings: Settings) -> FactsDatabase:
    """The facts database of the settings.

    Raises:
        SettingsError: the DSN is not one.
        FactsUnreadable: the embedded file is not there.
    """
    return FactsDatabase(
        settings.facts_url(),
        statement_timeout_s=settings.statement_timeout_s,
        connect_timeout_s=settings.connect_timeout_s,
    )


def open_store(settings: Settings) -> DemandStore:
    """The demand store of the settings.

    Raises:
        SettingsError: the DSN is not one.
    """
    return DemandStore(settings.store_url(), connect_timeout_s=settings.connect_timeout_s)


def open_supply_store(settings: SupplySettings) -> SupplyStore:
    """The supply store of the settings; its pool is given back by ``close``.

    Raises:
        SettingsError: the DSN is not one.
    """
    return SupplyStore(settings.store_url(), connect_timeout_s=settings.connect_timeout_s)
