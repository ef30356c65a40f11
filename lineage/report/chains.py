"""Every chain of a batch, proved: those that do not close first, as many as a page can hold, and all of them counted.

Chains are walked a page of tasks at a time, so that memory does not grow with the batch.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, field

from lineage.trace import Chain, chains_of_tasks, prove
from resources.databases.demand_store.engine import DemandStore
from resources.databases.pattern_facts.engine import FactsDatabase
from resources.databases.supply_store.engine import SupplyStore

PAGE = 200
MOST_ARTICLES = 5_000
OpenFacts = Callable[[], AbstractContextManager[FactsDatabase]]


@dataclass
class ChainPart:
    """Counts are exact; ``kept`` holds the chains to show, the broken ones first, of at most 5,000 articles."""

    chains: int = 0
    articles: int = 0
    plans: int = 0
    plan_items: int = 0
    broken: set[str] = field(default_factory=set)
    """Ids of the tasks whose chain does not close."""
    kept: list[Chain] = field(default_factory=list)

    @property
    def articles_left_out(self) -> int:
        return self.articles - sum(len(chain.articles) for chain in self.kept)

    @property
    def chains_left_out(self) -> int:
        return self.chains - len(self.kept)


def chain_part(
    task_ids: Sequence[str], store: SupplyStore, demands: DemandStore, open_facts: OpenFacts, most: int = MOST_ARTICLES
) -> ChainPart:
    """Walk and prove the chain of each task. The facts are opened when the first chain goes back to a pattern.

    Raises:
        StoreUnwritable, FactsUnreadable: a database could not be read: nothing is said.
    """
    part, owners = ChainPart(), dict[str, list[str]]()
    broken: list[Chain] = []
    closed: list[Chain] = []
    with ExitStack() as opened:
        facts: FactsDatabase | None = None
        for start in range(0, len(task_ids), PAGE):
            chains = chains_of_tasks(task_ids[start : start + PAGE], store)
            with_pattern = [chain for chain in chains if chain.has_pattern]
            if with_pattern:
                facts = facts or opened.enter_context(open_facts())
                prove(with_pattern, demands, facts)
            for chain in chains:
                chain.frozen = None
                _count(part, chain, owners)
            broken = _of_at_most(most, [*broken, *(chain for chain in chains if not chain.closed)])
            closed = _of_at_most(most, [*closed, *(chain for chain in chains if chain.closed)])
    part.kept = _of_at_most(most, [*broken, *closed])
    _say_shared_plans(part, owners)
    return part


def _of_at_most(articles: int, chains: Iterable[Chain]) -> list[Chain]:
    """Chains in their order, but for those whose articles would be too many together."""
    kept = []
    for chain in chains:
        if len(chain.articles) <= articles:
            kept.append(chain)
            articles -= len(chain.articles)
    return kept


def _count(part: ChainPart, chain: Chain, owners: dict[str, list[str]]) -> None:
    part.chains += 1
    part.articles += len(chain.articles)
    if not chain.closed:
        part.broken.add(chain.task_id)
    for plan in chain.plans:
        if plan["crawler_plan_id"]:
            part.plans += 1
            part.plan_items += plan["input_count"]
            owners.setdefault(plan["crawler_plan_id"], []).append(chain.task_id)


def _say_shared_plans(part: ChainPart, owners: dict[str, list[str]]) -> None:
    """One plan recorded by tasks of different pages, which the walk of one page cannot see (S-028)."""
    shared = {plan_id: tasks for plan_id, tasks in owners.items() if len(tasks) > 1}
    for tasks in shared.values():
        part.broken.update(tasks)
    for chain in part.kept:
        for plan in chain.plans:
            times = len(shared.get(plan["crawler_plan_id"], ()))
            said = f"plan {plan['crawler_plan_id']} is recorded"
            if times and not any(reason.startswith(said) for reason in chain.broken):
                chain.broken.append(f"{said} {times} times")
