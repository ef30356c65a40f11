"""The webserver as the environment describes it."""

from __future__ import annotations

from pydantic import Field, HttpUrl, SecretStr, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

from resources.calls.addresses import checked_base_url
from resources.dagster_api.client import DagsterApi
from resources.dagster_api.errors import ADDRESS, TOKEN
from resources.foundation.errors import SettingsError
from resources.foundation.secret_files import secrets_folder


class DagsterSettings(BaseSettings):
    """Where the webserver is, and the token that a proxy before it may ask for."""

    model_config = SettingsConfigDict(env_ignore_empty=True, extra="ignore", hide_input_in_errors=True)

    url: HttpUrl = Field(default=HttpUrl("http://127.0.0.1:3000"), validation_alias=ADDRESS)
    token: SecretStr | None = Field(default=None, validation_alias=TOKEN)


def open_dagster_api() -> DagsterApi:
    """A client to be closed after use.

    Raises:
        SettingsError: the address is not one, or a token would travel in the clear.
    """
    try:
        settings = DagsterSettings(_secrets_dir=secrets_folder())
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        raise SettingsError(f"environment variable {first['loc'][0]}: {first['msg']}") from None
    base_url = checked_base_url(str(settings.url), ADDRESS, carries_token=settings.token is not None)
    return DagsterApi(base_url, settings.token)
