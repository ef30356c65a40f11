"""The page: one file that loads nothing, in which whatever a stranger wrote is text."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from sqlalchemy import text

from lineage.report.page import render, web_link
from lineage.report.wording import TEXTS
from tests.lineage.report.conftest import Reporting
from tests.supply_chain import SupplyChain

HOSTILE = """</script></style><img src=x onerror=alert(1)>"'><b>粗</b>{{ 7 * 7 }}"""
LOADING = {"src", "srcset", "poster", "data", "action", "formaction", "background", "xlink:href"}


class Page(HTMLParser):
    """The tags of a page with their attributes, and the text between them."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.said: list[str] = []
        self.feed(source)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.said.append(data)

    def named(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.tags if name == tag]


def retitle(chain: SupplyChain, **columns: str) -> None:
    """Give the selected candidates of a task what a stranger wrote."""
    changes = ", ".join(f"{name} = :{name}" for name in columns)
    statement = text(f"UPDATE supply_candidate_content SET {changes} WHERE id IN ({SELECTED})")
    chain.supply.write(lambda connection: connection.execute(statement, columns))


SELECTED = "SELECT candidate_id FROM supply_content_score WHERE is_selected = 1"


def test_what_a_stranger_wrote_stays_text(finished: SupplyChain, reporting: Reporting) -> None:
    retitle(finished, title=HOSTILE, account_name=HOSTILE, url="javascript:alert(1)//http://a")
    held = {"state": "HELD", "by": HOSTILE, "reason": HOSTILE, "at": HOSTILE}
    finished.alter_json("supply_task", "ext", 1, lambda ext: ext | {"review": held})
    finished.supply.write(
        lambda connection: connection.execute(
            text("UPDATE supply_task SET status = 'FAILED', error_code = :code, error_message = :said WHERE id = 1"),
            {"code": HOSTILE[:60], "said": HOSTILE},
        )
    )
    finished.alter_row(1, lambda row: row.update(name=HOSTILE))
    source = render(reporting(finished))
    page = Page(source)
    assert source.count("</script>") == source.count("<script>") == 1
    assert source.count("</style>") == 1
    assert page.named("img") == []
    assert HOSTILE in "".join(page.said)
    assert [link["href"] for link in page.named("a") if not str(link["href"]).startswith("#")] == []
    assert {name for _, attributes in page.tags for name in attributes if name.startswith("on")} == set()


def test_the_page_loads_nothing_and_says_so_to_the_browser(finished: SupplyChain, reporting: Reporting) -> None:
    page = Page(render(reporting(finished)))
    policies = [meta["content"] for meta in page.named("meta") if meta.get("http-equiv") == "Content-Security-Policy"]
    assert policies == [
        "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; base-uri 'none'"
    ]
    assert {tag for tag, attributes in page.tags if LOADING & set(attributes)} == set()
    assert page.named("link") == page.named("iframe") == page.named("base") == []
    outward = [link for link in page.named("a") if str(link["href"]).startswith("http")]
    assert len(outward) == 12
    assert {link["rel"] for link in outward} == {"noreferrer noopener"}
    assert not re.search(r"url\(|@import", "".join(page.said))


def test_without_a_script_every_chain_is_there_as_plain_details(finished: SupplyChain, reporting: Reporting) -> None:
    report = reporting(finished)
    page = Page(render(report))
    cards = [details for details in page.named("details") if str(details.get("class")).startswith("chain")]
    assert len(cards) == 3
    said = "".join(page.said)
    for chain in report.chains.kept:
        for value in (chain.task_id, chain.plans[0]["crawler_plan_id"], chain.evidence.source_post_id):
            assert str(value) in said
        assert all(node.path in said for node in chain.evidence.categories)
        assert all(article.title in said and article.url in said for article in chain.articles)


def test_a_broken_chain_says_why_and_the_first_line_is_red(finished: SupplyChain, reporting: Reporting) -> None:
    finished.alter_json("supply_task", "ext", 1, lambda ext: ext | {"source_evidence": {}})
    page = Page(render(reporting(finished)))
    assert [body["class"] for body in page.named("body")] == ["state-broken"]
    said = "".join(page.said)
    assert "broken: 1 of 3 chains" in said
    assert "carries other evidence than the task" in said or "carries other evidence than the snapshot" in said


def test_what_is_not_recorded_is_never_shown_as_nought(finished: SupplyChain, reporting: Reporting) -> None:
    source = render(reporting(finished))
    assert source.count(TEXTS["not_recorded"].en) >= 3


@pytest.mark.parametrize("batch", ["adhoc-test", "adhoc-none", "9"])
def test_a_batch_without_a_half_or_without_anything_has_a_page(
    finished: SupplyChain, reporting: Reporting, batch: str
) -> None:
    page = Page(render(reporting(finished, batch)))
    state = "state-closed" if batch == "adhoc-test" else "state-nothing"
    assert [body["class"] for body in page.named("body")] == [state]


def test_both_languages_fill_the_same_gaps() -> None:
    gaps = re.compile(r"{(\w+)}")
    for name, both in TEXTS.items():
        assert {gap.removesuffix("_s") for gap in gaps.findall(both.en)} == set(gaps.findall(both.zh)), name
        assert both.zh, name


@pytest.mark.parametrize("url", ["javascript:alert(1)", "data:text/html,x", "//a.b", "http://[", " javascript:a", ""])
def test_a_link_that_leads_elsewhere_than_to_the_web_is_no_link(url: str) -> None:
    assert web_link(url) is None
