"""``pattern2plan sandbox``: the stand-in for the outside. Facts are written only where ``--dsn`` points."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from sqlalchemy.engine import URL

from commands.sandbox.platform import serve_platform
from resources.console.options import AsJson
from resources.console.output import out, print_json
from resources.console.progress import rows_progress
from resources.settings.database_urls import parse_dsn
from resources.settings.demand import read_settings

if TYPE_CHECKING:
    from sandbox.facts.fact_base import FactBase

sandbox_app = typer.Typer(help="Facts to try the product on.", no_args_is_help=True)

Dsn = Annotated[
    str | None, typer.Option(help="Where to write facts; default: the embedded SQLite file, never the facts DSN.")
]
Replace = Annotated[bool, typer.Option("--replace", help="Write executions anew that are there already.")]


@sandbox_app.command("load")
def load(
    facts: Annotated[
        Path | None, typer.Option(help="Folder with the seven Parquet tables; default: the product's own sample.")
    ] = None,
    dsn: Dsn = None,
    replace: Replace = False,
    json: AsJson = False,
) -> None:
    """Load fact tables with the indexes a real fact base would have."""
    from sandbox.sample.facts_sample import sample_fact_base

    source = facts if facts is not None else sample_fact_base().facts
    _load(source, _target(dsn), replace, json)


@sandbox_app.command("mine")
def mine(
    posts: Annotated[
        Path,
        typer.Argument(help="CSV or Parquet: id, title, category_path, tags."),
    ],
    dsn: Dsn = None,
    merge_level2: Annotated[str, typer.Option(help="Business level of the new execution.")] = "全局树",
    platform_type: Annotated[str, typer.Option(help="Platform of the new execution.")] = "piaoquan",
    min_support: Annotated[float, typer.Option(help="Share of posts, in (0, 1], that an itemset needs.")] = 0.02,
    max_items: Annotated[int, typer.Option(help="Largest itemset.")] = 3,
    json: AsJson = False,
) -> None:
    """Mine your own tagged posts into a new execution."""
    from sandbox.facts.facts_load import first_free_ids
    from sandbox.mining.mining import mine_posts
    from sandbox.mining.posts import read_posts

    target = _target(dsn)
    free = first_free_ids(target)
    mined = mine_posts(
        read_posts(posts),
        execution_id=free.execution,
        merge_leve2=merge_level2,
        platform_type=platform_type,
        min_support=min_support,
        max_items=max_items,
        first_ids=free,
    )
    _load(mined, target, False, json)


sandbox_app.command("serve")(serve_platform)


def _target(dsn: str | None) -> URL:
    return read_settings().embedded_facts_url() if dsn is None else parse_dsn(dsn, "--dsn")


def _load(source: FactBase | Path, url: URL, replace: bool, as_json: bool) -> None:
    from sandbox.facts.facts_load import load_facts

    with rows_progress() as progress:
        report = load_facts(source, url, replace=replace, progress=progress)
    if as_json:
        print_json({"executions": report.execution_ids, "replaced": report.replaced_execution_ids, "rows": report.rows})
        return
    shown = ", ".join(map(str, report.execution_ids))
    rows = sum(report.rows.values())
    out.print(f"executions {shown}: {rows} rows in {report.seconds:.1f} s ({url.get_backend_name()})")
