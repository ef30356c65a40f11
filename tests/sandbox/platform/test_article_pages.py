"""Article pages carry the marks by which readers of the public platform's pages find their way."""

from __future__ import annotations

import httpx2
import pytest
from selectolax.lexbor import LexborHTMLParser as HTMLParser

from sandbox.platform.corpus.articles import ListedCorpus, account_id_of, long_link
from sandbox.platform.corpus.catalogue import Catalogue
from sandbox.platform.corpus.detail import page_of_link
from sandbox.platform.corpus.links import read_link
from tests.sandbox.platform.conftest import BIZ


def test_s014_a_page_has_the_marks_of_the_public_platform(client: httpx2.Client) -> None:
    html = client.get("/s", params={"__biz": BIZ, "mid": "100", "idx": "1", "sn": "a0"}).text
    tree = HTMLParser(html)

    assert tree.css_first("#activity-name").text(strip=True) == "泡脚第0讲"
    assert tree.css_first("#js_name").text(strip=True) == "养生课堂"
    assert len(tree.css("#js_content p")) >= 3
    metas = {meta.attributes.get("property"): meta.attributes.get("content") for meta in tree.css("meta")}
    assert metas["og:title"] == "泡脚第0讲"
    assert metas["og:url"] == long_link(BIZ, "100", "1", "a0")
    for line in (
        f'var biz = "" || "{BIZ}";',
        'var mid = "" || "100";',
        'var idx = "" || "1";',
        'var sn = "" || "a0";',
        'var ct = "1700000000";',
        f'var user_name = "{account_id_of(BIZ)}";',
        'var nickname = htmlDecode("养生课堂");',
    ):
        assert line in html


def test_s014_a_known_text_is_shown_whole_and_escaped(client: httpx2.Client) -> None:
    tree = HTMLParser(client.get("/s", params={"__biz": BIZ, "mid": "118", "idx": "1"}).text)

    content = tree.css_first("#js_content")
    assert [node.text() for node in content.css("p")] == ["第一段<script>", "第二段"]
    assert content.css_first("h2").text() == "小标题"
    assert tree.css_first("#activity-name").text(strip=True) == "夹带\\符号<b>&\"引号'的标题"


@pytest.mark.parametrize("path", ["/s/nobody", "/s?__biz=a&mid=1&idx=1"])
def test_s014_an_unknown_address_cannot_be_seen(client: httpx2.Client, path: str) -> None:
    response = client.get(path)

    assert response.status_code == 200
    assert "该内容暂时无法查看" in response.text


def test_s024_a_repost_has_the_body_of_its_original(made_up: ListedCorpus) -> None:
    catalogue = Catalogue(made_up)

    def paragraphs(position: int) -> list[str]:
        html = page_of_link(catalogue, read_link(made_up.articles[position].page_link)).html
        return [node.text() for node in HTMLParser(html).css("#js_content p")]

    reposts = [
        at
        for at, article in enumerate(made_up.articles)
        if article.source is not None and article.state == made_up.articles[article.source].state == "published"
    ]
    assert len(reposts) > 50
    for at in reposts[:20]:
        origin = made_up.articles[at].source
        assert origin is not None
        assert paragraphs(at)[:-1] == paragraphs(origin)
        assert paragraphs(at)[-1].startswith("本文转自")


def test_s014_the_same_article_has_the_same_page_every_time(made_up: ListedCorpus) -> None:
    key = read_link(made_up.articles[5].page_link)

    assert page_of_link(Catalogue(made_up), key) == page_of_link(Catalogue(made_up), key)
