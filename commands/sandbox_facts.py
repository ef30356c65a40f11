"""``pattern2plan sandbox``: the stand-in for the outside."""

from __future__ import annotations

import typer

sandbox_app = typer.Typer(help="Facts to try the product on.", no_args_is_help=True)


@sandbox_app.callback()
def _group() -> None:
    """Facts to try the product on."""
