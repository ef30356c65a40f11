"""Reports over the small chain: what ``pattern2plan report`` and the asset gather, without a terminal or Dagster."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from lineage.report.numbers import Report, Sources, gather_report
from lineage.report.records import Records
from resources.foundation.clock import SystemClock
from tests.supply_chain import HOME, SupplyChain

Reporting = Callable[..., Report]


@pytest.fixture
def reporting(tmp_path: Path) -> Reporting:
    """The report of a batch of a chain; records are looked for where the product keeps them."""

    def of(chain: SupplyChain, batch: str = "581") -> Report:
        records = Records(tmp_path / HOME / "frames")
        return gather_report(batch, Sources(chain.supply, chain.demands, chain.facts.open, records), SystemClock())

    return of
