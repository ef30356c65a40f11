"""Every environment variable the product reads, in one place; read when called, never at import (D-003).

Secrets are ``SecretStr`` or hidden URLs: printing the settings prints none of them.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Literal

from psycopg import ProgrammingError
from psycopg.conninfo import conninfo_to_dict
from pydantic import AliasChoices, BaseModel, Field, SecretStr, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError

from resources.foundation.errors import SettingsError
from resources.foundation.secret_files import secrets_folder, variable

FACTS_VARIABLES = ("DEMAND_PATTERN_PG_DSN", "PGVECTOR_DSN")
STORE_VARIABLE = "DEMAND_CONTENT_MYSQL_DSN"
STORE_GROUPS = ("DEMAND_CONTENT_MYSQL", "CONTENT_SUPPLY_DB")
OPENROUTER_BASE_URL = "https://openrouter.ai/api/v1"
OutputMode = Literal["local_json", "mysql_demand_content"]
LOG_LEVEL_VARIABLE = "PATTERN2PLAN_LOG_LEVEL"
LOG_LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR")


class Settings(BaseSettings):
    """Typed view of the environment; every field has a default that needs no server."""

    model_config = SettingsConfigDict(env_ignore_empty=True, extra="ignore", hide_input_in_errors=True)

    home: Path = Field(default=Path(".pattern2plan"), validation_alias="PATTERN2PLAN_HOME")
    facts_dsn: SecretStr | None = Field(default=None, validation_alias=AliasChoices(*FACTS_VARIABLES))
    store_dsn: SecretStr | None = Field(default=None, validation_alias=STORE_VARIABLE)
    statement_timeout_s: float = Field(
        default=120, gt=0, le=3600, validation_alias="DEMAND_PATTERN_STATEMENT_TIMEOUT_S"
    )
    connect_timeout_s: int = Field(default=5, ge=1, le=120, validation_alias="DEMAND_CONNECT_TIMEOUT_S")
    output_mode: OutputMode | None = Field(default=None, validation_alias="DEMAND_OUTPUT_MODE")
    itemset_detail_max_ids: int = Field(default=12, ge=1, le=200, validation_alias="DEMAND_ITEMSET_DETAIL_MAX_IDS")
    itemset_detail_max_post_ids: int = Field(
        default=20, ge=1, le=1000, validation_alias="DEMAND_ITEMSET_DETAIL_MAX_POST_IDS"
    )

    def facts_url(self) -> URL:
        """URL of the pattern facts; the embedded SQLite file when nothing is set."""
        if self.facts_dsn is None:
            return URL.create("sqlite", database=str(self.home / "facts.db"))
        return parse_dsn(self.facts_dsn.get_secret_value(), " or ".join(FACTS_VARIABLES))

    def store_url(self) -> URL:
        """URL of the demand store: DSN, else the first variable group that is set, else embedded SQLite."""
        if self.store_dsn is not None:
            return parse_dsn(self.store_dsn.get_secret_value(), STORE_VARIABLE)
        for prefix in STORE_GROUPS:
            if os.environ.get(f"{prefix}_HOST"):
                return mysql_from_group(prefix)
        return URL.create("sqlite", database=str(self.home / "demand_store.db"))


class ModelSettings(BaseModel):
    """One OpenAI-compatible endpoint: name of the model, where it answers, its key, and who named it."""

    name: str
    base_url: str
    api_key: SecretStr
    source: str


def read_settings() -> Settings:
    """The environment as :class:`Settings`.

    Raises:
        SettingsError: naming the variable and what it takes, never its value.
    """
    try:
        return Settings(_secrets_dir=secrets_folder())
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        raise SettingsError(f"environment variable {first['loc'][0]}: {first['msg']}") from None


def read_model_settings() -> ModelSettings:
    """``DEMAND_LLM_*``, else ``ARK_*``, else ``OPENROUTER_*`` (D-003).

    Raises:
        SettingsError: no model is named, or its address or key is missing.
    """
    for prefix, default_url in (("DEMAND_LLM", ""), ("ARK", ""), ("OPENROUTER", OPENROUTER_BASE_URL)):
        name = os.environ.get(f"{prefix}_MODEL")
        if not name:
            continue
        base_url = os.environ.get(f"{prefix}_BASE_URL") or default_url
        key = variable(f"{prefix}_API_KEY")
        missing = [f"{prefix}_{part}" for part, value in (("BASE_URL", base_url), ("API_KEY", key)) if not value]
        if missing or not key:
            raise SettingsError(f"{prefix}_MODEL is set but {' and '.join(missing)} is not", "set it")
        return ModelSettings(name=name, base_url=base_url, api_key=SecretStr(key), source=f"{prefix}_MODEL")
    raise SettingsError(
        "the agent proposer needs a model and none is named",
        "set DEMAND_LLM_MODEL, DEMAND_LLM_BASE_URL and DEMAND_LLM_API_KEY, or use --proposer rules",
    )


def read_log_level() -> str:
    """From which level on log lines are written; INFO where nothing is set.

    Raises:
        SettingsError: it is none of the levels.
    """
    level = (os.environ.get(LOG_LEVEL_VARIABLE) or "INFO").strip().upper()
    if level not in LOG_LEVELS:
        raise SettingsError(
            f"environment variable {LOG_LEVEL_VARIABLE} is not a level", f"one of {', '.join(LOG_LEVELS)}"
        )
    return level


def parse_dsn(dsn: str, name: str) -> URL:
    """SQLAlchemy URL of a DSN: any URL form, or libpq's ``key=value`` form for PostgreSQL.

    Raises:
        SettingsError: the text is not a DSN; its value is never repeated.
    """
    if "://" not in dsn:
        return _postgres_from_conninfo(dsn, name)
    try:
        url = make_url(dsn)
    except (ArgumentError, ValueError):
        raise SettingsError(f"{name} is not a database URL", "use driver://user@host:port/database") from None
    drivers = {"postgres": "postgresql+psycopg", "postgresql": "postgresql+psycopg", "mysql": "mysql+pymysql"}
    drivers["mariadb"] = "mysql+pymysql"
    if "+" not in url.drivername:
        url = url.set(drivername=drivers.get(url.drivername, url.drivername))
    if url.get_backend_name() in ("mysql", "mariadb"):
        url = url.update_query_dict({"charset": "utf8mb4"})
    return url


def _postgres_from_conninfo(dsn: str, name: str) -> URL:
    try:
        parts = conninfo_to_dict(dsn)
    except ProgrammingError:
        raise SettingsError(f"{name} is not a database URL", "use driver://user@host:port/database") from None
    known = {key: parts.pop(key, None) for key in ("host", "port", "user", "password", "dbname")}
    text = {key: str(value) for key, value in known.items() if value is not None}
    port = text.get("port")
    if port is not None and not (port.isascii() and port.isdigit()):
        raise SettingsError(f"the port in {name} is not a number", "use port=5432")
    return URL.create(
        "postgresql+psycopg",
        username=text.get("user"),
        password=text.get("password"),
        host=text.get("host"),
        port=int(port) if port else None,
        database=text.get("dbname"),
        query={key: str(value) for key, value in parts.items() if value is not None},
    )


def mysql_from_group(prefix: str) -> URL:
    """URL of the variables ``PREFIX_{HOST,PORT,USER,PASSWORD,DATABASE}``.

    Raises:
        SettingsError: the port is no number or the database is not named.
    """
    port = os.environ.get(f"{prefix}_PORT") or "3306"
    if not (port.isascii() and port.isdigit()):
        raise SettingsError(f"environment variable {prefix}_PORT is not a number")
    database = os.environ.get(f"{prefix}_DATABASE")
    if not database:
        raise SettingsError(f"{prefix}_HOST is set but {prefix}_DATABASE is not", "set it")
    return URL.create(
        "mysql+pymysql",
        username=os.environ.get(f"{prefix}_USER"),
        password=variable(f"{prefix}_PASSWORD"),
        host=os.environ[f"{prefix}_HOST"],
        port=int(port),
        database=database,
        query={"charset": "utf8mb4"},
    )
