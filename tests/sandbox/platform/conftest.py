"""A platform on a real socket over a small corpus that is written out here, and one over made-up articles."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx2
import pytest

from sandbox.platform.app import build_app
from sandbox.platform.corpus.articles import (
    Account,
    Article,
    ArticleState,
    Counts,
    ListedCorpus,
    account_id_of,
    long_link,
)
from sandbox.platform.corpus.generated import generate
from sandbox.platform.serving.serve import RunningPlatform, serve

BIZ, OTHER_BIZ = "MzAwMDAwMDAwMQ==", "MzAwMDAwMDAwMg=="
TOOLS = {
    "weixin_search": ("/tools/weixin_search", {"keyword": "泡脚"}),
    "fetch_weixin_account": ("/tools/fetch_weixin_account", {"biz": BIZ}),
    "fetch_account_article_list": ("/tools/fetch_account_article_list", {"biz": BIZ}),
    "fetch_article_detail": ("/tools/fetch_article_detail", {"url": long_link(BIZ, "100", "1", "a0")}),
}
"""Where each tool is, and a request that it answers."""


def written(number: int, title: str, **fields: Any) -> Article:
    """An article of the small corpus; ``number`` is its ``mid`` and its age."""
    link = long_link(BIZ, str(100 + number), "1", f"a{number}")
    values: dict[str, Any] = {
        "title": title,
        "digest": None,
        "biz": BIZ,
        "mid": str(100 + number),
        "idx": "1",
        "sn": f"a{number}",
        "published": 1_700_000_000 - number,
        "shown_time": 1_700_000_000 - number,
        "link": link,
        "page_link": link,
        "counts": Counts(view=number),
    }
    return Article(**values | fields)


def small_corpus() -> ListedCorpus:
    """Seven articles about 泡脚 in a known order, then one for each state a page can be in."""
    plain = [written(number, f"泡脚第{number}讲") for number in range(7)]
    odd = [
        written(10, "已删除的文章", state=ArticleState.DELETED),
        written(11, "另一篇已删除的文章", state=ArticleState.DELETED),
        written(12, "违规的文章", state=ArticleState.VIOLATION),
        written(13, "另一篇违规的文章", state=ArticleState.VIOLATION),
        written(14, "看不了的文章", state=ArticleState.UNAVAILABLE),
        written(15, "临时链接", link="https://mp.weixin.qq.com/s?src=3&timestamp=1&ver=1&signature=good"),
        written(16, "过期链接", link="https://mp.weixin.qq.com/s?src=3&timestamp=1&signature=old", expired=True),
        written(17, "艾草", digest="睡前用艾草", biz=OTHER_BIZ, link="https://mp.weixin.qq.com/s/shortid17"),
        written(18, "夹带\\符号<b>&\"引号'的标题", text="# 小标题\n第一段<script>\n**第二段**"),
    ]
    accounts = [
        Account(account_id_of(BIZ), BIZ, "养生课堂", "每天一讲", 1, "养生"),
        Account(account_id_of(OTHER_BIZ), OTHER_BIZ, "养生课堂二号", "", 0, "养生"),
    ]
    return ListedCorpus([*plain, *odd], accounts)


@pytest.fixture(scope="session")
def small_platform() -> Iterator[RunningPlatform]:
    """The small corpus, served."""
    with serve(build_app(small_corpus())) as platform:
        yield platform


@pytest.fixture
def client(small_platform: RunningPlatform) -> Iterator[httpx2.Client]:
    """A caller of the small platform, which is as at its start."""
    with httpx2.Client(base_url=small_platform.url, timeout=10) as caller:
        caller.post("/admin/reset").raise_for_status()
        yield caller


@pytest.fixture(scope="session")
def made_up() -> ListedCorpus:
    """A made-up corpus that is large enough for everything odd to occur."""
    return generate(3_000, accounts=60)


@pytest.fixture(scope="session")
def made_up_client(made_up: ListedCorpus) -> Iterator[httpx2.Client]:
    """A caller of a platform over made-up articles."""
    with serve(build_app(made_up)) as platform, httpx2.Client(base_url=platform.url, timeout=10) as caller:
        yield caller
