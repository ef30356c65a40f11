"""The made-up corpus: repeatable, findable by the words of the sample facts, with all that a platform mixes in."""

from __future__ import annotations

from collections import Counter

import httpx2
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from resources.foundation.errors import UsageError
from sandbox.platform.corpus.articles import ArticleState, ListedCorpus
from sandbox.platform.corpus.catalogue import Catalogue
from sandbox.platform.corpus.generated import LATEST, generate
from sandbox.platform.corpus.links import LinkKey, read_link
from sandbox.sample.vocabulary import FORMS, INTENTS, STORYLINES


def test_s014_the_same_seed_makes_the_same_corpus(made_up: ListedCorpus) -> None:
    assert generate(3_000, accounts=60) == made_up
    assert generate(3_000, accounts=60, seed=1) != made_up


def test_s014_the_words_of_the_sample_facts_are_found(made_up: ListedCorpus) -> None:
    catalogue = Catalogue(made_up)
    words = {word for story in STORYLINES for word in (*story.core, *story.optional, *story.path.split("/")[2:])}
    for path, ways in (*INTENTS, *FORMS):
        words |= {*ways, *path.split("/")[2:]}

    assert [word for word in words if len(catalogue.search(word)) < 3] == []


def test_s014_everything_odd_occurs(made_up: ListedCorpus) -> None:
    articles = made_up.articles
    views = [article.counts.view for article in articles]
    titles = " ".join(article.title for article in articles)

    assert {article.state for article in articles} == set(ArticleState)
    assert {"10万+", "100000+", 100_001, 0, None} <= set(views)
    assert any(isinstance(view, str) and view.endswith("万") for view in views)
    assert {type(article.shown_time) for article in articles} == {int, str}
    assert all(mark in titles for mark in ("震惊", "扫码", "【转】", "第1集", "该内容已被发布者删除"))
    assert any(article.flagged for article in articles)
    links = Counter(
        next(
            (mark for mark in ("&amp;", "http://", "#rd", "/s/", "signature", "%3D", "chksm") if mark in article.link),
            "plain",
        )
        for article in articles
    )
    assert len(links) == 8
    assert max(article.published for article in articles) <= LATEST


@given(seed=st.integers(0, 1_000))
@settings(max_examples=8, deadline=None)
def test_wx3_every_link_leads_back_to_its_article(seed: int) -> None:
    corpus = generate(300, accounts=7, seed=seed)
    catalogue = Catalogue(corpus)

    for position, article in enumerate(corpus.articles):
        assert catalogue.article_of_link(read_link(article.link)) == position
        assert catalogue.article_of_link(read_link(article.page_link)) == position


@given(link=st.text() | st.from_regex(r"https?://mp\.weixin\.qq\.com/s.{0,30}"))
def test_wx3_any_text_can_be_read_as_a_link(link: str) -> None:
    assert isinstance(read_link(link), LinkKey)


@pytest.mark.parametrize("arguments", [{"articles": 0}, {"articles": 2**20 + 1}, {"accounts": 0}])
def test_s014_sizes_that_cannot_be_are_refused(arguments: dict[str, int]) -> None:
    with pytest.raises(UsageError, match=next(iter(arguments))):
        generate(**arguments)


def test_s014_every_listed_article_of_a_search_can_be_opened(made_up_client: httpx2.Client) -> None:
    items = made_up_client.get("/tools/weixin_search", params={"keyword": "养生 泡脚", "page_size": 50}).json()["data"][
        "items"
    ]

    assert len(items) == 50
    for item in items:
        answer = made_up_client.get("/tools/fetch_article_detail", params={"url": item["url"]}).json()
        assert answer["code"] in (0, 105, 106)
