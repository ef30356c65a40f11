"""A chain as plain values, and as a tree to read on a terminal."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from rich.text import Text
from rich.tree import Tree

from lineage.trace import Chain, TracedArticle

SHOWN_POSTS = 5


def chain_json(chain: Chain) -> dict[str, Any]:
    """A chain as plain values, without the copy of the row that the proof compares with."""
    values = {name: value for name, value in asdict(chain).items() if name != "frozen"}
    return values | {"evidence": chain.evidence.model_dump(mode="json"), "closed": chain.closed}


def from_article(chain: Chain, article: TracedArticle) -> Tree:
    """The article at the root, the category nodes at the leaves."""
    root = Tree(_article(article))
    _add_origin(root.add(_plan(chain)), chain)
    return root


def _add_origin(plan: Tree, chain: Chain) -> None:
    _add_leaves(plan.add(_task(chain)).add(_demand(chain)).add(_itemset(chain)), chain)


def from_plan(chain: Chain) -> Tree:
    """The plan at the root; its articles, and the category nodes at the leaves."""
    root = Tree(_plan(chain))
    for article in chain.articles:
        root.add(_article(article))
    _add_origin(root, chain)
    return root


def from_pattern(chain: Chain) -> Tree:
    """The itemset at the root, the articles at the leaves."""
    root = Tree(_itemset(chain))
    _add_leaves(root, chain)
    plan = root.add(_demand(chain)).add(_task(chain)).add(_plan(chain))
    for article in chain.articles:
        plan.add(_article(article))
    return root


def _plan(chain: Chain) -> Text:
    if not chain.plans:
        return Text("no plan yet")
    plan = chain.plans[0]
    return Text(f"plan {plan['crawler_plan_id']} · {plan['plan_type']} · {plan['plan_status']}")


def _task(chain: Chain) -> Text:
    proof = "chain closes" if chain.closed else "BROKEN: " + "; ".join(chain.broken)
    return Text(f"task {chain.task_id} · {chain.status} · “{chain.query}” · {proof}")


def _demand(chain: Chain) -> Text:
    evidence = chain.evidence
    if evidence.origin == "request":
        return Text(f"request {evidence.demand_id}: asked from outside, no pattern stands behind it")
    return Text(f"demand_content {evidence.demand_content_id} · {chain.demand_name or '(gone)'}")


def _itemset(chain: Chain) -> Text:
    evidence = chain.evidence
    if not evidence.itemset_ids:
        return Text("no pattern")
    support = "" if chain.support is None else f" · support {chain.support:.4g} in {chain.absolute_support} posts"
    itemsets = ", ".join(map(str, evidence.itemset_ids))
    return Text(
        f"itemset {itemsets} · execution {evidence.pattern_execution_id} · "
        f"mining config {evidence.mining_config_id}{support}"
    )


def _add_leaves(itemset: Tree, chain: Chain) -> None:
    evidence = chain.evidence
    for node in evidence.categories:
        itemset.add(Text(f"category {node.id} · {node.path}"))
    if evidence.source_post_id is None:
        return
    others = [post for post in evidence.matched_post_ids if post != evidence.source_post_id]
    shown = [f"source post {evidence.source_post_id}", *(f"post {post}" for post in others[:SHOWN_POSTS])]
    if len(others) > SHOWN_POSTS:
        shown.append(f"… {len(others) - SHOWN_POSTS} more posts (--json lists them all)")
    for line in shown:
        itemset.add(Text(line))


def _article(article: TracedArticle) -> Text:
    title = f"#{article.rank_no} {article.total_score:.2f} {article.title} · {article.account_name or '?'}"
    return Text(f"{title}\n{article.url}")
