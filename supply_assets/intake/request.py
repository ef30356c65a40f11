"""What is asked of the supply half: a request from outside, and the options of a run (S-001)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from resources.foundation import strict_json
from resources.foundation.errors import UsageError
from resources.foundation.ids import MAX_ID
from resources.foundation.launched_files import LaunchedFiles
from resources.foundation.validation_faults import first_fault
from resources.settings.supply import REQUEST_DIR_VARIABLE, SupplySettings
from supply_assets.normalisation import texts

DEFAULT_EXPECTED = 10
MAX_EXPECTED = 200
MAX_EXPANSION = 50
LONGEST_TEXT = 255
LONGEST_PLACE = 100
MAX_FILE_BYTES = 16 * 1024 * 1024
PLATFORM: Literal["weixin"] = "weixin"


def _searchable(query: str) -> str:
    if not texts.key(query):
        raise ValueError("Value should hold a letter or a digit to search for")
    return query


def is_storable(text: str) -> bool:
    """Whether a store can hold the text: a surrogate without its partner or a NUL stands nowhere."""
    return "\x00" not in text and not any("\ud800" <= character <= "\udfff" for character in text)


def _as_json(profile: dict[str, Any]) -> dict[str, Any]:
    try:
        strict_json.dumps(profile)
    except strict_json.JsonRefused as error:
        raise ValueError(error.message) from None
    return profile


# Pydantic's core refuses half a surrogate pair wherever it looks at a text.
Text = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=LONGEST_TEXT, pattern=r"^[^\x00]*$")
]
Query = Annotated[Text, AfterValidator(_searchable)]
Profile = Annotated[dict[str, Any], AfterValidator(_as_json)]
ExpectedCount = Annotated[int, Field(ge=1, le=MAX_EXPECTED)]


class QualityConstraints(BaseModel):
    """What an article must satisfy beside its scores."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    min_view_count: Annotated[int, Field(ge=0)] | None = None
    banned_words: Annotated[list[Text], Field(max_length=200)] = []
    blocked_accounts: Annotated[list[Text], Field(max_length=1000)] = []


class SupplyRequest(BaseModel):
    """A demand that does not come from ``demand_content``."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    demand_id: Annotated[int, Field(ge=1, le=MAX_ID)]
    query: Query
    expected_count: ExpectedCount = DEFAULT_EXPECTED
    platform: Literal["weixin"] = PLATFORM
    audience_profile: Profile | None = None
    quality_constraints: QualityConstraints | None = None
    query_expansion: Annotated[list[Text], Field(max_length=MAX_EXPANSION)] = []
    demand_code: Annotated[Text, Field(max_length=64)] | None = None


class SupplyOptions(BaseModel):
    """How the tasks of a run are to end, and whether to start anew; each field is an option of every entry."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    run_label: str | None = Field(default=None, description="Only demand_content rows of this label.")
    expected_count: int = Field(
        default=DEFAULT_EXPECTED, ge=1, le=MAX_EXPECTED, description="Articles wanted per demand."
    )
    plan_type: Literal["BY_CONTENT", "BY_ACCOUNT"] = Field(
        default="BY_CONTENT", description="BY_CONTENT or BY_ACCOUNT."
    )
    produce_plan_id: Annotated[Text, Field(max_length=128)] | None = Field(
        default=None, description="Bind each plan to this produce plan."
    )
    force: bool = Field(default=False, description="New snapshots and tasks, whatever stands.")


def read_request_file(path: Path) -> list[SupplyRequest]:
    """Requests of a JSON file: one object or a list of them.

    Raises:
        UsageError: the file cannot be read, or a request is refused; names its place and field.
    """
    try:
        text = path.read_bytes()
    except OSError as error:
        raise UsageError(f"request file {path}: {error.strerror}", "name a readable file") from None
    return requests_of(text, path)


def read_launched_requests(name: Path, settings: SupplySettings) -> list[SupplyRequest]:
    """As :func:`read_request_file`, of a file that a launch names: below ``SUPPLY_REQUEST_DIR``, at most 16 MiB.

    Raises:
        UsageError: it lies elsewhere or cannot be read, or a request is refused.
    """
    files = LaunchedFiles("request file", settings.request_folder(), REQUEST_DIR_VARIABLE, MAX_FILE_BYTES)
    with files.open(name) as file:
        return requests_of(file.read(), name)


def requests_of(text: bytes, path: Path) -> list[SupplyRequest]:
    """Requests of the content of a file.

    Raises:
        UsageError: it is no strict JSON, or a request is refused; names its place and field.
    """
    try:
        content = strict_json.loads(text)
    except strict_json.JsonRefused as error:
        raise UsageError(f"request file {path}: {error.message}", "write strict JSON") from None
    entries = content if isinstance(content, list) else [content]
    if not entries:
        raise UsageError(f"request file {path} holds no request", "write one request or a list of them")
    return parse_requests(entries)


def parse_requests(entries: Sequence[object]) -> list[SupplyRequest]:
    """Requests as models.

    Raises:
        UsageError: names the place and the field of the first one that is refused.
    """
    requests = [_parse(place, entry) for place, entry in enumerate(entries, start=1)]
    counts = Counter(request.demand_id for request in requests)
    twice = [demand_id for demand_id, count in counts.items() if count > 1]
    if twice:
        raise UsageError(f"demand_id {twice[0]} is asked for twice", "one request a demand")
    return requests


def _parse(place: int, entry: object) -> SupplyRequest:
    try:
        return SupplyRequest.model_validate(entry)
    except ValidationError as error:
        raise UsageError(f"request {place}: {refused_field(error)}", "see the fields in docs/how-to.md") from None


def refused_field(error: ValidationError) -> str:
    """The first field that is refused, and what it takes, in one line."""
    field, fault = first_fault(error, "request")
    return f"{field[:LONGEST_PLACE]}: {fault}"


def make_options(**fields: object) -> SupplyOptions:
    """Options of a run.

    Raises:
        UsageError: names the option that is outside what it takes.
    """
    try:
        return SupplyOptions.model_validate(fields)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        option = "--" + str(first["loc"][0]).replace("_", "-") if first["loc"] else "options"
        raise UsageError(f"{option}: {first['msg']}", "see --help") from None
