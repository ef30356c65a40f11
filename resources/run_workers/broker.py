"""Where the queue of runs is; read when called."""

from __future__ import annotations

from pydantic import AliasChoices, Field, SecretStr, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

from resources.foundation.errors import SettingsError
from resources.foundation.secret_files import secrets_folder

BROKER = "PATTERN2PLAN_BROKER"


class BrokerSettings(BaseSettings):
    """Addresses with their passwords; results are kept beside the queue unless another place is named."""

    model_config = SettingsConfigDict(env_ignore_empty=True, extra="ignore", hide_input_in_errors=True)

    broker: SecretStr = Field(validation_alias=BROKER)
    result_backend: SecretStr = Field(validation_alias=AliasChoices("PATTERN2PLAN_RESULT_BACKEND", BROKER))


def read_broker_settings() -> BrokerSettings:
    """The environment as :class:`BrokerSettings`.

    Raises:
        SettingsError: no broker is named.
    """
    try:
        return BrokerSettings(_secrets_dir=secrets_folder())
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        raise SettingsError(f"environment variable {BROKER}: {first['msg']}", "redis://host:6379/0") from None
