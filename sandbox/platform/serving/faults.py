"""What can be made to go wrong, and whether it goes wrong for a certain request.

Belongs here: the names of faults, the configuration, the decision. A decision follows from the seed, the rule and
the request (its n-th repetition), never from the order in which requests arrive: runs repeat under concurrency.
Does not belong here: carrying faults out (``faulty``, dialects).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from resources.foundation import strict_json
from resources.foundation.errors import UsageError, one_line
from resources.foundation.validation_faults import first_fault
from sandbox.platform.corpus.articles import digest_of


class Target(StrEnum):
    """What a request asks for, whichever dialect it speaks."""

    SEARCH = "weixin_search"
    ACCOUNT = "fetch_weixin_account"
    ARTICLE_LIST = "fetch_account_article_list"
    ARTICLE_DETAIL = "fetch_article_detail"
    PLAN_CREATE = "plan_create"
    PLAN_FIND = "plan_find"
    PLAN_BIND = "plan_bind"


class FaultName(StrEnum):
    """Every switch there is."""

    LATENCY = "latency"
    HANG = "hang"
    RATE_LIMIT = "rate_limit"
    SERVER_ERROR = "server_error"
    BROKEN_JSON = "broken_json"
    ERROR_CODE = "error_code"
    FREQ_CONTROL = "freq_control"
    VERIFY_PAGE = "verify_page"
    DELETED_ARTICLE = "deleted_article"
    DROP_BEFORE = "drop_before"
    DROP_AFTER = "drop_after"
    SLOW_AFTER = "slow_after"
    DUPLICATES = "duplicates"
    SHIFTING_PAGES = "shifting_pages"
    ENDLESS_PAGES = "endless_pages"
    MISSING_COUNTS = "missing_counts"
    IGNORE_OPERATION_ID = "ignore_operation_id"


EVERYWHERE = "*"
_KNOWN_FAULTS = f"faults are {', '.join(FaultName)}"
_TOOLS = frozenset({Target.SEARCH, Target.ACCOUNT, Target.ARTICLE_LIST, Target.ARTICLE_DETAIL})
_OF_LISTINGS = (
    FaultName.DUPLICATES,
    FaultName.SHIFTING_PAGES,
    FaultName.ENDLESS_PAGES,
    FaultName.MISSING_COUNTS,
)
_TARGETS: dict[FaultName, frozenset[Target]] = {
    FaultName.VERIFY_PAGE: _TOOLS,
    FaultName.DELETED_ARTICLE: frozenset({Target.ARTICLE_DETAIL}),
    **dict.fromkeys(_OF_LISTINGS, frozenset({Target.SEARCH, Target.ARTICLE_LIST})),
    FaultName.IGNORE_OPERATION_ID: frozenset({Target.PLAN_CREATE}),
}
"""Where a fault can occur; the others occur everywhere."""
_BY_LISTING = frozenset({FaultName.SHIFTING_PAGES, FaultName.ENDLESS_PAGES})
"""Decided once for all pages of a listing: a page alone neither shifts nor is endless."""
ALTERATIONS = frozenset({*_OF_LISTINGS, FaultName.IGNORE_OPERATION_ID})
"""These change the work itself and occur together; of the rest, latency apart, one request meets one."""
_DEFAULTS = {
    FaultName.LATENCY: 50.0,
    FaultName.HANG: 30.0,
    FaultName.SLOW_AFTER: 30.0,
    FaultName.RATE_LIMIT: 1.0,
    FaultName.SERVER_ERROR: 503.0,
    FaultName.ERROR_CODE: 103.0,
    FaultName.SHIFTING_PAGES: 2.0,
}
_WAITS = {FaultName.LATENCY: 600_000, FaultName.HANG: 600, FaultName.SLOW_AFTER: 600}


class FaultsInvalid(UsageError):
    """A fault configuration cannot be read; the message names the field."""


class FaultRule(BaseModel):
    """``fault`` strikes a share ``rate`` of the requests for ``target``; ``value`` is the fault's own measure.

    ``latency`` takes milliseconds; ``hang``, ``slow_after`` seconds; ``rate_limit`` the ``Retry-After`` seconds;
    ``server_error`` the HTTP status; ``error_code`` the code in the body; ``shifting_pages`` items a page.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    target: Target | str = EVERYWHERE
    fault: FaultName
    rate: Annotated[float, Field(ge=0, le=1)] = 1.0
    value: Annotated[float, Field(allow_inf_nan=False)] | None = None

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if self.target != EVERYWHERE and self.target not in list(Target):
            raise ValueError(f"target {self.target!r} is none of {EVERYWHERE}, {', '.join(Target)}")
        if not self.targets():
            raise ValueError(f"{self.fault.value} cannot occur at {self.target}")
        if self.fault is FaultName.SERVER_ERROR and not 500 <= self.measure() <= 599:
            raise ValueError("server_error takes a status of 500 … 599")
        if not 0 <= abs(self.measure()) <= _WAITS.get(self.fault, 10**6):
            raise ValueError(f"value {self.value} is too large for {self.fault.value}")
        if self.fault in _WAITS and self.measure() < 0:
            raise ValueError(f"{self.fault.value} cannot wait a negative time")
        return self

    def targets(self) -> frozenset[Target]:
        """Where this rule strikes."""
        able = _TARGETS.get(self.fault, frozenset(Target))
        return able if self.target == EVERYWHERE else able & {Target(self.target)}

    def measure(self) -> float:
        """The value, or the fault's own default."""
        return self.value if self.value is not None else _DEFAULTS.get(self.fault, 0.0)


class FaultConfig(BaseModel):
    """Rules and the seed of their decisions."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    seed: int = 0
    rules: tuple[FaultRule, ...] = ()


@dataclass(frozen=True)
class Injected:
    """What strikes one request: a wait in seconds, at most one failure, and alterations with their values."""

    wait_s: float = 0.0
    failure: FaultRule | None = None
    alterations: dict[FaultName, float] = field(default_factory=dict)


@dataclass
class FaultDecider:
    """Decides by configuration; counts what struck, by target and fault."""

    config: FaultConfig = field(default_factory=FaultConfig)
    struck: Counter[tuple[Target, FaultName]] = field(default_factory=Counter)
    _seen: Counter[str] = field(default_factory=Counter)

    def configure(self, config: FaultConfig) -> None:
        """Take other rules; repetitions are counted from the beginning."""
        self.config = config
        self._seen.clear()

    def reset(self) -> None:
        """Forget what struck and what was asked; the rules stay."""
        self.struck.clear()
        self._seen.clear()

    def decide(self, target: Target, listing: str, request: str, asked: FaultRule | None = None) -> Injected:
        """What strikes a request.

        Args:
            target: what is asked for.
            listing: what all pages of one listing share.
            request: what tells this request from others, apart from repetitions.
            asked: a fault that the request itself asks for; it strikes for certain, and first.
        """
        identity = f"{target}|{listing}|{request}"
        self._seen[identity] += 1
        turn = f"{identity}|{self._seen[identity]}"
        striking = [
            rule
            for number, rule in enumerate(self.config.rules)
            if target in rule.targets()
            and self._chance(number, f"{target}|{listing}" if rule.fault in _BY_LISTING else turn) < rule.rate
        ]
        if asked is not None:
            striking = [asked, *(rule for rule in striking if rule.fault is FaultName.LATENCY)]
        injected = self._combined(striking, turn)
        names = [*injected.alterations, *([injected.failure.fault] if injected.failure else [])]
        names.extend([FaultName.LATENCY] if injected.wait_s else [])
        self.struck.update((target, name) for name in names)
        return injected

    def _combined(self, striking: list[FaultRule], turn: str) -> Injected:
        waits = [rule.measure() / 1_000 for rule in striking if rule.fault is FaultName.LATENCY]
        altering = {rule.fault: rule.measure() for rule in striking if rule.fault in ALTERATIONS}
        failures = [rule for rule in striking if rule.fault not in ALTERATIONS and rule.fault is not FaultName.LATENCY]
        failure = failures[int(self._chance(-1, turn) * len(failures))] if failures else None
        return Injected(sum(waits), failure, altering)

    def _chance(self, number: int, about: str) -> float:
        """A number in [0, 1) that follows from seed, rule and request alone."""
        return int(digest_of(f"{self.config.seed}|{number}|{about}", 13), 16) / 16**13


def read_faults(path: Path) -> FaultConfig:
    """The configuration of a JSON file.

    Raises:
        FaultsInvalid: it could not be read, is not JSON, or a field is not as :class:`FaultConfig` takes it.
    """
    try:
        return parse_faults(path.read_bytes())
    except OSError as error:
        raise FaultsInvalid(f"{path} could not be read: {one_line(error)}") from error


def parse_faults(text: bytes) -> FaultConfig:
    """The configuration of JSON text.

    Raises:
        FaultsInvalid: see :func:`read_faults`.
    """
    try:
        return FaultConfig.model_validate(strict_json.loads(text))
    except strict_json.JsonRefused as error:
        raise FaultsInvalid(f"faults: {error.message}") from error
    except ValidationError as error:
        raise FaultsInvalid(f"faults: {wrong_field(error)}", _KNOWN_FAULTS) from error


def asked_fault(text: str, target: Target) -> FaultRule:
    """The rule of a query parameter ``NAME`` or ``NAME:value``.

    Raises:
        FaultsInvalid: there is no such fault at ``target``, or the value is no number that it takes.
    """
    name, _, value = text.partition(":")
    try:
        return FaultRule.model_validate({"target": target, "fault": name, "value": value or None})
    except ValidationError as error:
        raise FaultsInvalid(
            f"fault {text[:80]!r}: {wrong_field(error)}", f"faults are {', '.join(FaultName)}"
        ) from error


def wrong_field(error: ValidationError) -> str:
    """The first field that is wrong, and what is wrong with it."""
    place, fault = first_fault(error)
    message = fault.removeprefix("Value error, ")
    return f"{place}: {message}" if place else message
