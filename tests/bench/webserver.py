"""The webserver over a full storage: 5,000 partitions and 50,000 check results on PostgreSQL, to the first paint."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
import urllib.request
import zlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import dagster as dg

from demand_assets.orchestration.partitions import EXECUTIONS
from expectations.demand.suites import EVIDENCE_SUITES, OUTPUT_SUITES
from tests.real_servers import POSTGRES, temporary_database
from tests.ui.test_dagster_ui import ARGUMENTS, chromium, free_port

PARTITIONS = 5_000
FIRST_KEY = 100_000
CHECKS = [
    *(("validated_demands", suite) for suite in EVIDENCE_SUITES),
    *(("demand_content", suite) for suite in OUTPUT_SUITES),
    ("supply_tasks", "complete"),
    ("supply_tasks", "shape"),
]
ASSETS = ("pattern_itemsets", "weight_scores", "candidate_demands", "validated_demands", "demand_content")
TRIES = 3
THREADS = 4
ROOT = Path(__file__).resolve().parents[2]
PAINT = "() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? null"


def first_paint() -> dict[str, Any]:
    """Seconds to first contentful paint and to the text a person came for; the best of three visits each."""
    with temporary_database(POSTGRES) as storage, tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "dagster"
        home.mkdir()
        unsynced = storage.set(drivername="postgresql+psycopg2", query={"options": "-csynchronous_commit=off"})
        url = unsynced.render_as_string(hide_password=False)
        (home / "dagster.yaml").write_text(
            f"storage:\n  postgres:\n    postgres_url: {url}\ntelemetry:\n  enabled: false\nnux:\n  enabled: false\n"
        )
        began = time.monotonic()
        with dg.DagsterInstance.from_config(str(home)) as instance:
            results = _fill(instance)
        filled = time.monotonic() - began
        with _webserver(home, Path(folder)) as address:
            pages = {
                "asset_page": (f"{address}/assets/demand_content?view=partitions", str(FIRST_KEY)),
                "checks_page": (f"{address}/assets/validated_demands?view=checks", "itemset_closure"),
            }
            seen = {name: _visit(page, text) for name, (page, text) in pages.items()}
    return {"partitions": PARTITIONS, "check_results": results, "fill_s": round(filled), **seen}


def _fill(instance: dg.DagsterInstance) -> int:
    keys = [str(FIRST_KEY + number) for number in range(PARTITIONS)]
    instance.add_dynamic_partitions(str(EXECUTIONS.name), keys)
    with ThreadPoolExecutor(THREADS) as threads:
        return sum(threads.map(lambda key: _fill_partition(instance, key), keys))


def _fill_partition(instance: dg.DagsterInstance, key: str) -> int:
    for asset in ASSETS:
        instance.report_runless_asset_event(dg.AssetMaterialization(asset, partition=key))
    for asset, check in CHECKS:
        instance.report_runless_asset_event(
            dg.AssetCheckEvaluation(
                asset_key=dg.AssetKey(asset),
                check_name=check,
                passed=zlib.crc32(f"{key} {check}".encode()) % 50 != 0,
                metadata={"rows": 25, "rule_ids": "D-030, D-034"},
                partition=key,
            )
        )
    return len(CHECKS)


@contextmanager
def _webserver(home: Path, folder: Path) -> Iterator[str]:
    port = free_port()
    command = [str(Path(sys.executable).parent / "dagster-webserver"), "-w", str(ROOT / "workspace.yaml")]
    environment = {**os.environ, "DAGSTER_HOME": str(home), "PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "ignore"}
    environment["PATTERN2PLAN_HOME"] = str(folder / "home")
    with (folder / "web.log").open("wb") as log:
        process = subprocess.Popen(
            [*command, "-h", "127.0.0.1", "-p", str(port)], env=environment, stdout=log, stderr=subprocess.STDOUT
        )
        address = f"http://127.0.0.1:{port}"
        try:
            for _ in range(120):
                try:
                    with urllib.request.urlopen(f"{address}/server_info", timeout=2):
                        break
                except OSError:
                    time.sleep(0.5)
            yield address
        finally:
            process.terminate()
            process.wait(timeout=30)


def _visit(address: str, text: str) -> dict[str, float]:
    from playwright.sync_api import sync_playwright

    paints, texts = [], []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), headless=True, args=ARGUMENTS)
        for _ in range(TRIES):
            page = browser.new_context(viewport={"width": 1500, "height": 1000}).new_page()
            page.set_default_timeout(60_000)
            began = time.monotonic()
            page.goto(address, wait_until="commit")
            page.get_by_text(text).first.wait_for()
            texts.append(time.monotonic() - began)
            paints.append(page.evaluate(PAINT) / 1000)
            page.context.close()
        browser.close()
    return {"first_contentful_paint_s": round(min(paints), 2), "content_s": round(min(texts), 2)}
