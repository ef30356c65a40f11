"""Where a task comes from, in the form that is inherited by every record up to the plan (S-006)."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict

from demand_assets.evidence.pack import DemandRow


class CategoryNode(BaseModel):
    """A node of the category tree that an item of the itemset stands on."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: int
    name: str | None
    path: str


class SourceEvidence(BaseModel):
    """The proven evidence of a demand in short; a request from outside has none and says so by its ``origin``."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    origin: Literal["demand_content", "request"]
    demand_id: int
    demand_content_id: int | None = None
    pattern_execution_id: int | None = None
    mining_config_id: int | None = None
    itemset_ids: list[int] = []
    source_post_id: str | None = None
    categories: list[CategoryNode] = []
    matched_post_ids: list[str] = []
    pattern_trace_id: str | None = None


def evidence_of_row(row: DemandRow) -> SourceEvidence:
    """The evidence that a published row carries; the row has an id."""
    assert row.id is not None, "a published row has an id"
    pack = row.ext_data.evidence_pack
    nodes = {binding.category_id: binding for binding in pack.category_bindings}
    return SourceEvidence(
        origin="demand_content",
        demand_id=row.id,
        demand_content_id=row.id,
        pattern_execution_id=pack.pattern_execution_id,
        mining_config_id=pack.mining_config_id,
        itemset_ids=pack.itemset_ids,
        source_post_id=pack.source_post_id,
        categories=[
            CategoryNode(id=node.category_id, name=node.category_name, path=node.category_path)
            for node in nodes.values()
        ],
        matched_post_ids=pack.matched_post_ids,
        pattern_trace_id=pack.trace_id,
    )


def evidence_of_request(demand_id: int) -> SourceEvidence:
    """A request names no pattern: the chain ends at the request itself."""
    return SourceEvidence(origin="request", demand_id=demand_id)
