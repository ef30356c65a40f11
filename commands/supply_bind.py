"""``pattern2plan supply bind``: offer again what a finished task has still to do, the binding of its plan."""

from __future__ import annotations

from contextlib import closing
from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from resources.console.options import AsJson
from resources.console.output import err, out, print_json
from resources.databases.connections import open_facts, open_store
from resources.settings.demand import read_settings
from resources.settings.supply import read_supply_settings
from supply_assets.tasks.batch_context import open_batch_context
from supply_assets.tasks.beforehand import require_platform
from supply_assets.tasks.rebinding import Offer, Offered, bindings_to_offer, offer_bindings, unproved


def offer_again(
    batch: Annotated[str | None, typer.Option(help="Only plans of this batch; default: of all.")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="List them; send nothing.")] = False,
    json: AsJson = False,
) -> int:
    """Send bindings that failed once more; the same operation id, so that sending twice binds once.

    Exit code 1: one is still not bound.
    """
    settings = read_supply_settings()
    with open_batch_context(settings) as context:
        plans = bindings_to_offer(context, batch)
        if plans and not dry_run:
            require_platform(settings)
            demand_settings = read_settings()
            with closing(open_facts(demand_settings)) as facts:
                broken = unproved(context, plans, open_store(demand_settings), facts)
            offered = offer_bindings(context, plans, broken, lambda one: err.print(_said(one), markup=False))
        else:
            offered = []
    if json:
        waiting = [{"task_id": plan.task_id, "crawler_plan_id": plan.crawler_plan_id} for plan in plans]
        print_json({"to_offer": waiting, "offered": [one._asdict() for one in offered]})
    elif not plans:
        out.print("no binding failed: nothing is left to offer", markup=False)
    elif dry_run:
        table = Table("task", "plan", "produce plan", "said")
        for plan in plans:
            said = f"{plan.error_code}: {plan.error_message}"
            table.add_row(*map(Text, (plan.task_id, str(plan.crawler_plan_id), str(plan.produce_plan_id), said)))
        out.print(table)
    else:
        bound = sum(one.offer is Offer.BOUND for one in offered)
        out.print(f"{bound} of {len(offered)} bound; the others stay as they are", markup=False)
    return 0 if all(one.offer is Offer.BOUND for one in offered) else 1


def _said(one: Offered) -> str:
    return f"{one.task_id}: {one.offer}" + (f" ({one.reason})" if one.reason else "")
