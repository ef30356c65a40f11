"""The rules proposer (D-016): deterministic, needs no network, the default.

Itemsets are ranked by mean weight score × support × item specificity, interleaved over category branches, and
each becomes one candidate from the first post in which most of its items bind an element.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Sequence

from demand_assets.evidence.closure import Reject
from demand_assets.evidence.refs import ITEMSET_DETAIL_TOOL, PATTERN_ITEMSET
from demand_assets.evidence.terms import normal_form
from demand_assets.evidence.weights import WeightScores
from demand_assets.proposers.proposer import Identity, Proposals, Proposer, StopReason
from demand_assets.worth.former_choice import rank_score
from demand_assets.worth.spread import spread_over_branches
from resources.databases.pattern_facts.closure_facts import read_bindings
from resources.databases.pattern_facts.engine import FactsDatabase
from resources.databases.pattern_facts.listing import choose_source_posts, list_topic_itemsets
from resources.databases.pattern_facts.records import Binding, ItemsetOutline

MINIMUM_READ_AHEAD = 50


class RulesProposer(Proposer):
    """Proposes topic itemsets of one execution, best first; same facts and seed give the same candidates.

    Args:
        seed: decides between itemsets of equal rank.
    """

    def __init__(self, facts: FactsDatabase, execution_id: int, weights: WeightScores, *, seed: int = 0) -> None:
        self._facts = facts
        self._execution_id = execution_id
        self._weights = weights
        self._seed = seed
        self._queue: list[ItemsetOutline] | None = None
        self._names: set[str] = set()

    @property
    def identity(self) -> Identity:
        return Identity(proposer="rules", settings={"seed": self._seed})

    def propose(self, wanted: int, feedback: Sequence[Reject]) -> Proposals:
        """Up to ``wanted`` candidates with names not proposed before; feedback changes nothing here."""
        candidates: list[object] = []
        first_time = self._queue is None
        queue = self._ranked()
        if first_time and not queue:
            return Proposals([], StopReason.NO_FACTS)
        while queue and len(candidates) < wanted:
            size = max(wanted - len(candidates), MINIMUM_READ_AHEAD)
            chunk, queue[:] = queue[:size], queue[size:]
            made = self._candidates(chunk)
            taken = made[: wanted - len(candidates)]
            candidates.extend(candidate for _, candidate in taken)
            unused = {outline.id for outline, _ in made[len(taken) :]}
            self._names -= {_name_key(c["element_names"]) for _, c in made[len(taken) :]}
            queue[:0] = [outline for outline in chunk if outline.id in unused]
        return Proposals(candidates, None if queue else StopReason.FACTS_USED_UP)

    def _ranked(self) -> list[ItemsetOutline]:
        if self._queue is None:
            with self._facts.snapshot() as snapshot:
                outlines = list_topic_itemsets(snapshot, self._execution_id)
            self._queue = interleave(outlines, self._weights, self._seed)
        return self._queue

    def _candidates(self, chunk: list[ItemsetOutline]) -> list[tuple[ItemsetOutline, dict[str, object]]]:
        with self._facts.snapshot() as snapshot:
            posts = choose_source_posts(snapshot, self._execution_id, [outline.id for outline in chunk])
            bindings = read_bindings(snapshot, self._execution_id, posts.items())
        made = []
        for outline in chunk:
            post = posts.get(outline.id)
            names = self._element_names(outline, bindings.get((outline.id, post or ""), []))
            key = _name_key(names)
            if key in self._names:
                continue
            self._names.add(key)
            made.append((outline, _candidate(outline, post, names)))
        return made

    def _element_names(self, outline: ItemsetOutline, bindings: list[Binding]) -> list[str]:
        """One bound element an item, the most carried one first choice; category names where nothing binds."""
        by_item: dict[int, list[str]] = defaultdict(list)
        for binding in bindings:
            by_item[binding.itemset_item_id].append(binding.element_name)
        names: list[str] = []
        for item in outline.items:
            choices = sorted(by_item[item.id], key=lambda n: (-self._weights.elements.get(n, 0.0), n))
            fresh = [name for name in choices if name not in names]
            chosen = (fresh or choices or [item.category_name or ""])[0]
            if chosen.strip() and chosen not in names:
                names.append(chosen)
        return names or [f"itemset {outline.id}"]


def interleave(outlines: list[ItemsetOutline], weights: WeightScores, seed: int) -> list[ItemsetOutline]:
    """Best first, but each category branch's n-th itemset comes before any branch's (n+1)-th."""
    ranked = sorted(outlines, key=lambda o: (-rank_score(o, weights), _tie_break(o.id, seed)))
    return spread_over_branches(ranked, lambda outline: outline)


def _tie_break(itemset_id: int, seed: int) -> str:
    return hashlib.sha256(f"{seed}:{itemset_id}".encode()).hexdigest()


def _name_key(names: object) -> str:
    return ",".join(sorted(normal_form(str(name)) for name in names)) if isinstance(names, list) else ""


def _candidate(outline: ItemsetOutline, post: str | None, names: list[str]) -> dict[str, object]:
    joined = "与".join(names)
    categories = [item.category_id for item in outline.items if item.category_id is not None]
    return {
        "element_names": names,
        "reason": f"该组合在 {outline.absolute_support} 篇内容中共同出现，支持度 {outline.support or 0:.4f}",
        "desc": f"围绕{joined}的内容需求",
        "type": "pattern",
        "evidence_refs": {
            "source_kind": PATTERN_ITEMSET,
            "source_tool": ITEMSET_DETAIL_TOOL,
            "itemset_ids": [outline.id],
            "category_ids": list(dict.fromkeys(categories)),
            "source_post_id": post,
            "case_ids": {PATTERN_ITEMSET: [post] if post else []},
            "seed_terms": names,
            "notes": "",
        },
    }
