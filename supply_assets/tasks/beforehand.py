"""What a batch needs is looked at before anything of it is written; a refusal says what stands of it."""

from __future__ import annotations

from resources.calls.configured import service_address
from resources.databases.supply_store.engine import SupplyStore
from resources.databases.supply_store.states import TaskStatus
from resources.databases.supply_store.tasks.tasks import TaskRow
from resources.foundation.errors import SettingsError
from resources.plan_service.configured import URL_VARIABLE
from resources.settings.supply import SupplySettings
from resources.tool_gateway.configured import configured_providers
from supply_assets.intake.intake import existing_tasks

DONE = (TaskStatus.COMPLETED, TaskStatus.CANCELLED)


def require_platform(settings: SupplySettings) -> None:
    """Look whether the tools and the plan service could be opened.

    Raises:
        SettingsError: none is named, or what names it is wrong.
    """
    configured_providers(settings)
    service_address(settings, settings.plan_service_url, URL_VARIABLE, "plan service")


def done_without_platform(settings: SupplySettings, store: SupplyStore, batch: str, force: bool) -> list[TaskRow]:
    """The tasks of a batch that needs no platform any more, because all are done; none where there is a platform.

    Raises:
        SettingsError: there is work to do and no platform; says how many tasks stand.
    """
    try:
        require_platform(settings)
    except SettingsError as missing:
        tasks = existing_tasks(store, batch).tasks
        if tasks and not force and all(task.status in DONE for task in tasks):
            return tasks
        stands = "nothing was written"
        if tasks:
            stands += f"; {len(tasks)} tasks of an earlier run of batch {batch} stand: run it again to go on with them"
        raise SettingsError(missing.message, f"{missing.fix}; {stands}") from None
    return []
