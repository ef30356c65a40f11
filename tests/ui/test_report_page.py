"""The report in headless Chromium: it fits a phone and a desk, speaks two languages, finds an article, asks nobody."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import text

from lineage.report.numbers import Sources, gather_report
from lineage.report.page import render
from lineage.report.records import Records
from resources.foundation.clock import SystemClock
from tests.cat_corpus import cat_platform
from tests.supply_chain import HOME, embedded_chain, finish_batch
from tests.ui.test_dagster_ui import ARGUMENTS, chromium

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = [pytest.mark.ui, pytest.mark.xdist_group("ui")]
PHONE, DESK = {"width": 375, "height": 812}, {"width": 1440, "height": 900}
HOSTILE = "</script><img src=x onerror=\"document.title='owned'\">" + "长" * 60
UNBROKEN = "x" * 400


@pytest.fixture(scope="module")
def report_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of a finished batch in which one chain is broken, one title hostile and one account name endless."""
    home = tmp_path_factory.mktemp("report") / HOME
    with cat_platform() as address:
        finish_batch(home, address)
    with embedded_chain(home) as chain:
        chain.alter_json("supply_task", "ext", 3, lambda ext: ext | {"source_evidence": {}})
        altered = text(
            "UPDATE supply_candidate_content SET title = :title, account_name = :name WHERE id ="
            " (SELECT MIN(s.candidate_id) FROM supply_content_score s JOIN supply_task t ON t.task_id = s.task_id"
            " WHERE s.is_selected = 1 AND t.id = 1)"
        )
        chain.supply.write(lambda connection: connection.execute(altered, {"title": HOSTILE, "name": UNBROKEN[:250]}))
        records = Records(home / "frames", home / "runs")
        sources = Sources(chain.supply, chain.demands, chain.facts.open, records)
        source = render(gather_report("581", sources, SystemClock()))
    path = home / "581.html"
    path.write_text(source)
    return path


@pytest.fixture(scope="module")
def browser(report_file: Path) -> Iterator[Browser]:
    """Started after the batch: Playwright keeps an event loop running, under which no task could be advanced."""
    from playwright.sync_api import sync_playwright

    with (
        sync_playwright() as playwright,
        closing(playwright.chromium.launch(executable_path=chromium(), headless=True, args=ARGUMENTS)) as running,
    ):
        yield running


class Visit:
    """An opened page, and whatever it asked for or complained of."""

    def __init__(
        self, browser: Browser, path: Path, locale: str = "en-GB", script: bool = True, **look: object
    ) -> None:
        self.context = browser.new_context(locale=locale, java_script_enabled=script, **look)  # type: ignore[arg-type]
        self.page: Page = self.context.new_page()
        self.asked: list[str] = []
        self.complaints: list[str] = []
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.goto(path.as_uri())

    def overflow(self) -> int:
        """Pixels that the page is wider than its window, with everything in it opened."""
        self.page.evaluate("document.querySelectorAll('details').forEach((details) => { details.open = true; })")
        return int(self.page.evaluate("document.documentElement.scrollWidth - innerWidth"))


@pytest.mark.parametrize("locale", ["en-GB", "zh-CN"])
@pytest.mark.parametrize(("window", "scheme"), [(PHONE, "light"), (PHONE, "dark"), (DESK, "light")])
def test_the_page_fits_its_window_and_asks_for_nothing_but_itself(
    browser: Browser, report_file: Path, window: dict[str, int], scheme: str, locale: str, tmp_path: Path
) -> None:
    visit = Visit(browser, report_file, locale, viewport=window, color_scheme=scheme)
    with closing(visit.context):
        assert visit.overflow() <= 0
        visit.page.screenshot(path=tmp_path / "report.png", full_page=True)
        assert visit.page.title() == "pattern2plan · 581"
        assert (visit.asked, visit.complaints) == ([report_file.as_uri()], [])


def test_the_page_speaks_the_browsers_language_and_the_other_by_its_button(browser: Browser, report_file: Path) -> None:
    from playwright.sync_api import expect

    visit = Visit(browser, report_file, "zh-CN", viewport=DESK)
    with closing(visit.context):
        page = visit.page
        expect(page.get_by_role("heading", level=1)).to_contain_text("3 条链路中 1 条断裂", use_inner_text=True)
        expect(page.get_by_role("heading", name="漏斗")).to_be_visible()
        page.get_by_role("button", name="Switch to English").click()
        expect(page.get_by_role("heading", level=1)).to_contain_text("broken: 1 of 3 chains", use_inner_text=True)
        expect(page.get_by_role("heading", name="漏斗")).to_be_hidden()
        assert page.locator("html").get_attribute("lang") == "en"
        assert visit.complaints == []


def test_s006_a_category_path_finds_its_articles_and_opens_their_chain(browser: Browser, report_file: Path) -> None:
    from playwright.sync_api import expect

    visit = Visit(browser, report_file, viewport=PHONE)
    with closing(visit.context):
        page = visit.page
        page.get_by_role("searchbox").fill("/动物/猫咪 closes")
        expect(page.locator("#found")).to_have_text("articles 4 · plans 1")
        [card] = page.locator(".chain:visible").all()
        for said in ("/动物/猫咪", "demand_content 1", "1001", "p1", "every record carries the same evidence"):
            expect(card.locator(".spine")).to_contain_text(said, use_inner_text=True)
        expect(card.locator(".article:visible")).to_have_count(4)
        page.get_by_role("searchbox").fill("BROKEN")
        expect(page.locator(".chain:visible .proof")).to_contain_text("carries other evidence", use_inner_text=True)
        page.get_by_role("searchbox").fill("nobody wrote this")
        expect(page.locator("#found")).to_have_text("nothing found")
        page.get_by_role("searchbox").fill("onerror")
        expect(page.locator(".article.hit .name")).to_have_text(HOSTILE)
        assert visit.complaints == []


def test_s006_without_a_script_the_chains_are_lists_that_open(browser: Browser, report_file: Path) -> None:
    from playwright.sync_api import expect

    visit = Visit(browser, report_file, script=False, viewport=DESK)
    with closing(visit.context):
        expect(visit.page.get_by_role("searchbox")).to_have_count(0)
        visit.page.locator(".chain > summary").first.click()
        expect(visit.page.locator(".chain[open] .proof")).to_contain_text("BROKEN", use_inner_text=True)
