"""``pattern2plan trace``: the chain from a plan's article to a category node, from any of its five ends (S-006)."""

from __future__ import annotations

from contextlib import closing
from typing import Annotated

import typer
from rich.tree import Tree

from lineage.chain_tree import chain_json, from_article, from_pattern, from_plan
from lineage.trace import Chain, ChainEnd, article_of, chains_through, prove
from resources.console.options import AsJson
from resources.console.output import out, print_json
from resources.databases.connections import open_facts, open_store, open_supply_store
from resources.settings.demand import read_settings
from resources.settings.supply import read_supply_settings


def trace(
    crawler_plan_id: Annotated[str | None, typer.Option(help="A plan on the platform.")] = None,
    url: Annotated[str | None, typer.Option(help="An article, by any form of its link.")] = None,
    post_id: Annotated[str | None, typer.Option(help="A post that supports a pattern.")] = None,
    demand_content_id: Annotated[int | None, typer.Option(help="A published demand.")] = None,
    category_id: Annotated[int | None, typer.Option(help="A node of the category tree.")] = None,
    limit: Annotated[int, typer.Option(min=1, help="The most chains that are shown, the oldest tasks first.")] = 20,
    json: AsJson = False,
) -> int:
    """Walk the whole chain and prove it; exit code 1 where a chain does not close or none goes through."""
    end = ChainEnd(crawler_plan_id, url, post_id, demand_content_id, category_id)
    with closing(open_supply_store(read_supply_settings())) as store:
        found = chains_through(end, store, limit + 1)
    chains, more = found[:limit], len(found) > limit
    _prove(chains)
    if json:
        print_json({"chains": [chain_json(chain) for chain in chains], "more": more})
    elif not chains:
        out.print("no chain goes through this end")
    else:
        for chain in chains:
            out.print(_tree(end, chain))
    if more and not json:
        out.print(f"more chains go through this end than {limit}: ask for more with --limit")
    return 0 if chains and all(chain.closed for chain in chains) else 1


def _prove(chains: list[Chain]) -> None:
    """Only a chain that goes back to a pattern needs the facts; requests alone need none."""
    with_pattern = [chain for chain in chains if chain.has_pattern]
    if not with_pattern:
        return
    settings = read_settings()
    with closing(open_facts(settings)) as facts:
        prove(with_pattern, open_store(settings), facts)


def _tree(end: ChainEnd, chain: Chain) -> Tree:
    if end.url is not None:
        return from_article(chain, article_of(chain, end.url))
    return from_plan(chain) if end.crawler_plan_id is not None else from_pattern(chain)
