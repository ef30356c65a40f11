"""The gateway as the settings describe it: the house order at one address, or a providers file (S-013a)."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError, model_validator

from resources.calls.addresses import checked_base_url
from resources.calls.configured import PLATFORM_VARIABLE, call_policy, service_address
from resources.calls.events import EventSink
from resources.calls.frame import CallTerms
from resources.calls.outcomes.answers import Tool
from resources.calls.policy import Limits
from resources.calls.provider import Dialect, Provider, named_field
from resources.foundation import strict_json
from resources.foundation.clock import Clock, IdSource
from resources.foundation.errors import SettingsError
from resources.foundation.secret_files import FOLDER as SECRETS_FOLDER
from resources.foundation.secret_files import variable as read_variable
from resources.settings.supply import SupplySettings
from resources.tool_gateway.gateway import Providers, ToolGateway
from resources.tool_gateway.providers import article_page, house, mp, sogou, whosecard

FILE_VARIABLE = "SUPPLY_PROVIDERS_FILE"

DIALECTS: dict[Tool, dict[str, Dialect[Any, Any]]] = {
    Tool.SEARCH: {one.name: one for one in (house.SEARCH, whosecard.SEARCH, sogou.SEARCH)},
    Tool.ACCOUNT: {one.name: one for one in (house.ACCOUNT, mp.ACCOUNT)},
    Tool.ARTICLE_LIST: {one.name: one for one in (house.ARTICLE_LIST, mp.ARTICLE_LIST)},
    Tool.ARTICLE_DETAIL: {one.name: one for one in (house.ARTICLE_DETAIL, article_page.ARTICLE_DETAIL)},
}
DEFAULT_ORDER: dict[Tool, tuple[Dialect[Any, Any], ...]] = {
    Tool.SEARCH: (house.SEARCH, whosecard.SEARCH),
    Tool.ACCOUNT: (house.ACCOUNT, mp.ACCOUNT),
    Tool.ARTICLE_LIST: (house.ARTICLE_LIST, mp.ARTICLE_LIST),
    Tool.ARTICLE_DETAIL: (house.ARTICLE_DETAIL, article_page.ARTICLE_DETAIL),
}


class ProviderEntry(BaseModel):
    """One provider of a providers file; ``token_env`` names the variable, or the secret file, that holds its token."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    dialect: Literal["house", "mp", "whosecard", "sogou", "article_page"]
    base_url: Annotated[str, Field(min_length=1)]
    name: Annotated[str, Field(min_length=1, max_length=40)] | None = None
    token_env: Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")] | None = None
    per_second: Annotated[float, Field(gt=0)] | None = None
    per_day: Annotated[int, Field(ge=0)] | None = None
    money: Annotated[float, Field(ge=0)] | None = None
    price: Annotated[float, Field(ge=0)] = 1.0


class ProvidersFile(BaseModel):
    """Per tool its providers in the order in which they are asked; a tool that is not named has none."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    weixin_search: tuple[ProviderEntry, ...] = ()
    fetch_weixin_account: tuple[ProviderEntry, ...] = ()
    fetch_account_article_list: tuple[ProviderEntry, ...] = ()
    fetch_article_detail: tuple[ProviderEntry, ...] = ()

    @model_validator(mode="after")
    def _speaks_the_tool(self) -> ProvidersFile:
        for tool in Tool:
            names = []
            for number, entry in enumerate(self.entries(tool)):
                if entry.dialect not in DIALECTS[tool]:
                    raise ValueError(f"{tool}.{number}.dialect: {entry.dialect} does not speak this tool")
                names.append(entry.name or entry.dialect)
            if len(set(names)) != len(names):
                raise ValueError(f"{tool}: two providers of one name; give each a name of its own")
        return self

    def entries(self, tool: Tool) -> tuple[ProviderEntry, ...]:
        """The entries of one tool."""
        entries: tuple[ProviderEntry, ...] = getattr(self, tool.value)
        return entries


def open_gateway(settings: SupplySettings, events: EventSink, clock: Clock, ids: IdSource) -> ToolGateway:
    """A gateway to be entered with ``async with``.

    Raises:
        SettingsError: neither an address nor a providers file is set, or the file is unreadable or wrong, by field.
    """
    return ToolGateway(configured_providers(settings), CallTerms(call_policy(settings), events, ids, clock))


def configured_providers(settings: SupplySettings) -> Providers:
    """The providers of each tool, in order; a providers file goes before the one address.

    Raises:
        SettingsError: as :func:`open_gateway`.
    """
    if settings.providers_file is not None:
        return _from_file(settings.providers_file)
    base_url = service_address(settings, settings.platform_url, PLATFORM_VARIABLE, "platform")
    return {
        tool: [Provider(dialect, base_url, token=settings.platform_token) for dialect in order]
        for tool, order in DEFAULT_ORDER.items()
    }


def _from_file(path: Path) -> Providers:
    try:
        text = path.read_bytes()
        content = ProvidersFile.model_validate(strict_json.loads(text))
    except OSError as error:
        raise SettingsError(f"{FILE_VARIABLE}: cannot be read ({error.strerror})", "name a JSON file") from None
    except strict_json.JsonRefused as error:
        raise SettingsError(f"{FILE_VARIABLE}: {error.message}", "write it as strict JSON") from None
    except ValidationError as error:
        raise SettingsError(f"{FILE_VARIABLE}: {named_field(error)}") from None
    return {
        tool: [_provider(tool, entry, f"{tool}.{number}") for number, entry in enumerate(content.entries(tool))]
        for tool in Tool
    }


def _provider(tool: Tool, entry: ProviderEntry, place: str) -> Provider[Any, Any]:
    token = _token(entry.token_env, place)
    name = f"{FILE_VARIABLE}: {place}.base_url"
    return Provider(
        DIALECTS[tool][entry.dialect],
        checked_base_url(entry.base_url, name, carries_token=token is not None),
        name=entry.name or "",
        token=token,
        limits=Limits(entry.per_second, entry.per_day, entry.money, entry.price),
    )


def _token(variable: str | None, place: str) -> SecretStr | None:
    if variable is None:
        return None
    value = read_variable(variable)
    if not value:
        fix = f"set {variable}, or mount it as a file of {SECRETS_FOLDER}"
        raise SettingsError(f"{FILE_VARIABLE}: {place}.token_env names {variable}, which is not set", fix)
    return SecretStr(value)
