"""The review desk in headless Chromium, on a desktop and on a phone."""

from __future__ import annotations

import os
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from resources.databases.supply_store.states import Stage
from tests.cat_corpus import cat_platform
from tests.supply_chain import HOME, HURRIED, embedded_chain, of_post, request
from tests.ui.test_dagster_ui import ARGUMENTS, SECOND, chromium, free_port

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = [pytest.mark.ui, pytest.mark.xdist_group("ui")]
TOKEN = "a-token-of-many-characters"
DRAWN_BYTES = 10_000


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """``pattern2plan review serve`` over two ranked tasks."""
    chromium()
    with cat_platform() as platform, embedded_chain(tmp_path / HOME) as chain:
        for name, value in {**HURRIED, "SUPPLY_PLATFORM_URL": platform}.items():
            monkeypatch.setenv(name, value)
        chain.publish(of_post("p1"))
        tasks = [*chain.take_in(expected_count=3).tasks, *chain.ask(request()).tasks]
        chain.run(tasks, through=Stage.RANK)
        port = free_port()
        code = "import sys; from commands.app import run_command; sys.exit(run_command(sys.argv[1:]))"
        process = subprocess.Popen(
            [sys.executable, "-c", code, "review", "serve", "--port", str(port)],
            env={**os.environ, "PATTERN2PLAN_HOME": str(tmp_path / HOME), "PATTERN2PLAN_DESK_TOKEN": TOKEN},
        )
        address = f"http://127.0.0.1:{port}"
        try:
            _wait(address)
            yield address
        finally:
            process.terminate()
            process.wait(timeout=30)


def test_a_person_signs_in_holds_a_task_and_accepts_an_article(desk: str, tmp_path: Path):
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), headless=True, args=ARGUMENTS)
        context = browser.new_context(viewport={"width": 1280, "height": 900}, locale="en-US")
        page = context.new_page()
        page.set_default_timeout(30 * SECOND)
        errors: list[str] = []
        page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)

        page.goto(desk)
        page.get_by_label("Your name").fill("李编辑")
        page.get_by_label("Token").fill(TOKEN)
        page.get_by_role("button", name="Sign in").click()
        page.locator(".query").last.click()
        page.get_by_text("Category nodes").wait_for()
        page.get_by_label("Reason").first.fill("标题与正文不符")
        page.get_by_label("Reason").first.press("Enter")
        assert "done" not in page.url, "Enter decides nothing"
        page.get_by_role("button", name="Hold").first.click()
        page.get_by_text("Decided.").wait_for()
        page.get_by_text("李编辑: hold task: 标题与正文不符").wait_for()
        page.screenshot(path=tmp_path / "task.png")
        first = page.locator(".candidates .box").first
        first.get_by_label("Reason").fill("值得一读")
        first.get_by_role("button", name="Accept").click()
        page.locator(".candidates").get_by_text("ACCEPTED").first.wait_for()
        task = page.url.split("?")[0]
        page.goto(f"{desk}/?kind=held")
        assert page.locator(".query").count() == 1
        page.screenshot(path=tmp_path / "held.png")
        page.get_by_role("link", name="中文").click()
        page.get_by_role("link", name="搁置 1").and_(page.locator("[aria-current=page]")).wait_for()

        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            page.set_viewport_size({"width": 375, "height": 812})
            for place, name in ((f"{desk}/?lang=zh", "list"), (task, "task")):
                page.goto(place)
                page.get_by_text("审核台").first.wait_for()
                _fits(page)
                page.screenshot(path=tmp_path / f"phone_{name}_{scheme}.png")
        browser.close()
    assert errors == []
    for shot in tmp_path.glob("*.png"):
        assert shot.stat().st_size > DRAWN_BYTES


def _fits(page: Page) -> None:
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "the page scrolls sideways"


def _wait(address: str) -> None:
    for _ in range(60):
        try:
            with urllib.request.urlopen(f"{address}/desk.css", timeout=2):
                return
        except OSError:
            time.sleep(0.5)
    raise AssertionError("the desk did not answer")
