"""Environment variables of the supply half: its store, the platform's tools, the plan service."""

from __future__ import annotations

from pathlib import Path

from pydantic import AliasChoices, Field, HttpUrl, SecretStr
from sqlalchemy.engine import URL

from resources.settings.database_urls import store_url
from resources.settings.reading import Environment, read

SUPPLY_STORE_VARIABLE = "SUPPLY_STORE_MYSQL_DSN"
REQUEST_DIR_VARIABLE = "SUPPLY_REQUEST_DIR"
SUPPLY_STORE_GROUPS = ("SUPPLY_STORE_MYSQL", "CONTENT_SUPPLY_DB")


class SupplySettings(Environment):
    """Every field has a default; times in seconds."""

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
    lease_s: float = Field(default=30, gt=0, le=3600, validation_alias="SUPPLY_LEASE_S")
    request_dir: Path | None = Field(default=None, validation_alias=REQUEST_DIR_VARIABLE)

    def request_folder(self) -> Path:
        """Where the request files of launches stand; ``requests`` of the home when nothing is set."""
        return self.request_dir or self.home / "requests"

    def store_url(self) -> URL:
        """URL of the supply store: DSN, else the first variable group that is set, else embedded SQLite."""
        return store_url(self.store_dsn, SUPPLY_STORE_VARIABLE, SUPPLY_STORE_GROUPS, self.home / "supply_store.db")


def read_supply_settings() -> SupplySettings:
    """The environment as :class:`SupplySettings`.

    Raises:
        SettingsError: naming the variable and what it takes, never its value.
    """
    return read(SupplySettings)
