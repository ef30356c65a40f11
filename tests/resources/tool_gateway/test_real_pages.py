"""Every stored page of the public platform is told for what it is (S-011, WX5)."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from resources.calls.outcomes.answers import Code
from resources.calls.outcomes.verdicts import Verdict
from resources.foundation.clock import SHANGHAI
from resources.tool_gateway.results.models import ArticleDetail
from resources.tool_gateway.results.pages import read_article_page

pytestmark = pytest.mark.real_data

NOTICES = {
    "wechatsogou_article_expired.html": Code.EXPIRED_LINK,
    "exporter_deleted_01.html": Code.DELETED,
    "exporter_violation_01.html": Code.VIOLATION,
    "exporter_unavailable_01.html": Code.UNAVAILABLE,
    "sogou_search-gaokao-gzh-error.html": Code.BLOCKED,
}


def pages(real_data: Path) -> list[tuple[dict[str, Any], ArticleDetail | Verdict]]:
    folder = real_data / "wechat" / "pages"
    index = json.loads((folder / "index.json").read_text(encoding="utf-8"))
    return [(entry, read_article_page((folder / entry["file"]).read_text(encoding="utf-8"), "u")) for entry in index]


def test_s011_articles_are_articles_and_nothing_else_is(real_data: Path) -> None:
    for entry, page in pages(real_data):
        assert isinstance(page, ArticleDetail) == (entry["kind"] == "article"), entry["file"]


def test_s011_notices_say_why_and_other_pages_are_unknown(real_data: Path) -> None:
    codes = {entry["file"]: page.code for entry, page in pages(real_data) if isinstance(page, Verdict)}

    assert {name: code for name, code in codes.items() if code is not Code.UNKNOWN_PAGE} == NOTICES


def test_s013a_what_the_pages_say_of_themselves_is_read(real_data: Path) -> None:
    for entry, page in pages(real_data):
        if not isinstance(page, ArticleDetail):
            continue
        assert page.title == entry["title"]
        assert entry["account"] in (None, page.account_name)
        assert entry["biz"] in ("null", page.biz)
        shown = page.publish_time
        if isinstance(shown, int):
            shown = datetime.fromtimestamp(shown, SHANGHAI).strftime("%Y-%m-%d %H:%M:%S")
        assert entry["ct"].startswith(str(shown))
        assert page.mid is not None
        assert page.idx is not None
        assert (page.canonical_url is None) == (page.sn is None)


def test_s021_bodies_are_whole(real_data: Path) -> None:
    for entry, page in pages(real_data):
        if isinstance(page, ArticleDetail) and entry["text_len"] > 100:
            assert 0.9 * entry["text_len"] <= len(page.text) <= entry["text_len"]
            assert "function" not in page.text


def test_s021_shares_and_media(real_data: Path) -> None:
    read = {entry["file"]: page for entry, page in pages(real_data) if isinstance(page, ArticleDetail)}

    assert read["exporter_share_image_01.html"].text.startswith("今年，中国汽车行业价格战")
    assert "\\x0a" not in read["exporter_share_image_01.html"].text
    assert read["exporter_share_text_01.html"].text == "AI编程带给程序员的危与机"
    film = read["wechatsogou_article_detail_iframe.html"]
    assert (film.video_count, film.image_count, film.has_source_reference) == (1, 6, True)
