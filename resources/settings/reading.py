"""The one way to read settings: from the environment and the folder of secret files, when asked, never at import.

Secrets are ``SecretStr`` or hidden URLs: printing settings prints none of them (D-003).
"""

from __future__ import annotations

from typing import TypeVar

from pydantic import ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

from resources.foundation.errors import SettingsError
from resources.foundation.secret_files import secrets_folder


class Environment(BaseSettings):
    """A typed view of some variables; one that is set to nothing counts as not set."""

    model_config = SettingsConfigDict(env_ignore_empty=True, extra="ignore", hide_input_in_errors=True)


Read = TypeVar("Read", bound=Environment)


def read(model: type[Read], fix: str = "") -> Read:
    """What the environment says of a subject.

    Raises:
        SettingsError: naming the first variable that is wrong and what it takes, never its value.
    """
    try:
        return model(_secrets_dir=secrets_folder())
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        raise SettingsError(f"environment variable {first['loc'][0]}: {first['msg']}", fix) from None
