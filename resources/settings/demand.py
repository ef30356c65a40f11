"""The pattern facts, the demand store, and what a run of the demand half takes from the environment (D-003)."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import AliasChoices, Field, SecretStr
from sqlalchemy.engine import URL

from resources.settings.database_urls import embedded_url, parse_dsn, store_url
from resources.settings.reading import Environment, read

FACTS_VARIABLES = ("DEMAND_PATTERN_PG_DSN", "PGVECTOR_DSN")
STORE_VARIABLE = "DEMAND_CONTENT_MYSQL_DSN"
PROPOSER_DIR_VARIABLE = "DEMAND_PROPOSER_DIR"
STORE_GROUPS = ("DEMAND_CONTENT_MYSQL", "CONTENT_SUPPLY_DB")
OutputMode = Literal["local_json", "mysql_demand_content"]


class Settings(Environment):
    """Every field has a default that needs no server."""

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
    proposer_dir: Path | None = Field(default=None, validation_alias=PROPOSER_DIR_VARIABLE)

    def proposer_folder(self) -> Path:
        """Where the files of ``--proposer file:PATH`` stand; ``proposals`` of the home when nothing is set."""
        return self.proposer_dir or self.home / "proposals"

    def embedded_facts_url(self) -> URL:
        """URL of the facts that need no server, whatever DSN is set."""
        return embedded_url(self.home / "facts.db")

    def facts_url(self) -> URL:
        """URL of the pattern facts; the embedded SQLite file when nothing is set."""
        if self.facts_dsn is None:
            return self.embedded_facts_url()
        return parse_dsn(self.facts_dsn.get_secret_value(), " or ".join(FACTS_VARIABLES))

    def store_url(self) -> URL:
        """URL of the demand store: DSN, else the first variable group that is set, else embedded SQLite."""
        return store_url(self.store_dsn, STORE_VARIABLE, STORE_GROUPS, self.home / "demand_store.db")


def read_settings() -> Settings:
    """The environment as :class:`Settings`.

    Raises:
        SettingsError: naming the variable and what it takes, never its value.
    """
    return read(Settings)
