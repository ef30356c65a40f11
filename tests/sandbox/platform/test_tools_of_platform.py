"""The four tools over HTTP in the house dialect (S-014)."""

from __future__ import annotations

from typing import Any

import httpx2
import pytest

from resources.tool_gateway.results.models import ArticleDetail
from resources.tool_gateway.results.pages import read_article_page
from sandbox.platform.corpus.articles import account_id_of, long_link
from tests.sandbox.platform.conftest import BIZ, OTHER_BIZ


def data(response: httpx2.Response) -> Any:
    assert response.status_code == 200
    envelope = response.json()
    assert (envelope["code"], envelope["msg"]) == (0, "ok"), envelope
    return envelope["data"]


def detail(client: httpx2.Client, url: str) -> httpx2.Response:
    return client.get("/tools/fetch_article_detail", params={"url": url})


def test_s014_search_pages_through_every_match_once(client: httpx2.Client) -> None:
    pages = [
        data(client.get("/tools/weixin_search", params={"keyword": "泡脚", "page": page, "page_size": 3}))
        for page in (1, 2, 3, 4)
    ]

    assert [[item["title"] for item in page["items"]] for page in pages] == [
        ["泡脚第0讲", "泡脚第1讲", "泡脚第2讲"],
        ["泡脚第3讲", "泡脚第4讲", "泡脚第5讲"],
        ["泡脚第6讲"],
        [],
    ]
    assert [page["has_more"] for page in pages] == [True, True, False, False]
    assert {page["total"] for page in pages} == {7}


def test_s014_a_page_that_ends_with_the_last_match_has_no_more(client: httpx2.Client) -> None:
    page = data(client.get("/tools/weixin_search", params={"keyword": "泡脚", "page_size": 7}))

    assert (len(page["items"]), page["has_more"]) == (7, False)


def test_s014_an_item_has_the_fields_of_the_contract(client: httpx2.Client) -> None:
    (item,) = data(client.get("/tools/weixin_search", params={"keyword": "艾草"}))["items"]

    assert item.pop("cover_url").startswith("https://mmbiz.qpic.cn/")
    assert item == {
        "title": "艾草",
        "url": "https://mp.weixin.qq.com/s/shortid17",
        "digest": "睡前用艾草",
        "publish_time": 1_699_999_983,
        "account_id": account_id_of(OTHER_BIZ),
        "account_name": "养生课堂二号",
        "biz": OTHER_BIZ,
        "is_deleted": False,
        "statistics": {
            "view_count": 17,
            "like_count": None,
            "comment_count": None,
            "favorite_count": None,
            "share_count": None,
        },
    }


@pytest.mark.parametrize(
    "asked",
    [{"biz": BIZ}, {"account_id": account_id_of(BIZ)}, {"account_name": "养生课堂"}],
    ids=lambda asked: next(iter(asked)),
)
def test_s014_an_account_is_found_by_each_of_its_names(client: httpx2.Client, asked: dict[str, str]) -> None:
    assert data(client.get("/tools/fetch_weixin_account", params=asked)) == {
        "account_id": account_id_of(BIZ),
        "account_name": "养生课堂",
        "biz": BIZ,
        "intro": "每天一讲",
        "verify_status": 1,
        "category": "养生",
    }


@pytest.mark.parametrize("path", ["fetch_weixin_account", "fetch_account_article_list"])
def test_s013a_an_unknown_account_is_absent_by_code(client: httpx2.Client, path: str) -> None:
    response = client.get(f"/tools/{path}", params={"biz": "nobody"})

    assert (response.status_code, response.json()["code"]) == (200, 404)


def test_s014_a_history_is_paged_by_cursor_newest_first(client: httpx2.Client) -> None:
    cursor, titles = 0, []
    while cursor is not None:
        page = data(client.get("/tools/fetch_account_article_list", params={"biz": BIZ, "cursor": cursor, "count": 4}))
        titles += [item["title"] for item in page["items"]]
        cursor = page["next_cursor"]

    assert titles[:3] == ["泡脚第0讲", "泡脚第1讲", "泡脚第2讲"]
    assert (len(titles), len(set(titles)), page["total"]) == (15, 15, 15)


def test_s014_a_history_gives_lasting_links_for_temporary_ones(client: httpx2.Client) -> None:
    page = data(client.get("/tools/fetch_account_article_list", params={"biz": BIZ, "count": 50}))

    links = {item["title"]: item["url"] for item in page["items"]}
    assert links["临时链接"] == long_link(BIZ, "115", "1", "a15")


@pytest.mark.parametrize(
    "path, asked, named",
    [
        ("weixin_search", {}, "keyword"),
        ("weixin_search", {"keyword": "  "}, "keyword"),
        ("weixin_search", {"keyword": "泡脚", "page": "0"}, "page"),
        ("weixin_search", {"keyword": "泡脚", "page_size": "51"}, "page_size"),
        ("weixin_search", {"keyword": "泡脚", "page": "１"}, "page"),
        ("fetch_weixin_account", {}, "account_id"),
        ("fetch_account_article_list", {"biz": BIZ, "cursor": "-1"}, "cursor"),
        ("fetch_account_article_list", {"biz": BIZ, "count": "x"}, "count"),
        ("fetch_article_detail", {}, "url"),
        ("fetch_article_detail", {"url": "ftp://a"}, "url"),
    ],
)
def test_s013_a_bad_argument_is_named(client: httpx2.Client, path: str, asked: dict[str, str], named: str) -> None:
    response = client.get(f"/tools/{path}", params=asked)

    assert response.status_code == 200
    assert response.json()["code"] == 20002
    assert response.json()["msg"].startswith(f"{named}:")


@pytest.mark.parametrize(
    "mid, sentence",
    [("111", "该内容已被发布者删除"), ("113", "此内容因违规无法查看"), ("114", "该内容暂时无法查看")],
)
def test_wx5_what_is_gone_is_a_page_that_says_so(client: httpx2.Client, mid: str, sentence: str) -> None:
    html = data(detail(client, long_link(BIZ, mid, "1", "")))["html"]

    assert sentence in html
    assert "js_content" not in html


@pytest.mark.parametrize("mid, code", [("110", 105), ("112", 106)])
def test_wx5_what_is_gone_is_a_code_as_often(client: httpx2.Client, mid: str, code: int) -> None:
    assert detail(client, long_link(BIZ, mid, "1", "")).json()["code"] == code


def test_wx4_a_temporary_link_leads_to_its_article_until_it_expires(client: httpx2.Client) -> None:
    alive = data(detail(client, "http://mp.weixin.qq.com/s?src=3&timestamp=1&ver=1&signature=good"))["html"]
    old = data(detail(client, "https://mp.weixin.qq.com/s?src=3&timestamp=1&signature=old"))["html"]
    unknown = data(detail(client, "https://mp.weixin.qq.com/s?src=3&signature=never"))["html"]

    assert f'og:url" content="{long_link(BIZ, "115", "1", "a15")}"'.replace("&", "&amp;") in alive
    assert "链接已过期" in old
    assert "链接已过期" in unknown


def test_s014_a_link_that_nobody_knows_is_gone(client: httpx2.Client) -> None:
    assert detail(client, long_link(BIZ, "999", "1", "")).json()["code"] == 101


@pytest.mark.parametrize(
    "link",
    [
        f"http://mp.weixin.qq.com/s?__biz={BIZ}&amp;mid=100&amp;idx=1&amp;sn=a0&amp;chksm=c&amp;scene=27#wechat_redirect",
        f"https://mp.weixin.qq.com/s?sn=a0&idx=1&mid=100&__biz={BIZ}#rd",
        f"https://mp.weixin.qq.com/s?__biz={BIZ.replace('=', '%3D')}&appmsgid=100&itemidx=1",
        f"https://mp.weixin.qq.com/s?__biz={BIZ.rstrip('=')}&mid=100&idx=1&pass_ticket=secret",
    ],
)
def test_wx3_every_form_of_a_link_leads_to_the_same_page(client: httpx2.Client, link: str) -> None:
    assert "泡脚第0讲" in data(detail(client, link))["html"]


def test_wx3_another_idx_is_another_article(client: httpx2.Client) -> None:
    assert detail(client, long_link(BIZ, "100", "2", "a0")).json()["code"] == 101


def test_s014_a_body_that_the_sandbox_wrote_is_said_to_be_invented(client: httpx2.Client) -> None:
    invented = data(detail(client, long_link(BIZ, "100", "1", "a0")))
    own = data(detail(client, long_link(BIZ, "118", "1", "a18")))
    assert (invented["body_is_invented"], own["body_is_invented"]) == (True, False)
    read = [read_article_page(one["html"], one["url"]) for one in (invented, own)]
    assert [isinstance(one, ArticleDetail) and one.body_is_invented for one in read] == [True, False]
