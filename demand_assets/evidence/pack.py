"""The evidence pack (D-050 … D-053): one model, used at building, before writing, after reading back, at intake.

The model holds what a pack must satisfy by itself (D-051); that it is also true is proved against the facts in
``reproof``.
"""

from __future__ import annotations

import math
from itertools import islice
from operator import attrgetter, lt
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError, model_validator

from demand_assets.evidence.refs import FORBIDDEN_WORDS, MAX_NAME_LENGTH, MAX_POST_ID_LENGTH, MAX_TERM_LENGTH
from resources.foundation import strict_json
from resources.foundation.errors import PackRefused
from resources.foundation.ids import MAX_ID
from resources.foundation.validation_faults import first_fault

# Checked inside pydantic's core: a pack holds hundreds of texts, and a lone surrogate is refused there as well.
Text = Annotated[str, StringConstraints(pattern=r"^[^\x00]*$")]
NonBlank = Annotated[str, StringConstraints(pattern=r"^[^\x00]*[^\s\x00][^\x00]*$")]
Term = Annotated[str, StringConstraints(pattern=r"^[^\x00]*$", max_length=MAX_TERM_LENGTH)]
Identifier = Annotated[int, Field(gt=0, le=MAX_ID)]
PostId = Annotated[str, StringConstraints(min_length=1, max_length=MAX_POST_ID_LENGTH)]
Posts = list[PostId]
# Blanks at the end would make one label of two: MySQL pads what it compares.
Label = Annotated[str, StringConstraints(pattern=r"^[^\s\x00]([^\x00]*[^\s\x00])?$")]


# What a category binding and an item of the itemset both say.
_short = attrgetter("category_id", "category_path", "point_type", "dimension", "element_name")


class _Strict(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


class CategoryBinding(_Strict):
    """An item of the itemset and the category-tree node it stands on."""

    itemset_id: Identifier
    itemset_item_id: Identifier
    category_id: Identifier
    category_name: Text | None
    category_path: NonBlank
    category_full_path: Text | None
    point_type: Text | None
    dimension: Text | None
    element_name: Text | None


class ElementBinding(_Strict):
    """A topic element of the source post that an item binds; counts and posts are those of the source post."""

    itemset_id: Identifier
    itemset_item_id: Identifier
    category_id: Identifier
    point_type: Text | None
    dimension: Text | None
    element_name: NonBlank
    matched_element_count: Annotated[int, Field(ge=1)]
    matched_post_count: Annotated[int, Field(ge=1)]
    matched_post_ids: Annotated[Posts, Field(min_length=1)]


class ItemsetItem(_Strict):
    """An item of the itemset in the short form that the downstream contract names."""

    itemset_id: Identifier
    category_id: Identifier
    category_path: NonBlank
    point_type: Text | None
    dimension: Text | None
    element_name: Text | None


class EvidencePack(_Strict):
    """Proven evidence of one demand; ``support`` is a share in [0, 1], ``absolute_support`` counts posts."""

    pattern_source_system: Literal["pg_pattern_v2"]
    pattern_execution_id: Identifier
    mining_config_id: Identifier
    source_kind: Literal["pattern_itemset"]
    case_id_type: Literal["post_id"]
    source_post_id: PostId
    category_bindings: Annotated[list[CategoryBinding], Field(min_length=1)]
    element_bindings: Annotated[list[ElementBinding], Field(min_length=1)]
    itemset_ids: Annotated[list[Identifier], Field(min_length=1, max_length=1)]
    itemset_items: Annotated[list[ItemsetItem], Field(min_length=1)]
    support: Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
    absolute_support: Annotated[int, Field(gt=0)]
    matched_post_ids: Annotated[Posts, Field(min_length=1)]
    case_ids: Annotated[Posts, Field(min_length=1)]
    decode_case_ids: Annotated[Posts, Field(max_length=0)]
    seed_terms: list[Term]
    trace_id: NonBlank
    demand_task_id: Identifier | None
    demand_content_id: Identifier | None
    source_certainty: Literal["db_validated"]
    validation_status: Literal["passed"]

    @model_validator(mode="after")
    def _closes_on_itself(self) -> Self:
        """D-051, and that the three lists of items speak of the same items."""
        posts = self.matched_post_ids
        if self.case_ids != posts:
            raise ValueError("case_ids differ from matched_post_ids")
        if len(posts) != self.absolute_support:
            raise ValueError(f"{len(posts)} matched_post_ids but absolute_support is {self.absolute_support}")
        if not all(map(lt, posts, islice(posts, 1, None))):
            raise ValueError("matched_post_ids are not sorted and distinct")
        if any(map(str.isspace, posts)) or "\x00" in "".join(posts):
            raise ValueError("a post id is blank or holds a NUL character")
        if self.source_post_id not in posts:
            raise ValueError(f"source_post_id {self.source_post_id!r} is not among matched_post_ids")
        self._check_items()
        return self

    def _check_items(self) -> None:
        itemset_id = self.itemset_ids[0]
        named = {entry.itemset_id for entry in self.category_bindings}
        named |= {entry.itemset_id for entry in self.itemset_items}
        named |= {entry.itemset_id for entry in self.element_bindings}
        if named != {itemset_id}:
            raise ValueError(f"a binding or item is of another itemset than {itemset_id}")
        if list(map(_short, self.category_bindings)) != list(map(_short, self.itemset_items)):
            raise ValueError("itemset_items differ from category_bindings")
        items = {binding.itemset_item_id for binding in self.category_bindings}
        bound = {binding.itemset_item_id for binding in self.element_bindings}
        if bound != items:
            raise ValueError(f"items without an element or elements without an item: {sorted(items ^ bound)}")
        for binding in self.element_bindings:
            if binding.matched_post_ids != [self.source_post_id] or binding.matched_post_count != 1:
                raise ValueError("an element is bound in another post than source_post_id")


class ExtData(_Strict):
    """``demand_content.ext_data`` (D-052): the old fields, the run's label, and the pack."""

    reason: Text
    desc: Text
    type: Text
    video_ids: Annotated[Posts, Field(min_length=1)]
    run_label: Label
    evidence_pack: EvidencePack

    @model_validator(mode="after")
    def _videos_are_cases(self) -> Self:
        if self.video_ids != self.evidence_pack.matched_post_ids:
            raise ValueError("video_ids differ from evidence_pack.matched_post_ids")
        return self


class DemandRow(_Strict):
    """One row of ``demand_content`` (D-060); ``id`` is ``None`` until the store gives one."""

    id: Identifier | None
    merge_leve2: Text
    name: Annotated[NonBlank, Field(max_length=MAX_NAME_LENGTH)]
    reason: Text
    suggestion: Text
    score: Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
    ext_data: ExtData
    dt: Annotated[str, Field(pattern=r"^[0-9]{8}$")]

    @model_validator(mode="after")
    def _says_nothing_forbidden(self) -> Self:
        text = strict_json.dumps(self.model_dump(mode="json"))
        for word in FORBIDDEN_WORDS:
            if word in text:
                raise ValueError(f"the word {word!r} occurs in the row (D-052)")
        return self


def check_row(raw: object, where: str) -> DemandRow:
    """The row as a model, or a refusal that names the field (D-066).

    Raises:
        PackRefused: the row breaks the contract; ``where`` says at which border.
    """
    try:
        return DemandRow.model_validate(raw)
    except ValidationError as error:
        field, fault = first_fault(error, "row")
        raise PackRefused(f"{where}: {field}: {fault}", "the row is not written") from None


def pack_json_schema() -> dict[str, Any]:
    """The published JSON Schema of the pack (D-053)."""
    schema = EvidencePack.model_json_schema()
    schema["$id"] = "urn:pattern2plan:evidence_pack:1"
    return schema


def mean_score(values: list[float]) -> float:
    """Mean to 4 decimals (D-021); 0.0 for nothing, never NaN."""
    return round(math.fsum(values) / len(values), 4) if values else 0.0
