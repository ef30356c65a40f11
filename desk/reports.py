"""Reports of batches as the asset ``execution_report`` wrote them, for whoever has signed in."""

from __future__ import annotations

from pathlib import Path

from starlette.responses import HTMLResponse, Response

from lineage.report.page import CSP
from resources.foundation.errors import Pattern2PlanError
from supply_assets.intake.batches import parse_batch_key

HEADERS = {"Content-Security-Policy": f"{CSP}; frame-ancestors 'none'; sandbox allow-scripts allow-popups"}
"""The page has scripts of its own; in a sandbox they can neither read the desk's cookie nor send its forms."""


class NoSuchReport(Pattern2PlanError):
    """No report of the batch is kept."""


def stored_report(folder: Path, batch: str) -> Response:
    """The page of a batch.

    Raises:
        UsageError: the key is none of a batch.
        NoSuchReport: the batch has no report yet.
    """
    parse_batch_key(batch)
    try:
        content = (folder / f"{batch}.html").read_bytes()
    except FileNotFoundError:
        raise NoSuchReport(f"no report of batch {batch} is kept", "materialize execution_report of it") from None
    return HTMLResponse(content, headers=HEADERS)
