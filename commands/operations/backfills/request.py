"""What a backfill was asked for, and how it travels in the tags of its runs."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from resources.dagster_api.jobs import Job, Launch
from resources.foundation import strict_json
from resources.foundation.errors import UsageError
from resources.foundation.validation_faults import first_fault

BACKFILL, HALF, ASKED = "pattern2plan/backfill", "pattern2plan/half", "pattern2plan/asked"
Only = Literal["missing", "failed", "all"]
LONGEST_FILE = 100_000
LONGEST_CONFIG = 2_300
"""Bytes; a longer tag does not fit into the index that PostgreSQL keeps of the tags of runs."""
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,59}")


@dataclass(frozen=True)
class Half:
    """One half of the chain: its job, the partitions it runs over, and the asset that stands for its end."""

    name: str
    job: Job
    partitions: str
    asset: str


DEMAND = Half("demand", Job("demand", "demand_mysql_demand_content"), "execution_id", "demand_content")
SUPPLY = Half("supply", Job("supply", "supply_batch"), "demand_batch", "supply_results")
HALVES: Mapping[str, tuple[Half, ...]] = {"demand": (DEMAND,), "supply": (SUPPLY,), "both": (DEMAND, SUPPLY)}


class ChangedConfig(BaseModel):
    """Run config of each half's runs, as in the launchpad."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    demand: dict[str, Any] = Field(default_factory=dict)
    supply: dict[str, Any] = Field(default_factory=dict)


class Asked(BaseModel):
    """The parameters of a backfill; kept in each of its runs, so that its name is enough to go on with it."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    first: int
    last: int
    only: Only
    half: Literal["demand", "supply", "both"]
    config: ChangedConfig = Field(default_factory=ChangedConfig)

    @property
    def halves(self) -> tuple[Half, ...]:
        return HALVES[self.half]


@dataclass(frozen=True)
class Backfill:
    """A named backfill; ``cancelled_before``: halves and keys whose last run was cancelled when this one began."""

    name: str
    asked: Asked
    keys: Sequence[str] = field(default=())
    cancelled_before: frozenset[tuple[str, str]] = frozenset()

    def launch_of(self, half: Half, key: str) -> Launch:
        """The run of one partition.

        The rows of an execution get one label however often it is backfilled, so a repetition doubles none (D-064).
        """
        config = strict_json.loads(strict_json.dumps(getattr(self.asked.config, half.name)))
        if half is DEMAND:
            place = config.setdefault("resources", {}).setdefault("demand_request", {}).setdefault("config", {})
            place.setdefault("run_label", f"backfill_{key}")
        return Launch(key, config, self.tags_of(half))

    def tags_of(self, half: Half) -> dict[str, str]:
        """The tags that make a run one of this backfill."""
        return {BACKFILL: self.name, HALF: half.name, ASKED: strict_json.dumps(self.asked.model_dump(mode="json"))}


def check_name(name: str) -> str:
    """The name, if it may be one.

    Raises:
        UsageError: other characters than letters, digits, ``.``, ``_`` and ``-``, or longer than 60.
    """
    if not _NAME.fullmatch(name):
        raise UsageError(f"--name {name[:60]!r} cannot name a backfill", "use letters, digits, '.', '_' and '-'")
    return name


def read_changed_config(path: Path | None) -> ChangedConfig:
    """The run config of a file; empty where there is none.

    Raises:
        UsageError: no readable file, no strict JSON, or another field than ``demand`` and ``supply``.
    """
    if path is None:
        return ChangedConfig()
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        raise UsageError(f"--changed-config {path} cannot be read", "name a UTF-8 file") from None
    if len(text) > LONGEST_FILE:
        raise UsageError(f"--changed-config {path} is longer than {LONGEST_FILE} characters", "say less")
    try:
        changed = ChangedConfig.model_validate(strict_json.loads(text))
        size = len(strict_json.dumps(changed.model_dump(mode="json")).encode())
    except strict_json.JsonRefused as error:
        raise UsageError(f"--changed-config {path}: {error.message}", "give JSON") from None
    except ValidationError as error:
        where, fault = first_fault(error, "the file")
        raise UsageError(f"--changed-config {path}: {where}: {fault}", '{"demand": {…}, "supply": {…}}') from None
    if size > LONGEST_CONFIG:
        raise UsageError(
            f"--changed-config {path} holds {size} bytes of JSON; {LONGEST_CONFIG} fit into a tag", "say less"
        )
    return changed
