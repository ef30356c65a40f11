"""Where the Dagster webserver is, and the token that a proxy before it may ask for."""

from __future__ import annotations

from pydantic import Field, HttpUrl, SecretStr

from resources.settings.reading import Environment, read

ADDRESS, TOKEN = "PATTERN2PLAN_DAGSTER_URL", "PATTERN2PLAN_DAGSTER_TOKEN"


class DagsterSettings(Environment):
    """A webserver on this machine, without a token, unless it is said."""

    url: HttpUrl = Field(default=HttpUrl("http://127.0.0.1:3000"), validation_alias=ADDRESS)
    token: SecretStr | None = Field(default=None, validation_alias=TOKEN)


def read_dagster_settings() -> DagsterSettings:
    """The environment as :class:`DagsterSettings`.

    Raises:
        SettingsError: the address is not one.
    """
    return read(DagsterSettings)
