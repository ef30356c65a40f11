"""A corpus from a folder: what is read, and how what is not is named."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import httpx2
import pandas as pd
import pytest

from sandbox.platform.app import build_app
from sandbox.platform.corpus.articles import Counts
from sandbox.platform.corpus.folder import CorpusInvalid, folder_corpus
from sandbox.platform.serving.serve import serve

LINK = "https://mp.weixin.qq.com/s?__biz=QQ==&mid=1&idx=1&sn=ab"
ROW: dict[str, Any] = {
    "url": LINK, "title": "泡脚", "account_name": "课堂", "biz": "QQ==", "publish_time": "2021-10-14", "digest": None,
    "view_count": 100_001, "like_count": 3, "looking_count": 0, "comment_count": None, "idx": 1, "is_original": False,
}  # fmt: skip


def fill(
    folder: Path, counted: list[dict[str, Any]], texts: list[dict[str, Any]], listed: list[dict[str, Any]]
) -> Path:
    def lines(rows: list[dict[str, Any]]) -> str:
        return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)

    folder.mkdir(exist_ok=True)
    (folder / "articles_with_counts.jsonl").write_text(lines(counted), encoding="utf-8")
    (folder / "full_text.jsonl").write_text(lines(texts), encoding="utf-8")
    columns = ["url", "title", "account_name", "biz", "publish_time", "digest", "idx"]
    pd.DataFrame(listed, columns=columns).to_parquet(folder / "article_lists.parquet", index=False)
    (folder / "accounts.tsv").write_text("account_name\tbiz\tarticles_listed\n课堂\tQQ==\t1\n", encoding="utf-8")
    return folder


def test_s022_the_cap_missing_and_zero_are_told_apart(tmp_path: Path) -> None:
    corpus = folder_corpus(fill(tmp_path / "c", [ROW, ROW | {"url": LINK + "2", "view_count": None}], [], []))

    assert [article.counts for article in corpus.articles] == [
        Counts(view="10万+", like=3, comment=None, favorite=0),
        Counts(view=None, like=3, comment=None, favorite=0),
    ]


def test_s014_three_files_are_one_corpus_and_each_link_is_once(tmp_path: Path) -> None:
    text = {
        "url": "https://mp.weixin.qq.com/s/short",
        "title": "全文",
        "account_name": None,
        "biz": None,
        "content": "一\n二",
    }
    listed = [
        ROW,
        ROW
        | {
            "url": LINK.replace("mid=1", "mid=2"),
            "biz": "Qg==",
            "account_name": "别家",
            "publish_time": "2021-10-14 08:30:00",
        },
    ]
    corpus = folder_corpus(fill(tmp_path / "c", [ROW], [text], listed))

    assert [article.title for article in corpus.articles] == ["泡脚", "全文", "泡脚"]
    assert [article.published for article in corpus.articles] == [1_634_140_800, 0, 1_634_171_400]
    assert {article.biz for article in corpus.articles} == {account.biz for account in corpus.accounts}
    assert [account.name for account in corpus.accounts if account.biz in ("QQ==", "Qg==")] == ["课堂", "别家"]


@pytest.mark.parametrize(
    "name", ["article_lists.parquet", "articles_with_counts.jsonl", "full_text.jsonl", "accounts.tsv"]
)
def test_s014_a_missing_or_broken_file_is_named(tmp_path: Path, name: str) -> None:
    folder = fill(tmp_path / "c", [ROW], [], [])
    (folder / name).write_bytes(b"\xff\xfe{")
    with pytest.raises(CorpusInvalid, match=name):
        folder_corpus(folder)

    (folder / name).unlink()
    with pytest.raises(CorpusInvalid, match=name):
        folder_corpus(folder)


@pytest.mark.parametrize("row", [{"url": None}, {"url": " "}, {"title": None}])
def test_s014_a_row_without_url_or_title_is_named(tmp_path: Path, row: dict[str, None]) -> None:
    with pytest.raises(CorpusInvalid, match=r"articles_with_counts\.jsonl, row 2"):
        folder_corpus(fill(tmp_path / "c", [ROW, ROW | row], [], []))


@pytest.mark.real_data
def test_s014_the_public_data_are_served(real_data: Path) -> None:
    corpus = folder_corpus(real_data / "wechat")
    assert len(corpus.articles) == 118_241

    with serve(build_app(corpus)) as platform, httpx2.Client(base_url=platform.url, timeout=30) as client:
        page = client.get("/tools/weixin_search", params={"keyword": "高血压 降压药 低盐饮食", "page_size": 10}).json()[
            "data"
        ]
        assert sum("血压" in item["title"] or "降压" in item["title"] for item in page["items"]) >= 9
        for item in page["items"]:
            detail = client.get("/tools/fetch_article_detail", params={"url": item["url"]}).json()
            assert "js_content" in detail["data"]["html"]
        account = client.get("/tools/fetch_weixin_account", params={"account_name": "人民日报"}).json()["data"]
        history = client.get("/tools/fetch_account_article_list", params={"biz": account["biz"]}).json()["data"]
        assert history["total"] > 40_000
        times = [item["publish_time"] for item in history["items"]]
        assert times == sorted(times, reverse=True)
