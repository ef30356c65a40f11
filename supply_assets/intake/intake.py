"""Taking demands in: a proven row or a request becomes a frozen snapshot and a task, once (S-001 … S-003)."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import attrgetter
from typing import Any, NamedTuple

from pydantic import ValidationError
from sqlalchemy import Connection

from demand_assets.evidence.pack import DemandRow
from demand_assets.evidence.reproof import Drift
from demand_assets.evidence.row_proof import RowProof, Verdict
from resources.databases.demand_store.engine import DemandStore
from resources.databases.demand_store.pages import published_pages
from resources.databases.pattern_facts.engine import FactsDatabase
from resources.databases.supply_store.engine import SupplyStore
from resources.databases.supply_store.states import Stage, TaskStatus
from resources.databases.supply_store.tasks.snapshots import (
    NewSnapshot,
    SnapshotRow,
    insert_snapshots,
    snapshot_versions,
)
from resources.databases.supply_store.tasks.tasks import NewTask, TaskRow, insert_tasks, tasks_of_batch, tasks_of_keys
from resources.foundation.clock import Clock, IdSource
from supply_assets.intake.request import LONGEST_TEXT, MAX_EXPANSION, SupplyOptions, SupplyRequest, refused_field
from supply_assets.intake.source_evidence import SourceEvidence, evidence_of_request, evidence_of_row
from supply_assets.normalisation import texts

PAGE = 500
ENDED = (TaskStatus.COMPLETED, TaskStatus.FAILED, TaskStatus.CANCELLED)
_content = attrgetter(
    *("query", "query_expansion", "platform", "expected_count"),
    *("audience_profile", "quality_constraints", "source_payload"),
)
"""What a snapshot asks for; two versions of a demand differ in it."""


class Refusal(NamedTuple):
    """A demand that is not taken in, the rule it breaks, and why; shown, never passed over."""

    demand_id: int
    rule_id: str
    reason: str
    codes: tuple[str, ...] = ()
    """All rules of the proof that are broken, each with its code; empty where the proof is not what refuses."""


@dataclass
class Intake:
    """Tasks of the batch, new or known, and the demands that were refused."""

    tasks: list[TaskRow] = field(default_factory=list)
    new: int = 0
    other_options: int = 0  # known tasks that keep the plan options they were made with
    refusals: list[Refusal] = field(default_factory=list)


class Demand(NamedTuple):
    """A demand that may be taken in: what is searched for, and where it comes from."""

    request: SupplyRequest
    evidence: SourceEvidence
    payload: dict[str, Any]


@dataclass(frozen=True)
class IntakeContext:
    """What taking in needs beside the demands."""

    store: SupplyStore
    clock: Clock
    ids: IdSource
    batch: str
    options: SupplyOptions


def take_in_execution(
    context: IntakeContext,
    demands: DemandStore,
    facts: FactsDatabase,
    execution_id: int,
    on_page: Callable[[Intake], None] = lambda _: None,
) -> Intake:
    """Tasks for every published row of an execution whose pack closes today; the others are refused (S-002).

    Raises:
        FactsUnreadable: the facts could not be read: no row is taken in.
        StoreUnwritable: one of the stores could not be used.
    """
    intake = Intake()
    proof = RowProof()
    for page in published_pages(demands, execution_id, PAGE):
        with facts.snapshot() as snapshot:
            verdicts = proof.verdicts(snapshot, page)
        rows = _proven_rows(page, verdicts, context.options.run_label, intake)
        _store_demands(context, _demands_of_rows(rows, context.options, intake), intake)
        on_page(intake)
    return intake


def take_in_requests(context: IntakeContext, requests: Sequence[SupplyRequest]) -> Intake:
    """Tasks for requests from outside; they carry no pattern evidence and say so.

    Raises:
        StoreUnwritable: the supply store could not be used.
    """
    intake = Intake()
    demands = [Demand(one, evidence_of_request(one.demand_id), one.model_dump(mode="json")) for one in requests]
    _store_demands(context, demands, intake)
    return intake


def existing_tasks(store: SupplyStore, batch: str) -> Intake:
    """The tasks that a batch has already, as they are; nothing is taken in.

    Raises:
        StoreUnwritable: the store could not be read.
    """
    with store.reading() as connection:
        return Intake(tasks=tasks_of_batch(connection, batch))


def _proven_rows(
    page: Sequence[dict[str, Any]], verdicts: Sequence[Verdict], run_label: str | None, intake: Intake
) -> list[DemandRow]:
    """The rows of the label that close; the others are refused, and so is a row that cannot be read."""
    proven = []
    for raw, (row, broken) in zip(page, verdicts, strict=True):
        if row is not None and run_label is not None and row.ext_data.run_label != run_label:
            continue
        if row is None or broken:
            intake.refusals.append(_refusal(int(raw["id"]), broken))
        else:
            proven.append(row)
    return proven


def _refusal(row_id: int, broken: Sequence[Drift]) -> Refusal:
    first, codes = broken[0], tuple(f"{drift.rule_id} {drift.code}" for drift in broken)
    return Refusal(row_id, first.rule_id, f"{first.code}: {first.message}", codes)


def _demands_of_rows(rows: Sequence[DemandRow], options: SupplyOptions, intake: Intake) -> list[Demand]:
    """Proven rows as requests; one whose name holds nothing to search for is refused (S-001)."""
    demands = []
    for row in rows:
        try:
            demands.append(_demand_of_row(row, options))
        except ValidationError as error:
            intake.refusals.append(Refusal(row.id or 0, "S-001", refused_field(error)))
    return demands


def _demand_of_row(row: DemandRow, options: SupplyOptions) -> Demand:
    """Query = the name's terms; expansion = seed terms, bound elements, category names (S-001)."""
    assert row.id is not None, "a published row has an id"
    pack = row.ext_data.evidence_pack
    terms = [term for term in row.name.split(",") if term.strip()]
    wider = [
        *pack.seed_terms,
        *(binding.element_name for binding in pack.element_bindings),
        *(binding.category_name or "" for binding in pack.category_bindings),
    ]
    request = SupplyRequest(
        demand_id=row.id,
        query=query_of_name(row.name),
        expected_count=options.expected_count,
        query_expansion=_distinct(wider, beside=terms)[:MAX_EXPANSION],
        demand_code=f"{pack.pattern_execution_id}:{pack.itemset_ids[0]}"[:64],
    )
    return Demand(request, evidence_of_row(row), row.model_dump(mode="json"))


def query_of_name(name: str) -> str:
    """The terms of a demand's name, as they are searched for."""
    return " ".join(term for term in name.split(",") if term.strip()).strip()


def _distinct(words: Sequence[str], beside: Sequence[str]) -> list[str]:
    """Words that a search can take, each once; facts know names that are longer than any search."""
    taken = {texts.key(word) for word in beside} | {""}
    kept: dict[str, str] = {}
    for word in words:
        if texts.key(word) not in taken and len(word.strip()) <= LONGEST_TEXT:
            kept.setdefault(texts.key(word), word.strip())
    return list(kept.values())


def _store_demands(context: IntakeContext, demands: Sequence[Demand], intake: Intake) -> None:
    if not demands:
        return
    tasks, new = context.store.write_intake(lambda connection: _insert_missing(connection, context, demands))
    intake.tasks.extend(tasks)
    intake.new += new
    intake.other_options += sum(task.ext.get("options") != _plan_options(context.options) for task in tasks)


def _insert_missing(
    connection: Connection, context: IntakeContext, demands: Sequence[Demand]
) -> tuple[list[TaskRow], int]:
    """Snapshots and tasks of the demands that have none yet, in one transaction (S-003)."""
    standing = snapshot_versions(connection, [demand.request.demand_id for demand in demands])
    force = context.options.force
    in_work = _in_work(connection, demands, standing) if force else set()
    snapshots = [
        _snapshot(one, standing.get(one.request.demand_id, []), force and one.request.demand_id not in in_work)
        for one in demands
    ]
    keys = [idempotency_key(one.request, new.version) for one, new in zip(demands, snapshots, strict=True)]
    known = tasks_of_keys(connection, keys)
    fresh = [entry for entry in zip(demands, snapshots, keys, strict=True) if entry[-1] not in known]
    if fresh:
        ids = insert_snapshots(connection, [snapshot for _, snapshot, _ in fresh])
        insert_tasks(
            connection, [_task(context, one, ids[(new.demand_id, new.version)], key) for one, new, key in fresh]
        )
        known = tasks_of_keys(connection, keys)
    return [known[key] for key in keys], len(fresh)


def _in_work(
    connection: Connection, demands: Sequence[Demand], standing: Mapping[int, Sequence[SnapshotRow]]
) -> set[int]:
    """Demands whose latest task has not ended: nobody gets a second set while the first is open."""
    requests = [one.request for one in demands if standing.get(one.request.demand_id)]
    keys = {idempotency_key(one, standing[one.demand_id][0].version): one.demand_id for one in requests}
    known = tasks_of_keys(connection, keys)
    return {keys[key] for key, task in known.items() if task.status not in ENDED}


def idempotency_key(request: SupplyRequest, version: int) -> str:
    """Demand id, hash of the normalised query, platform, snapshot version (S-003); at most 128 characters."""
    query_hash = hashlib.sha256(texts.key(request.query).encode()).hexdigest()[:32]
    return f"{request.demand_id}:{query_hash}:{request.platform}:v{version}"


def _snapshot(demand: Demand, standing: Sequence[SnapshotRow], force: bool) -> NewSnapshot:
    """The latest version that asks for the same, whatever was asked in between; else the next one.

    Every field of a request is a column of its snapshot.
    """
    payload = {"source_evidence": demand.evidence.model_dump(mode="json"), "demand": demand.payload}
    following = standing[0].version + 1 if standing else 1
    new = NewSnapshot(**demand.request.model_dump(mode="json"), source_payload=payload, version=following)
    same = [] if force else [snapshot.version for snapshot in standing if _content(snapshot) == _content(new)]
    return replace(new, version=same[0]) if same else new


def _task(context: IntakeContext, demand: Demand, snapshot_id: int, key: str) -> NewTask:
    return NewTask(
        task_id=context.ids.new(),
        demand_snapshot_id=snapshot_id,
        demand_id=demand.request.demand_id,
        trace_id=context.ids.new(),
        status=TaskStatus.PENDING,
        current_stage=Stage.INIT,
        idempotency_key=key,
        ext={
            "batch": context.batch,
            "cycle": 1,
            "source_evidence": demand.evidence.model_dump(mode="json"),
            "options": _plan_options(context.options),
        },
    )


def _plan_options(options: SupplyOptions) -> dict[str, Any]:
    return {"plan_type": options.plan_type, "produce_plan_id": options.produce_plan_id}
