"""The chain from a plan's article to the pattern, posts and category nodes that asked for it, and back (S-006).

A chain is read from the supply store and then proved: every record that inherited the evidence must carry the same,
the published row must carry it too, and its pack must close against today's facts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic import ValidationError
from sqlalchemy import Connection

from resources.databases.demand_store.engine import DemandStore
from resources.databases.pattern_facts.engine import FactsDatabase
from resources.databases.supply_store.articles.candidates import tasks_that_selected
from resources.databases.supply_store.articles.features import candidates_read
from resources.databases.supply_store.articles.plans import PlanRow, plans_by_crawler_id, plans_of_tasks
from resources.databases.supply_store.engine import SupplyStore
from resources.databases.supply_store.states import TaskStatus
from resources.databases.supply_store.tasks.evidence import find_tasks_with_evidence
from resources.databases.supply_store.tasks.snapshots import SnapshotRow, read_snapshots
from resources.databases.supply_store.tasks.tasks import TaskRow, read_tasks, tasks_of_demands
from resources.foundation.errors import UsageError
from resources.foundation.ids import MAX_ID
from resources.links.articles import UnreadableUrl, read_url
from supply_assets.intake.request import is_storable
from supply_assets.intake.source_evidence import SourceEvidence, evidence_of_request
from supply_assets.normalisation.accounts import account_name_of, account_of_item
from supply_assets.stages.selection import SelectedArticle, open_ends, read_selection
from supply_assets.standing.standing_demands import IntakeRecord, recheck

EVIDENCE = "source_evidence"
BY_ACCOUNT = "BY_ACCOUNT"
ALL = 1_000_000
PLAN_COLUMNS = ("crawler_plan_id", "crawler_plan_name", "plan_type", "plan_status", "input_count")


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
    """One task with both its ends; ``broken`` says where the chain does not hold.

    ``frozen`` is the published row as the snapshot kept it; ``None`` for a request from outside.
    """

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
    frozen: Any = field(default=None, repr=False)

    @property
    def closed(self) -> bool:
        return not self.broken

    @property
    def has_pattern(self) -> bool:
        """Whether a published demand, and so the facts, stand behind the task."""
        return self.evidence.origin == "demand_content"


@dataclass(frozen=True)
class ChainEnd:
    """One of the five ends a walk may start from."""

    crawler_plan_id: str | None = None
    url: str | None = None
    post_id: str | None = None
    demand_content_id: int | None = None
    category_id: int | None = None

    def __post_init__(self) -> None:
        named = {name: value for name, value in vars(self).items() if value is not None}
        if len(named) != 1:
            raise UsageError(
                "name exactly one end of the chain",
                "--crawler-plan-id, --url, --post-id, --demand-content-id or --category-id",
            )
        for name, value in named.items():
            if not (is_storable(value) if isinstance(value, str) else 0 < value <= MAX_ID):
                raise UsageError(f"--{name.replace('_', '-')}: no record can have this value", "check it")


def trace(end: ChainEnd, store: SupplyStore, demands: DemandStore, facts: FactsDatabase) -> list[Chain]:
    """All chains that go through an end, by task; empty where none does.

    Raises:
        UsageError: the link cannot be read.
        StoreUnwritable, FactsUnreadable: a database could not be read: nothing is said.
    """
    chains = chains_through(end, store)
    prove(chains, demands, facts)
    return chains


def chains_through(end: ChainEnd, store: SupplyStore, limit: int = ALL) -> list[Chain]:
    """At most ``limit`` chains through an end as the supply store has them, the oldest tasks first, not proved yet.

    Raises:
        UsageError: the link cannot be read.
        StoreUnwritable: the store could not be read.
    """
    with store.reading() as connection:
        return _chains(connection, _task_ids(connection, end, limit))


def chains_of_tasks(task_ids: Sequence[str], store: SupplyStore) -> list[Chain]:
    """The chains of known tasks as the supply store has them, not proved yet.

    Raises:
        StoreUnwritable: the store could not be read.
    """
    with store.reading() as connection:
        return _chains(connection, task_ids)


def _task_ids(connection: Connection, end: ChainEnd, limit: int) -> list[str]:
    if end.crawler_plan_id is not None:
        return [plan.task_id for plan in plans_by_crawler_id(connection, end.crawler_plan_id)][:limit]
    if end.url is not None:
        return tasks_that_selected(connection, _identity(end.url), limit)
    if end.demand_content_id is not None:
        tasks = tasks_of_demands(connection, [end.demand_content_id])
        named = {task.task_id: _of(_of(task.ext, EVIDENCE), "demand_content_id") for task in tasks}
        return [task_id for task_id, row_id in named.items() if row_id == end.demand_content_id][:limit]
    return find_tasks_with_evidence(connection, post_id=end.post_id, category_id=end.category_id, limit=limit)


def _identity(url: str) -> str:
    try:
        return read_url(url).identity_hash
    except UnreadableUrl as error:
        raise UsageError(f"--url: {error.message}", "give the article's link") from None


def article_of(chain: Chain, url: str) -> TracedArticle:
    """The article of a chain that a link, in any form that its identity survives, leads to.

    Raises:
        UsageError: the link cannot be read, or the chain has no such article.
    """
    identity = _identity(url)
    for article in chain.articles:
        if read_url(article.url).identity_hash == identity:
            return article
    raise UsageError(f"task {chain.task_id} did not select this article", "trace its plan instead")


def _chains(connection: Connection, task_ids: Sequence[str]) -> list[Chain]:
    tasks = read_tasks(connection, task_ids)
    snapshots = read_snapshots(connection, [task.demand_snapshot_id for task in tasks.values()])
    selection = read_selection(connection, list(tasks))
    plans: dict[str, list[PlanRow]] = {}
    for plan in plans_of_tasks(connection, list(tasks)):
        plans.setdefault(plan.task_id, []).append(plan)
    read = candidates_read(connection, list(tasks))
    chains = []
    for task in tasks.values():
        articles, own = selection[task.task_id], plans.get(task.task_id, [])
        chain = _chain(task, snapshots[task.demand_snapshot_id], articles, own)
        chain.broken += [*open_ends(articles, read), *_wrong_plans(task, articles, own)]
        chains.append(chain)
    return _sharing_no_plan(chains)


def _wrong_plans(task: TaskRow, articles: Sequence[SelectedArticle], plans: Sequence[PlanRow]) -> Iterator[str]:
    """A task that is past CREATE_PLAN with a selection has one plan, and the plan is its own (S-028)."""
    past = task.status in (TaskStatus.PLAN_CREATED, TaskStatus.COMPLETED)
    if past and articles and not any(plan.crawler_plan_id for plan in plans):
        yield f"task {task.task_id} is {task.status} and no plan of it is recorded"
    if len(plans) > 1:
        yield f"task {task.task_id} has {len(plans)} plan rows"
    for plan in plans:
        if _of(plan.request_payload, "task_id") != task.task_id:
            yield f"plan {plan.id} was asked for by another task"


def _sharing_no_plan(chains: list[Chain]) -> list[Chain]:
    owners = Counter(plan["crawler_plan_id"] for chain in chains for plan in chain.plans if plan["crawler_plan_id"])
    for chain in chains:
        shared = [plan["crawler_plan_id"] for plan in chain.plans if owners[plan["crawler_plan_id"]] > 1]
        chain.broken += [f"plan {plan_id} is recorded {owners[plan_id]} times" for plan_id in shared]
    return chains


def _chain(
    task: TaskRow, snapshot: SnapshotRow, articles: Sequence[SelectedArticle], plans: Sequence[PlanRow]
) -> Chain:
    carriers = {"the task": _of(task.ext, EVIDENCE), "the snapshot": _of(snapshot.source_payload, EVIDENCE)}
    carriers |= {f"the score of candidate {a.candidate.id}": _of(a.score.score_detail, EVIDENCE) for a in articles}
    carriers |= {f"plan {plan.id}": _of(plan.request_payload, EVIDENCE) for plan in plans}
    evidence, broken = _inherited(carriers, task.demand_id)
    broken += [difference for plan in plans for difference in _other_items(plan, articles)]
    if task.demand_id != evidence.demand_id:
        broken.append(f"the task is of demand {task.demand_id}, its evidence of demand {evidence.demand_id}")
    frozen = _of(snapshot.source_payload, "demand") if evidence.origin == "demand_content" else None
    return Chain(
        task_id=task.task_id,
        trace_id=task.trace_id,
        status=task.status,
        batch=str(task.ext.get("batch", "")),
        query=snapshot.query,
        evidence=evidence,
        plans=[{name: getattr(plan, name) for name in PLAN_COLUMNS} for plan in plans],
        articles=[_article(article) for article in articles],
        broken=broken,
        frozen=frozen,
    )


def _of(payload: Any, name: str) -> Any:
    """A key of a stored JSON value, which may have been altered into anything."""
    return payload.get(name) if isinstance(payload, dict) else None


def _inherited(carriers: dict[str, Any], demand_id: int) -> tuple[SourceEvidence, list[str]]:
    """The evidence of the first carrier that can be read, and who carries anything else."""
    for first, value in carriers.items():
        try:
            evidence = SourceEvidence.model_validate(value, strict=True)
        except ValidationError:
            continue
        same = evidence.model_dump(mode="json")
        others = [name for name, carried in carriers.items() if carried != same]
        return evidence, [f"{name} carries other evidence than {first}" for name in others]
    return evidence_of_request(demand_id), ["no record of the task carries evidence that can be read"]


def _other_items(plan: PlanRow, articles: Sequence[SelectedArticle]) -> list[str]:
    """A plan holds what was selected, all of it and nothing else."""
    by_account = plan.plan_type == BY_ACCOUNT
    items = _of(plan.request_payload, "accounts" if by_account else "contents")
    listed = items if isinstance(items, list) else []
    named = account_of_item if by_account else _url_of_item
    planned = {named(item) if isinstance(item, dict) else str(item) for item in listed}
    chosen = {account_name_of(a.candidate) if by_account else a.candidate.url for a in articles}
    return [
        *(f"plan {plan.id} holds {item}, which is not selected" for item in sorted(planned - chosen)),
        *(f"plan {plan.id} lacks {item}, which is selected" for item in sorted(chosen - planned)),
    ]


def _url_of_item(item: Mapping[str, Any]) -> str:
    return str(item.get("url"))


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


def prove(chains: Sequence[Chain], demands: DemandStore, facts: FactsDatabase) -> None:
    """Compare with the published rows, and close their packs against today's facts: one read of each kind.

    Raises:
        StoreUnwritable, FactsUnreadable: a database could not be read.
    """
    ours = [(chain, chain.evidence.demand_content_id) for chain in chains]
    published = [(chain, row_id) for chain, row_id in ours if row_id is not None]
    taken = [IntakeRecord(row_id, chain.evidence, chain.query, chain.frozen) for chain, row_id in published]
    for (chain, _), standing in zip(published, recheck(taken, demands, facts), strict=True):
        chain.broken += map(str, standing.breaks)
        if standing.row is not None:
            pack = standing.row.ext_data.evidence_pack
            chain.demand_name, chain.support = standing.row.name, pack.support
            chain.absolute_support = pack.absolute_support
