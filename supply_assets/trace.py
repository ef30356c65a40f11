"""The chain from a plan's article to the pattern, posts and category nodes that asked for it, and back (S-006).

A chain is read from the supply store and then proved: every record that inherited the evidence must carry the same,
the published row must carry it too, and its pack must close against today's facts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection

from demand_assets.evidence.pack import DemandRow
from demand_assets.evidence.published_rows import names_itself, read_published_row, row_key
from demand_assets.evidence.reproof import Published, reprove
from resources.demand_store.engine import DemandStore
from resources.demand_store.statements import read_rows_by_id
from resources.errors import PackRefused, UsageError
from resources.pattern_facts.engine import FactsDatabase
from resources.supply_store.candidates import candidates_of_identity
from resources.supply_store.engine import SupplyStore
from resources.supply_store.plans import PlanRow, plans_by_crawler_id, plans_of_tasks
from resources.supply_store.snapshots import SnapshotRow, read_snapshots
from resources.supply_store.tasks import TaskRow, find_tasks_with_evidence, read_tasks, tasks_of_demands
from supply_assets.normalisation.urls import UnreadableUrl, read_url
from supply_assets.source_evidence import SourceEvidence, evidence_of_row
from supply_assets.stages.selection import SelectedArticle, read_selection


@dataclass(frozen=True)
class TracedArticle:
    """An article of a task's selection."""

    candidate_id: int
    rank_no: int | None
    title: str
    url: str
    account_name: str | None
    total_score: float


@dataclass
class Chain:
    """One task with both its ends; ``broken`` says where the chain does not hold."""

    task_id: str
    trace_id: str | None
    status: str
    batch: str
    query: str
    evidence: SourceEvidence
    plans: list[dict[str, Any]] = field(default_factory=list)
    articles: list[TracedArticle] = field(default_factory=list)
    demand_name: str | None = None
    support: float | None = None
    absolute_support: int | None = None
    broken: list[str] = field(default_factory=list)

    @property
    def closed(self) -> bool:
        return not self.broken


@dataclass(frozen=True)
class Ends:
    """One of the five ends a walk may start from."""

    crawler_plan_id: str | None = None
    url: str | None = None
    post_id: str | None = None
    demand_content_id: int | None = None
    category_id: int | None = None

    def __post_init__(self) -> None:
        named = [value for value in vars(self).values() if value is not None]
        if len(named) != 1:
            raise UsageError(
                "name exactly one end of the chain",
                "--crawler-plan-id, --url, --post-id, --demand-content-id or --category-id",
            )


def trace(ends: Ends, store: SupplyStore, demands: DemandStore, facts: FactsDatabase) -> list[Chain]:
    """All chains that go through an end, by task; empty where none does.

    Raises:
        UsageError: the link cannot be read.
        StoreUnwritable, FactsUnreadable: a database could not be read: nothing is said.
    """
    with store.reading() as connection:
        chains = _chains(connection, _task_ids(connection, ends))
    _prove(chains, demands, facts)
    return chains


def trace_tasks(task_ids: Sequence[str], store: SupplyStore, demands: DemandStore, facts: FactsDatabase) -> list[Chain]:
    """The chains of known tasks, proved."""
    with store.reading() as connection:
        chains = _chains(connection, task_ids)
    _prove(chains, demands, facts)
    return chains


def _task_ids(connection: Connection, ends: Ends) -> list[str]:
    if ends.crawler_plan_id is not None:
        return [plan.task_id for plan in plans_by_crawler_id(connection, ends.crawler_plan_id)]
    if ends.url is not None:
        return _tasks_of_url(connection, ends.url)
    if ends.demand_content_id is not None:
        tasks = tasks_of_demands(connection, [ends.demand_content_id])
        return [task.task_id for task in tasks if _names(task, ends.demand_content_id)]
    return find_tasks_with_evidence(connection, post_id=ends.post_id, category_id=ends.category_id)


def _tasks_of_url(connection: Connection, url: str) -> list[str]:
    try:
        identity = read_url(url).identity_hash
    except UnreadableUrl as error:
        raise UsageError(f"--url: {error.message}", "give the article's link") from None
    candidates = candidates_of_identity(connection, identity)
    chosen = read_selection(connection, sorted({candidate.task_id for candidate in candidates}))
    return [
        task_id
        for task_id, articles in chosen.items()
        if any(article.candidate.dedup_hash == identity for article in articles)
    ]


def _names(task: TaskRow, demand_content_id: int) -> bool:
    return bool((task.ext.get("source_evidence") or {}).get("demand_content_id") == demand_content_id)


def _chains(connection: Connection, task_ids: Sequence[str]) -> list[Chain]:
    tasks = read_tasks(connection, task_ids)
    snapshots = read_snapshots(connection, [task.demand_snapshot_id for task in tasks.values()])
    selection = read_selection(connection, list(tasks))
    plans: dict[str, list[PlanRow]] = {}
    for plan in plans_of_tasks(connection, list(tasks)):
        plans.setdefault(plan.task_id, []).append(plan)
    return [
        _chain(task, snapshots[task.demand_snapshot_id], selection[task.task_id], plans.get(task.task_id, []))
        for task in tasks.values()
    ]


def _chain(
    task: TaskRow, snapshot: SnapshotRow, articles: Sequence[SelectedArticle], plans: Sequence[PlanRow]
) -> Chain:
    inherited = task.ext["source_evidence"]
    chain = Chain(
        task_id=task.task_id,
        trace_id=task.trace_id,
        status=task.status,
        batch=str(task.ext.get("batch", "")),
        query=snapshot.query,
        evidence=SourceEvidence.model_validate(inherited),
        plans=[_plan(plan) for plan in plans],
        articles=[_article(article) for article in articles],
    )
    carriers = {"snapshot": (snapshot.source_payload or {}).get("source_evidence")}
    carriers |= {f"score of candidate {a.candidate.id}": _inherited(a) for a in articles}
    carriers |= {f"plan {plan.id}": plan.request_payload.get("source_evidence") for plan in plans}
    chain.broken += [
        f"{name} carries other evidence than the task" for name, value in carriers.items() if value != inherited
    ]
    for plan in plans:
        chain.broken += _foreign_items(plan, articles)
    return chain


def _inherited(article: SelectedArticle) -> Any:
    return (article.score.score_detail or {}).get("source_evidence")


def _foreign_items(plan: PlanRow, articles: Sequence[SelectedArticle]) -> list[str]:
    """Every item of a plan was selected."""
    links = {article.candidate.url for article in articles}
    accounts = {article.candidate.account_id for article in articles}
    request = plan.request_payload
    foreign = [content["url"] for content in request.get("contents", []) if content["url"] not in links]
    foreign += [item["account_id"] for item in request.get("accounts", []) if item["account_id"] not in accounts]
    return [f"plan {plan.id} holds {item}, which is not selected" for item in foreign]


def _plan(plan: PlanRow) -> dict[str, Any]:
    return {
        "crawler_plan_id": plan.crawler_plan_id,
        "crawler_plan_name": plan.crawler_plan_name,
        "plan_type": plan.plan_type,
        "plan_status": plan.plan_status,
        "input_count": plan.input_count,
    }


def _article(article: SelectedArticle) -> TracedArticle:
    candidate, score = article.candidate, article.score
    return TracedArticle(
        candidate_id=candidate.id,
        rank_no=score.rank_no,
        title=candidate.title,
        url=candidate.url,
        account_name=candidate.account_name,
        total_score=float(score.total_score),
    )


def _prove(chains: Sequence[Chain], demands: DemandStore, facts: FactsDatabase) -> None:
    """Compare with the published rows, and close their packs against today's facts: one read of each kind."""
    ours = {c.evidence.demand_content_id: c for c in chains if c.evidence.demand_content_id is not None}
    if not ours:
        return
    with demands.reading() as connection:
        raw_rows = {row["id"]: row for row in read_rows_by_id(connection, list(ours))}
    rows: dict[int, DemandRow] = {}
    for chain in chains:
        demand_id = chain.evidence.demand_content_id
        if demand_id is None:
            continue
        if demand_id not in raw_rows:
            chain.broken.append(f"demand_content {demand_id} is not there any more")
            continue
        try:
            rows[demand_id] = read_published_row(raw_rows[demand_id])
        except PackRefused as error:
            chain.broken.append(error.message)
            continue
        _compare_with_row(chain, rows[demand_id])
    published = [Published(row_key({"id": i}), row.name, row.ext_data.evidence_pack) for i, row in rows.items()]
    with facts.snapshot() as snapshot:
        drifts = reprove(snapshot, published)
    for chain in chains:
        key = row_key({"id": chain.evidence.demand_content_id})
        chain.broken += [f"{drift.rule_id} {drift.code}: {drift.message}" for drift in drifts if drift.key == key]


def _compare_with_row(chain: Chain, row: DemandRow) -> None:
    pack = row.ext_data.evidence_pack
    chain.demand_name, chain.support, chain.absolute_support = row.name, pack.support, pack.absolute_support
    if not names_itself(row) or evidence_of_row(row) != chain.evidence:
        chain.broken.append(f"demand_content {row.id} carries other evidence than the task")
