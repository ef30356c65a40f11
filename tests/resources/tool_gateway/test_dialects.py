"""Each vendor's way of answering, read without a network (S-011, S-013, WX3)."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from resources.calls.outcomes.answers import Code
from resources.calls.outcomes.verdicts import Reading, Verdict
from resources.calls.provider import Dialect, read_reply
from resources.calls.transport import Reply
from resources.tool_gateway.providers import article_page, house, mp, sogou, whosecard
from resources.tool_gateway.results.models import (
    AccountRequest,
    ArticleDetailRequest,
    ArticleListRequest,
    SearchRequest,
)
from tests.resources.tool_gateway.scripted import row

NOW = datetime(2026, 7, 1, tzinfo=UTC)
SEARCH = SearchRequest(keyword="健康", page=2)
HISTORY = ArticleListRequest(biz="MzA=", cursor=5, count=2)


def read(dialect: Dialect[Any, Any], request: Any, body: Any) -> Reading[Any]:
    content = body if isinstance(body, bytes) else json.dumps(body, ensure_ascii=False).encode()
    return read_reply(dialect.read, Reply(200, content), request)


def refused(reading: Reading[Any]) -> Verdict:
    assert isinstance(reading.outcome, Verdict), reading.outcome
    return reading.outcome


def envelope(**data: Any) -> dict[str, Any]:
    return {"code": 0, "msg": "ok", "data": data}


def test_s013_added_fields_are_kept_raw_and_do_no_harm() -> None:
    item = row() | {"added": {"deep": [1]}, "is_deleted": None, "statistics": None, "digest": None}
    reading = read(house.SEARCH, SEARCH, envelope(items=[item], has_more=True, page=2, total=9, more=1) | {"x": 1})

    page = reading.outcome
    assert (page.page, page.total, page.has_more) == (2, 9, True)
    assert page.items[0].raw == item
    assert page.items[0].statistics.view_count is None


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"url": None}, "data.items.1.url"),
        ({"url": " "}, "data.items.1.url"),
        ({"title": 5}, "data.items.1.title"),
        ({"publish_time": {}}, "data.items.1.publish_time"),
        ({"statistics": {"view_count": []}}, "data.items.1.statistics.view_count"),
        ({"statistics": "10万+"}, "data.items.1.statistics"),
    ],
)
def test_s013_a_wrong_field_is_named(change: dict[str, Any], named: str) -> None:
    verdict = refused(read(house.SEARCH, SEARCH, envelope(items=[row(), row() | change], has_more=False)))

    assert verdict.code is Code.WRONG_SHAPE
    assert verdict.message.startswith(named)


@pytest.mark.parametrize(
    ("body", "named"),
    [
        ({"msg": "ok", "data": {"items": [], "has_more": False}}, "code"),
        ({"code": 0, "data": None}, "data"),
        ({"code": 0, "data": []}, "data"),
        (envelope(has_more=False), "data.items"),
        (envelope(items={}, has_more=False), "data.items"),
        (envelope(items=["x"], has_more=False), "data.items.0"),
        (envelope(items=[]), "data.has_more"),
        ([], "body"),
        (b'{"code": NaN}', "body"),
        (b'{"code": 0, "code": 1}', "body"),
    ],
)
def test_s013_a_missing_part_is_named(body: Any, named: str) -> None:
    verdict = refused(read(house.SEARCH, SEARCH, body))

    assert verdict.code is Code.WRONG_SHAPE
    assert verdict.message.startswith(named)


def test_s013_an_account_that_says_nothing_is_a_wrong_shape() -> None:
    assert refused(read(house.ACCOUNT, AccountRequest(biz="x"), envelope(intro="i"))).code is Code.WRONG_SHAPE
    assert refused(
        read(house.ACCOUNT, AccountRequest(biz="x"), envelope(biz="x", verify_status=999))
    ).message.startswith("data.verify_status")


def test_s013a_the_house_is_asked_by_what_is_known() -> None:
    assert house.ACCOUNT.build(AccountRequest()) is None
    assert house.ARTICLE_LIST.build(ArticleListRequest()) is None
    asked = house.ARTICLE_LIST.build(ArticleListRequest(biz="MzA=", cursor=20))
    assert asked is not None
    assert asked.address("http://h") == "http://h/tools/fetch_account_article_list?biz=MzA%3D&cursor=20&count=20"


def test_s013a_mp_finds_exactly_that_name() -> None:
    accounts = [
        {"fakeid": "A==", "nickname": "健康时报社", "alias": "", "signature": ""},
        {"fakeid": "B==", "nickname": "健康时报", "alias": "jksb", "signature": "报"},
    ]
    body = {"base_resp": {"ret": 0, "err_msg": "ok"}, "total": 2, "list": accounts}

    found = read(mp.ACCOUNT, AccountRequest(account_name="健康时报"), body).outcome
    assert (found.biz, found.account_name, found.intro, found.account_id) == ("B==", "健康时报", "报", None)
    assert refused(read(mp.ACCOUNT, AccountRequest(account_name="健康"), body)).code is Code.NOT_FOUND
    assert refused(read(mp.ACCOUNT, AccountRequest(account_name="健康时报", biz="A=="), body)).code is Code.NOT_FOUND
    assert mp.ACCOUNT.build(AccountRequest(account_id="gh_1")) is None


def publish(*titles: str) -> dict[str, Any]:
    articles = [
        {"title": title, "link": f"http://mp.weixin.qq.com/s/{number}abcdef", "create_time": 1, "is_deleted": False}
        for number, title in enumerate(titles)
    ]
    info = {"type": 9, "msgid": 1, "sent_info": {"time": 1700000000}, "appmsgex": articles}
    return {"publish_type": 1, "publish_info": json.dumps(info)}


def history(total: int, *publishes: dict[str, Any]) -> dict[str, Any]:
    page = {"total_count": total, "publish_count": total, "publish_list": list(publishes)}
    return {"base_resp": {"ret": 0}, "publish_page": json.dumps(page)}


def test_s013a_mp_history_is_decoded_twice_and_counts_messages() -> None:
    part = read(mp.ARTICLE_LIST, HISTORY, history(9, publish("甲", "乙"), publish("丙"))).outcome
    end = read(mp.ARTICLE_LIST, HISTORY, history(7, publish("丁"), {"publish_info": ""})).outcome

    assert [(item.title, item.publish_time, item.biz) for item in part.items] == [
        (title, 1700000000, "MzA=") for title in "甲乙丙"
    ]
    assert part.next_cursor == 7
    assert (len(end.items), end.next_cursor) == (1, None)


@pytest.mark.parametrize(
    ("body", "named"),
    [
        ({"base_resp": {"ret": 0}}, "publish_page"),
        ({"base_resp": {"ret": 0}, "publish_page": "{"}, "publish_page"),
        (history(3, {"publish_info": '{"appmsgex": [{"title": "x"}]}'}), "publish_page.publish_list.0"),
    ],
)
def test_s013_mp_names_the_field_inside_its_texts(body: Any, named: str) -> None:
    verdict = refused(read(mp.ARTICLE_LIST, HISTORY, body))

    assert verdict.code is Code.WRONG_SHAPE
    assert verdict.message.startswith(named)


@pytest.mark.parametrize(
    ("ret", "code"),
    [(200013, Code.RATE_LIMITED), (-6, Code.RATE_LIMITED), (200003, Code.NOT_PERMITTED), (31337, Code.WRONG_SHAPE)],
)
def test_wx7_mp_says_failure_with_a_200(ret: int, code: Code) -> None:
    body = {"base_resp": {"ret": ret, "err_msg": "freq control"}, "publish_page": ""}

    assert refused(read(mp.ARTICLE_LIST, HISTORY, body)).code is code


def test_s013a_whosecard_counts_by_ten_and_its_alias_is_no_id() -> None:
    items = [
        {"accountId": "bukeqi168", "accountName": "名", "content": "摘", "time": 5, "title": "题", "url": "http://u"}
    ]
    body = {"ok": True, "cost": True, "result": {"count": 1, "hasMore": True, "total": 30, "items": items}}
    page = read(whosecard.SEARCH, SEARCH, body).outcome

    asked = whosecard.SEARCH.build(SEARCH)
    assert asked is not None
    assert asked.params["start"] == "10"
    assert (page.has_more, page.total, page.page) == (True, 30, 2)
    item = page.items[0]
    assert (item.account_id, item.account_name, item.digest, item.publish_time) == (None, "名", "摘", 5)


@pytest.mark.parametrize(
    ("error", "code"),
    [
        ("check_url error, 此帐号已被屏蔽, 内容无法查看", Code.VIOLATION),
        ("请求过于频繁", Code.RATE_LIMITED),
        ("余额不足", Code.BUDGET_SPENT),
        ("****", Code.SERVER_ERROR),
    ],
)
def test_s011_whosecard_says_failure_in_words(error: str, code: Code) -> None:
    assert refused(read(whosecard.SEARCH, SEARCH, {"ok": False, "cost": False, "error": error})).code is code


def document(inner: str) -> dict[str, Any]:
    return {"totalItems": 1, "totalPages": 3, "page": 2, "items": [inner]}


def test_s013a_sogou_items_are_texts_of_xml() -> None:
    xml = (
        '<?xml version="1.0" encoding="UTF-8"?><DOCUMENT><item><display><title><![CDATA[题<em>]]></title>'
        "<url><![CDATA[http://mp.weixin.qq.com/s?a=1&b=2]]></url><lastModified>17</lastModified>\x0b"
        "<readnum>100000</readnum></display></item></DOCUMENT>"
    )
    page = read(sogou.SEARCH, SEARCH, document(xml)).outcome

    item = page.items[0]
    assert (item.title, item.url, item.publish_time) == ("题<em>", "http://mp.weixin.qq.com/s?a=1&b=2", "17")
    assert (item.statistics.view_count, page.has_more, page.total) == ("100000", True, 1)


@pytest.mark.parametrize(
    ("xml", "named"),
    [
        ("<DOCUMENT><item>", "items.0"),
        ("<DOCUMENT/>", "items.0.item.display"),
        ("<DOCUMENT><item><display><title>t</title></display></item></DOCUMENT>", "items.0.url"),
        ('<!DOCTYPE x [<!ENTITY a "b">]><DOCUMENT>&a;</DOCUMENT>', "items.0: a document type declaration"),
    ],
)
def test_s013_sogou_names_the_item(xml: str, named: str) -> None:
    verdict = refused(read(sogou.SEARCH, SEARCH, document(xml)))

    assert verdict.code is Code.WRONG_SHAPE
    assert verdict.message.startswith(named)


@pytest.mark.real_data
def test_s013a_a_real_sogou_answer_is_read(real_data: Path) -> None:
    shapes = real_data / "wechat" / "api_shapes"
    wanted = json.loads((shapes / "shapes.json").read_text(encoding="utf-8"))[0]["parsed_items"]
    page = read(sogou.SEARCH, SEARCH, (shapes / "sogou_wap_search_raw.json").read_bytes()).outcome

    got = [
        (item.title, item.url, item.account_name, item.publish_time, item.statistics.view_count) for item in page.items
    ]
    assert got == [
        (one["title"], one["url"], one["account_name"], one["lastModified"], one["readnum"]) for one in wanted
    ]
    assert (page.total, page.has_more) == (53842, True)


@pytest.mark.real_data
def test_s011_a_real_antispider_page_is_a_block(real_data: Path) -> None:
    html = (real_data / "wechat" / "pages" / "sogou_search-gaokao-gzh-error.html").read_bytes()

    assert refused(read(sogou.SEARCH, SEARCH, html)).code is Code.BLOCKED


def test_wx3_the_page_is_asked_for_by_its_ids_alone() -> None:
    url = (
        "http://mp.weixin.qq.com/s?scene=27&amp;sn=ab&amp;__biz=Mz+A=&amp;mid=1&amp;idx=2&amp;chksm=c"
        "&amp;pass_ticket=secret&amp;key=k&amp;uin=u#wechat_redirect"
    )
    asked = article_page.ARTICLE_DETAIL.build(ArticleDetailRequest(url=url))

    assert asked is not None
    assert (asked.path, dict(asked.params)) == ("/s", {"__biz": "Mz+A", "mid": "1", "idx": "2", "sn": "ab"})


@pytest.mark.parametrize(
    "dialect", [house.SEARCH, whosecard.SEARCH, sogou.SEARCH, mp.ARTICLE_LIST, house.ARTICLE_LIST, house.ARTICLE_DETAIL]
)
@given(
    body=st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(
                    ["code", "data", "items", "ret", "base_resp", "result", "ok", "html", "publish_page", "url"]
                ),
                inner,
                max_size=5,
            )
        ),
        max_leaves=12,
    )
    | st.binary(max_size=40)
)
def test_s013_any_body_is_a_value_or_a_verdict(dialect: Dialect[Any, Any], body: Any) -> None:
    request = {
        "weixin_search": SEARCH,
        "fetch_account_article_list": HISTORY,
        "fetch_article_detail": ArticleDetailRequest(url="https://mp.weixin.qq.com/s/abcdef"),
    }[dialect.tool]

    assert isinstance(read(dialect, request, body), Reading)
