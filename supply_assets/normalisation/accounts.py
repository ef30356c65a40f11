"""Which account an article is of, under whatever name it is known: ``biz``, ``gh_`` id or display name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from resources.databases.supply_store.account_ids import fitting_account_id
from resources.tool_gateway.results.models import AccountRequest
from supply_assets.normalisation import texts

STANDS_IN = ("biz:", "name:", "id:")


class Attributed(Protocol):
    """Anything that names an account in the three columns of the source's tables."""

    @property
    def account_id(self) -> str | None: ...
    @property
    def account_name(self) -> str | None: ...
    @property
    def biz_info(self) -> str | None: ...


def account_key(row: Attributed) -> str | None:
    """One key an account: its ``biz`` where known, else its id, else its name; ``None`` where it has none."""
    if row.biz_info:
        return fitting_account_id("biz:", row.biz_info)
    if row.account_id:
        return f"id:{row.account_id}"
    name = texts.key(row.account_name)
    return fitting_account_id("name:", name) if name else None


def storable_id(account_id: str | None) -> str | None:
    """The platform's id of an account as it can be kept; one that no column holds is kept by its hash."""
    if not account_id:
        return None
    return account_id if fitting_account_id("", account_id) == account_id else fitting_account_id("id:", account_id)


def platform_id(account_id: str | None) -> str | None:
    """The platform's own id of an account; ``None`` where ours only stands in for it."""
    if account_id is None or account_id.startswith(STANDS_IN):
        return None
    return account_id


def account_name_of(row: Attributed) -> str:
    """How a plan by account names this account: the platform's id, else the display name, else ``biz``."""
    return platform_id(row.account_id) or row.account_name or row.biz_info or ""


def account_of_item(item: Mapping[str, Any]) -> str:
    """The same of an item that a plan holds."""
    return str(item.get("account_id") or item.get("account_name") or item.get("biz") or "")


def account_request(row: Attributed) -> AccountRequest:
    """What to ask the platform for."""
    return AccountRequest(account_id=platform_id(row.account_id), biz=row.biz_info, account_name=row.account_name)
