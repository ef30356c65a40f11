"""The Dagster UI in headless Chromium: a person reads the checks, the manifest and the rejects of a partition."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from commands.app import run_command

pytestmark = [pytest.mark.ui, pytest.mark.xdist_group("ui")]
ARGUMENTS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip
SECOND = 1000


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def chromium() -> str:
    found = shutil.which("chromium")
    if found is None:
        if os.environ.get("CI") == "true":
            pytest.fail("chromium is missing in CI")
        pytest.skip("chromium is not installed")
    return found


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """``make ui`` after the demo, in a folder of its own."""
    chromium()
    monkeypatch.setenv("DAGSTER_HOME", str(tmp_path / ".pattern2plan" / "dagster"))
    assert run_command(["demo"]) == 0
    port = free_port()
    command = [sys.executable, "-m", "commands.operations.dagster_ui", "--port", str(port)]
    environment = {**os.environ, "PYTHONWARNINGS": "ignore"}
    log = (tmp_path / "ui.log").open("wb")
    process = subprocess.Popen(
        command, cwd=tmp_path, env=environment, stdout=log, stderr=subprocess.STDOUT, start_new_session=True
    )
    address = f"http://127.0.0.1:{port}"
    try:
        wait_until_it_answers(address, process, tmp_path / "ui.log")
        yield address
    finally:
        os.killpg(process.pid, signal.SIGTERM)
        process.wait(timeout=30)


def wait_until_it_answers(address: str, process: subprocess.Popen[bytes], log: Path) -> None:
    for _ in range(180):
        assert process.poll() is None, log.read_text()[-2000:]
        try:
            with urllib.request.urlopen(f"{address}/server_info", timeout=2):
                return
        except OSError:
            time.sleep(1)
    raise AssertionError(f"the UI did not answer: {log.read_text()[-2000:]}")


def test_a_person_reads_what_came_of_a_partition(server: str, tmp_path: Path):
    from playwright.sync_api import expect, sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), headless=True, args=ARGUMENTS)
        page = browser.new_page(viewport={"width": 1500, "height": 1000})
        expect.set_options(timeout=60 * SECOND)

        page.goto(f"{server}/locations/demand/jobs/demand_mysql_demand_content")
        expect(page.get_by_role("button", name="Materialize all").first).to_be_visible()

        page.goto(f"{server}/assets/run_manifest?view=partitions&partition=101")
        expect(page.get_by_text("stop_reason").first).to_be_visible()

        page.goto(f"{server}/assets/validated_demands?view=checks&checkDetail=itemset_closure")
        expect(page.get_by_text("D-033").first).to_be_visible()
        for name in ("evidence_truth", "pg_only", "post_closure", "category_tree_closure", "element_closure"):
            expect(page.get_by_text(name, exact=True).first).to_be_visible()

        page.goto(f"{server}/assets/rejected_demands?view=partitions&partition=101")
        expect(page.get_by_text("reject_reason").first).to_be_visible()
        page.screenshot(path=str(tmp_path / "rejected.png"))
        browser.close()
    assert (tmp_path / "rejected.png").stat().st_size > 20_000
