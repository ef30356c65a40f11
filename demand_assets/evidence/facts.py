"""The facts of one decision, read once for all candidates in one snapshot; nothing is remembered between decisions.

``read_facts`` runs five statements, however many candidates there are.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from sqlalchemy import Connection

from demand_assets.evidence.terms import normal_form
from resources.databases.pattern_facts.closure_facts import (
    read_bindings,
    read_execution,
    read_items,
    read_itemsets,
    read_posts,
)
from resources.databases.pattern_facts.records import Binding, Execution, Item, Itemset, Posts
from resources.databases.pattern_facts.tables import SUCCESS

NO_POSTS = Posts([], 0)


@dataclass(frozen=True)
class Facts:
    """Facts of one execution about the itemsets and source posts that were asked for."""

    execution_id: int
    execution: Execution | None
    itemsets: dict[int, Itemset]
    items: dict[int, list[Item]]
    posts: dict[int, Posts]
    bindings: dict[tuple[int, str], list[Binding]]

    def usable(self) -> bool:
        """D-030: the execution exists and was successful."""
        return self.execution is not None and self.execution.status == SUCCESS

    def posts_of(self, itemset_id: int) -> Posts:
        """Posts of an itemset; none where it has no link."""
        return self.posts.get(itemset_id, NO_POSTS)

    def about(self, itemset_ids: Iterable[int], post_id: str | None) -> Evidence:
        """What the facts hold on some itemsets in one post."""
        ids = [itemset_id for itemset_id in itemset_ids if itemset_id in self.itemsets]
        items = [item for itemset_id in ids for item in self.items.get(itemset_id, ())]
        if post_id is None:
            return Evidence(ids, items, [])
        return Evidence(ids, items, [b for i in ids for b in self.bindings.get((i, post_id), ())])


@dataclass(frozen=True)
class Evidence:
    """Itemsets that exist, their items, and the topic elements that these bind in one post."""

    itemset_ids: list[int]
    items: list[Item]
    bindings: list[Binding]

    def spellings(self) -> list[str]:
        """The evidence's own words: bound names, category names, path segments; each once, as the facts spell it."""
        words = [binding.element_name for binding in self.bindings]
        for item in self.items:
            words.extend(_segments(item.category_name, item.category_path, item.category_full_path))
        return [word for word in dict.fromkeys(words) if word.strip()]

    def words(self) -> frozenset[str]:
        """Normal forms of :meth:`spellings` (D-041)."""
        forms = [_forms(item.category_name, item.category_path, item.category_full_path) for item in self.items]
        bound = [normal_form(binding.element_name) for binding in self.bindings]
        return frozenset(bound).union(*forms) - {""}


@lru_cache(maxsize=65536)
def _segments(name: str | None, path: str | None, full_path: str | None) -> tuple[str, ...]:
    return (name or "", *(path or "").split("/"), *(full_path or "").split("/"))


@lru_cache(maxsize=65536)
def _forms(name: str | None, path: str | None, full_path: str | None) -> frozenset[str]:
    return frozenset(map(normal_form, _segments(name, path, full_path)))


def read_facts(connection: Connection, execution_id: int, claims: Iterable[tuple[int, str | None]]) -> Facts:
    """Read what is needed to judge claims about itemsets.

    Args:
        claims: pairs of an itemset id and the source post claimed for it, ``None`` where none was given.
    """
    pairs = list(claims)
    itemset_ids = sorted({itemset_id for itemset_id, _ in pairs})
    return Facts(
        execution_id=execution_id,
        execution=read_execution(connection, execution_id),
        itemsets=read_itemsets(connection, itemset_ids),
        items=read_items(connection, itemset_ids),
        posts=read_posts(connection, itemset_ids),
        bindings=read_bindings(connection, execution_id, [(i, post) for i, post in pairs if post is not None]),
    )
