"""``pattern2plan demand worth``: the words that an execution's posts carry together, and whether that holds."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from resources.console.options import AsJson
from resources.console.output import out, print_json
from resources.databases.connections import open_facts
from resources.databases.pattern_facts.executions import require_usable
from resources.settings.demand import read_settings

if TYPE_CHECKING:
    from demand_assets.worth.split_test import SplitResult
    from demand_assets.worth.term_statistics import TermStatistics


def worth(
    execution_id: Annotated[int, typer.Option(help="An existing pattern_mining_execution.id with status success.")],
    count: Annotated[int, typer.Option(min=1, max=10_000, help="Lines to show, the best first.")] = 30,
    min_term_posts: Annotated[int, typer.Option(min=1, help="Posts that must carry the words together.")] = 5,
    max_overlap: Annotated[float, typer.Option(min=0, max=1, help="Joint posts that two lines may share.")] = 0.5,
    split_test: Annotated[bool, typer.Option("--split-test", help="Choose on one half, measure on the other.")] = False,
    seed: Annotated[int, typer.Option(help="Decides between equals, and how the posts are split.")] = 0,
    json: AsJson = False,
) -> None:
    """The words of each topic itemset that meet in most posts beyond chance; nothing is proposed or written."""
    from demand_assets.evidence.weights import read_weight_scores
    from demand_assets.worth.content_terms import is_content_term
    from demand_assets.worth.split_test import SplitTest
    from demand_assets.worth.term_statistics import WorthLimits, read_material, statistics_of

    with closing(open_facts(read_settings())) as facts:
        require_usable(facts, execution_id)
        with facts.snapshot() as snapshot:
            material = read_material(snapshot, execution_id)
            weights = read_weight_scores(snapshot, execution_id) if split_test else None
    statistics = statistics_of(material, WorthLimits(min_term_posts, max_overlap, seed))
    results: dict[str, SplitResult] = {}
    if weights is not None:
        halves = SplitTest(*material[1:], seed, count, min_term_posts, max_overlap)
        results = {"chosen": halves.measure(is_content_term), "of_one_post": halves.measure_former(weights)}
    if json:
        print_json(_plain(statistics, count) | {name: _shares(result) for name, result in results.items()})
        return
    _print(statistics, count)
    for name, result in results.items():
        low, high = result.interval
        out.print(f"{name}: {result.held} of {result.demands} hold on unseen posts ({low:.0%} to {high:.0%})")


def _print(statistics: TermStatistics, count: int) -> None:
    table = Table("words", "together", "posts", "lift", "worth")
    for demand in statistics.demands[:count]:
        numbers = (len(demand.joint_posts), demand.outline.absolute_support, f"{demand.lift:.3g}", round(demand.worth))
        table.add_row(Text("、".join(demand.terms)), *map(str, numbers))
    out.print(table)
    reasons = ", ".join(f"{number} {reason}" for reason, number in statistics.passed_over().items())
    out.print(f"{len(statistics.demands)} of {statistics.itemsets} itemsets have words worth asking for; {reasons}")


def _plain(statistics: TermStatistics, count: int) -> dict[str, Any]:
    demands = [
        {
            "itemset_id": demand.outline.id,
            "terms": list(demand.terms),
            "joint_post_count": len(demand.joint_posts),
            "post_count": demand.outline.absolute_support,
            "lift": demand.lift,
            "worth": demand.worth,
            "sample_post_ids": list(demand.joint_posts[:10]),
        }
        for demand in statistics.demands[:count]
    ]
    return {"itemsets": statistics.itemsets, "passed_over": statistics.passed_over(), "demands": demands}


def _shares(result: SplitResult) -> dict[str, Any]:
    return {"demands": result.demands, "held": result.held, "share": result.share, "interval": result.interval}
