"""Environment variables of the supply half: its store, the platform's tools, the plan service; read when called."""

from __future__ import annotations

import os
from pathlib import Path

from pydantic import AliasChoices, Field, HttpUrl, SecretStr, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict
from sqlalchemy.engine import URL

from resources.foundation.errors import SettingsError
from resources.foundation.secret_files import secrets_folder
from resources.settings.demand import mysql_from_group, parse_dsn

SUPPLY_STORE_VARIABLE = "SUPPLY_STORE_MYSQL_DSN"
SUPPLY_STORE_GROUPS = ("SUPPLY_STORE_MYSQL", "CONTENT_SUPPLY_DB")


class SupplySettings(BaseSettings):
    """Typed view of the environment; times in seconds."""

    model_config = SettingsConfigDict(env_ignore_empty=True, extra="ignore", hide_input_in_errors=True)

    home: Path = Field(default=Path(".pattern2plan"), validation_alias="PATTERN2PLAN_HOME")
    store_dsn: SecretStr | None = Field(default=None, validation_alias=SUPPLY_STORE_VARIABLE)
    connect_timeout_s: int = Field(default=5, ge=1, le=120, validation_alias="SUPPLY_CONNECT_TIMEOUT_S")
    platform_url: HttpUrl | None = Field(default=None, validation_alias="SUPPLY_PLATFORM_URL")
    plan_service_url: HttpUrl | None = Field(
        default=None, validation_alias=AliasChoices("SUPPLY_PLAN_SERVICE_URL", "SUPPLY_PLATFORM_URL")
    )
    platform_token: SecretStr | None = Field(default=None, validation_alias="SUPPLY_PLATFORM_TOKEN")
    providers_file: Path | None = Field(default=None, validation_alias="SUPPLY_PROVIDERS_FILE")
    tool_timeout_s: float = Field(default=10, gt=0, le=300, validation_alias="SUPPLY_TOOL_TIMEOUT_S")
    tool_concurrency: int = Field(default=8, ge=1, le=64, validation_alias="SUPPLY_TOOL_CONCURRENCY")
    retry_after_cap_s: float = Field(default=30, gt=0, le=600, validation_alias="SUPPLY_RETRY_AFTER_CAP_S")
    backoff_s: float = Field(default=2, ge=0, le=60, validation_alias="SUPPLY_BACKOFF_S")
    task_concurrency: int = Field(default=8, ge=1, le=64, validation_alias="SUPPLY_TASK_CONCURRENCY")
    stuck_after_s: float = Field(default=600, gt=0, le=86_400, validation_alias="SUPPLY_STUCK_AFTER_S")
    lease_s: float = Field(default=120, gt=0, le=3600, validation_alias="SUPPLY_LEASE_S")

    def store_url(self) -> URL:
        """URL of the supply store: DSN, else the first variable group that is set, else embedded SQLite."""
        if self.store_dsn is not None:
            return parse_dsn(self.store_dsn.get_secret_value(), SUPPLY_STORE_VARIABLE)
        for prefix in SUPPLY_STORE_GROUPS:
            if os.environ.get(f"{prefix}_HOST"):
                return mysql_from_group(prefix)
        return URL.create("sqlite", database=str(self.home / "supply_store.db"))


def read_supply_settings() -> SupplySettings:
    """The environment as :class:`SupplySettings`.

    Raises:
        SettingsError: naming the variable and what it takes, never its value.
    """
    try:
        return SupplySettings(_secrets_dir=secrets_folder())
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        raise SettingsError(f"environment variable {first['loc'][0]}: {first['msg']}") from None
