"""What a proposer hands in: a candidate and its evidence refs (D-010 … D-012). Claims, not facts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from demand_assets.evidence.codes import RejectCode
from resources.foundation import strict_json
from resources.foundation.ids import MAX_ID

PATTERN_ITEMSET = "pattern_itemset"
FORBIDDEN_WORDS = ("mysql_topic_pattern", "topic_pattern_")
ITEMSET_DETAIL_TOOL = "get_itemset_detail"
MAX_TERM_LENGTH = 255
MAX_NAME_LENGTH = 255
MAX_POST_ID_LENGTH = 128
MAX_LIST = 10_000
MAX_DEPTH = 100
TELLING_FIELDS = frozenset({"element_names", "evidence_refs"})
"""What names neither is no candidate."""


def _identifier(value: object) -> int:
    """An id is an integer or a string of ASCII digits; anything else is refused, never guessed (D-011)."""
    if isinstance(value, bool):
        raise ValueError(f"id {value!r} is a truth value, not a number")
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) <= 19:
        value = int(value)
    if not isinstance(value, int):
        shown = repr(value)[:40] if isinstance(value, str | float) else type(value).__name__
        raise ValueError(f"id {shown} is neither a whole number nor a string of digits")
    if not 0 < value <= MAX_ID:
        raise ValueError(f"id {value if value.bit_length() < 128 else 'given'} is outside 1 … 2^63-1")
    return value


def _storable(value: object) -> object:
    """Text that every store keeps unchanged: no NUL, no lone surrogate."""
    if isinstance(value, str):
        if "\x00" in value:
            raise ValueError("text holds a NUL character")
        if value.isascii():
            return value
        try:
            value.encode("utf-8")
        except UnicodeEncodeError:
            raise ValueError("text holds a lone surrogate") from None
    return value


def _empty_for_none(value: object) -> object:
    return [] if value is None else value


def _post(value: object) -> object:
    """Post ids may arrive as whole numbers; they are text from here on."""
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) <= MAX_ID:
        return str(value)
    return value


# Lengths stand before the validators, so that they are checked inside pydantic's core.
Text = Annotated[str, BeforeValidator(_storable)]
Prose = Annotated[str, BeforeValidator(_storable), BeforeValidator(lambda v: "" if v is None else v)]
Term = Annotated[str, Field(max_length=MAX_TERM_LENGTH), BeforeValidator(_storable)]
Identifier = Annotated[int, BeforeValidator(_identifier)]
PostId = Annotated[str, Field(max_length=MAX_POST_ID_LENGTH), BeforeValidator(_storable), BeforeValidator(_post)]
Identifiers = Annotated[list[Identifier], Field(max_length=MAX_LIST), BeforeValidator(_empty_for_none)]
Terms = Annotated[list[Term], Field(max_length=MAX_LIST), BeforeValidator(_empty_for_none)]


class EvidenceRefs(BaseModel):
    """References into the facts that a proposer claims to support its candidate (D-011).

    Keys that are not known are dropped: nothing of a claim but these fields goes any further (D-014).
    """

    model_config = ConfigDict(strict=True, extra="ignore", frozen=True)

    source_kind: Text | None = None
    source_tool: Text | None = None
    itemset_ids: Identifiers = Field(default_factory=list)
    category_ids: Identifiers = Field(default_factory=list)
    source_post_id: PostId | None = None
    case_ids: Annotated[
        dict[Text, Annotated[list[PostId], Field(max_length=MAX_LIST), BeforeValidator(_empty_for_none)]],
        BeforeValidator(lambda value: {} if value is None else value),
    ] = Field(default_factory=dict)
    seed_terms: Terms = Field(default_factory=list)
    notes: Text | None = None

    def resolved_kind(self) -> str | None:
        """The source kind, filled in where D-012 allows it."""
        if self.source_kind:
            return self.source_kind
        if self.itemset_ids or self.source_tool == ITEMSET_DETAIL_TOOL:
            return PATTERN_ITEMSET
        return None


class Candidate(BaseModel):
    """A proposed demand (D-010). ``evidence_refs`` is optional; the old fields keep their meaning."""

    model_config = ConfigDict(strict=True, extra="ignore", frozen=True)

    element_names: Annotated[list[Term], Field(min_length=1, max_length=50)]
    reason: Prose = ""
    desc: Prose = ""
    type: Prose = ""
    evidence_refs: Annotated[EvidenceRefs, BeforeValidator(lambda value: {} if value is None else value)] = Field(
        default_factory=EvidenceRefs
    )

    @property
    def name(self) -> str:
        """``demand_content.name``: the element names joined by a comma (D-060)."""
        return ",".join(self.element_names)


@dataclass(frozen=True)
class Broken:
    """Something handed in that is not even a candidate-shaped value: its text (cut) and why it is none."""

    text: str
    reason: str


class Malformed(ValueError):
    """A raw candidate that has no candidate shape; ``reasons`` name the field and what it takes."""

    code = RejectCode.MALFORMED_REFS

    def __init__(self, reasons: list[str]) -> None:
        self.reasons = reasons
        super().__init__("; ".join(reasons))


def parse_candidate(raw: object) -> Candidate:
    """A candidate from what a proposer handed in.

    Raises:
        Malformed: with one sentence a faulty field (at most five are listed).
    """
    if isinstance(raw, Broken):
        raise Malformed([raw.reason])
    try:
        candidate = Candidate.model_validate(raw)
    except ValidationError as error:
        details = error.errors(include_url=False, include_input=False)
        reasons = [f"{'.'.join(map(str, d['loc'])) or 'candidate'}: {d['msg']}" for d in details[:5]]
        raise Malformed(reasons) from None
    if not any(name.strip() for name in candidate.element_names):
        raise Malformed(["element_names: every name is blank"])
    if len(candidate.name) > MAX_NAME_LENGTH:
        raise Malformed([f"element_names: joined they are longer than {MAX_NAME_LENGTH} characters"])
    return candidate


def storable_raw(raw: object) -> Any:
    """The candidate "as given" in a form that a ledger can hold.

    What strict JSON cannot say, or says more than 100 levels deep, is shown as text; the name of the abandoned
    source is masked (D-052).
    """
    if isinstance(raw, Broken):
        raw = raw.text
    try:
        if _deeper_than(raw, MAX_DEPTH):
            raise strict_json.JsonRefused(f"nested deeper than {MAX_DEPTH} levels")
        return strict_json.loads(without_abandoned(strict_json.dumps(raw)))
    except strict_json.JsonRefused as error:
        return {"unprintable": without_abandoned(f"{type(raw).__name__}: {error.message}"[:500])}


def without_abandoned(text: str) -> str:
    """The text with the name of the abandoned source masked (D-052)."""
    for word in FORBIDDEN_WORDS:
        text = text.replace(word, "[abandoned source]")
    return text


def _deeper_than(value: object, levels: int) -> bool:
    layer = [value]
    for _ in range(levels):
        inner: list[object] = []
        for entry in layer:
            if isinstance(entry, dict):
                inner.extend(entry.values())
            elif isinstance(entry, list | tuple):
                inner.extend(entry)
        if not inner:
            return False
        layer = inner
    return True
