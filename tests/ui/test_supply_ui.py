"""Both locations in the Dagster UI: a person follows a demand from its evidence to the plan, and sees the proof."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx2
import pytest

from tests.cat_corpus import cat_platform
from tests.supply_chain import HOME, HURRIED, embedded_chain
from tests.ui.test_dagster_ui import ARGUMENTS, SECOND, chromium, free_port, wait_until_it_answers

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = [pytest.mark.ui, pytest.mark.xdist_group("ui")]
BATCH = "581"
DRAWN_BYTES = 20_000
ENDED = {"SUCCESS", "FAILURE", "CANCELED"}
ADD_PARTITION = """
mutation ($selector: RepositorySelector!, $name: String!, $key: String!) {
  addDynamicPartition(repositorySelector: $selector, partitionsDefName: $name, partitionKey: $key) { __typename }
}
"""
LAUNCH = """
mutation ($params: ExecutionParams!) {
  launchRun(executionParams: $params) { __typename ... on LaunchRunSuccess { run { runId } } ... on Error { message } }
}
"""
STATUS = "query ($id: ID!) { runOrError(runId: $id) { ... on Run { status } } }"


class Webserver:
    """The UI's own door for scripts, as its launchpad uses it."""

    def __init__(self, address: str) -> None:
        self.address = address

    def ask(self, query: str, **variables: Any) -> dict[str, Any]:
        answer = httpx2.post(
            f"{self.address}/graphql", json={"query": query, "variables": variables}, timeout=60
        ).json()
        assert "errors" not in answer, answer["errors"]
        (result,) = answer["data"].values()
        found: dict[str, Any] = result
        return found

    def run(self, location: str, job: str, partitions: str, config: dict[str, Any]) -> str:
        """Register the batch and run a job of it; how the run ended."""
        repository = {"repositoryName": "__repository__", "repositoryLocationName": location}
        added = self.ask(ADD_PARTITION, selector=repository, name=partitions, key=BATCH)
        assert added["__typename"] == "AddDynamicPartitionSuccess"
        params = {
            "selector": {**repository, "jobName": job},
            "runConfigData": json.dumps({"resources": config}),
            "executionMetadata": {"tags": [{"key": "dagster/partition", "value": BATCH}]},
        }
        launched = self.ask(LAUNCH, params=params)
        assert launched["__typename"] == "LaunchRunSuccess", launched
        return self._end_of(launched["run"]["runId"])

    def _end_of(self, run_id: str) -> str:
        status = ""
        for _ in range(300):
            status = self.ask(STATUS, id=run_id)["status"]
            if status in ENDED:
                break
            time.sleep(1)
        return status


@pytest.fixture
def webserver(tmp_path: Path) -> Iterator[Webserver]:
    """``make ui`` over the small facts and empty stores, with the platform of cats."""
    chromium()
    with cat_platform() as platform, embedded_chain(tmp_path / HOME):
        port = free_port()
        environment = {**os.environ, **HURRIED, "SUPPLY_LEASE_S": "60", "SUPPLY_PLATFORM_URL": platform}
        log = tmp_path / "ui.log"
        process = subprocess.Popen(
            [sys.executable, "-m", "commands.operations.dagster_ui", "--port", str(port)],
            cwd=tmp_path,
            env={**environment, "PYTHONWARNINGS": "ignore"},
            stdout=log.open("wb"),
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        address = f"http://127.0.0.1:{port}"
        try:
            wait_until_it_answers(address, process, log)
            yield Webserver(address)
        finally:
            os.killpg(process.pid, signal.SIGTERM)
            process.wait(timeout=60)


def test_a_person_follows_a_demand_to_its_plan(webserver: Webserver, tmp_path: Path) -> None:
    from playwright.sync_api import sync_playwright

    wanted = {"demand_request": {"config": {"count": 2}}}
    assert webserver.run("demand", "demand_mysql_demand_content", "execution_id", wanted) == "SUCCESS"
    wanted = {"supply_request": {"config": {"expected_count": 3}}}
    assert webserver.run("supply", "supply_batch", "demand_batch", wanted) == "SUCCESS"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), headless=True, args=ARGUMENTS)
        page = browser.new_page(viewport={"width": 1600, "height": 1100})
        page.set_default_timeout(60 * SECOND)
        see_lineage(page, webserver.address, tmp_path / "lineage.png")
        see_scores(page, webserver.address, tmp_path / "scores.png")
        see_checks(page, webserver.address, tmp_path / "checks.png")
        see_trace(page, webserver.address, tmp_path / "trace.png")
        browser.close()
    for name in ("lineage", "scores", "checks", "trace"):
        assert (tmp_path / f"{name}.png").stat().st_size > DRAWN_BYTES


def see_lineage(page: Page, address: str, shot: Path) -> None:
    """One graph from the facts to the results."""
    page.goto(f"{address}/assets/supply_results?view=lineage&lineageScope=upstream&lineageDepth=12")
    for name in ("weight_scores", "validated_demands", "demand_content", "demand_snapshots", "crawler_plans"):
        page.get_by_text(name, exact=True).first.wait_for()
    for group in ("demand_pool", "intake"):
        page.get_by_text(group, exact=True).first.wait_for()
    page.screenshot(path=shot)


def see_scores(page: Page, address: str, shot: Path) -> None:
    """What the ranking came to, and its funnel."""
    page.goto(f"{address}/assets/content_scores?view=partitions&partition={BATCH}")
    for name in ("selected", "shortfall", "filtered", "score_distribution"):
        page.get_by_text(name, exact=True).first.wait_for()
    page.get_by_text("[Show Markdown]").last.click()
    page.get_by_alt_text("funnel").wait_for()
    assert page.get_by_alt_text("funnel").evaluate("image => image.naturalWidth") > 0
    page.screenshot(path=shot)


def see_checks(page: Page, address: str, shot: Path) -> None:
    """The checks of the plans, each with its rules."""
    page.goto(f"{address}/assets/crawler_plans?view=checks&checkDetail=closure")
    for name in ("complete", "shape", "closure", "S-006", "S-028"):
        page.get_by_text(name, exact=True).first.wait_for()
    assert page.get_by_text("Succeeded", exact=True).count() == 3
    page.screenshot(path=shot)


def see_trace(page: Page, address: str, shot: Path) -> None:
    """Each article of each plan, with the category nodes that asked for it."""
    page.goto(f"{address}/assets/supply_results?view=partitions&partition={BATCH}")
    for name in ("crawler_plan_id", "categories", "closes"):
        page.get_by_text(name, exact=True).first.wait_for()
    page.get_by_text("/情感").first.wait_for()
    page.screenshot(path=shot)
