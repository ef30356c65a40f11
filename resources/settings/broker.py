"""Where the queue of runs is."""

from __future__ import annotations

from pydantic import AliasChoices, Field, SecretStr

from resources.settings.reading import Environment, read

BROKER = "PATTERN2PLAN_BROKER"


class BrokerSettings(Environment):
    """Addresses with their passwords; results are kept beside the queue unless another place is named."""

    broker: SecretStr = Field(validation_alias=BROKER)
    result_backend: SecretStr = Field(validation_alias=AliasChoices("PATTERN2PLAN_RESULT_BACKEND", BROKER))


def read_broker_settings() -> BrokerSettings:
    """The environment as :class:`BrokerSettings`.

    Raises:
        SettingsError: no broker is named.
    """
    return read(BrokerSettings, "redis://host:6379/0")
