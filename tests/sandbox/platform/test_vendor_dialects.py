"""The shapes of other vendors over the same corpus, and how each says that something went wrong."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from typing import Any

import httpx2
import pytest

from tests.sandbox.platform.conftest import BIZ

MP_ACCOUNT = ("/cgi-bin/searchbiz", {"action": "search_biz", "query": "养生课堂"})
MP_LIST = ("/cgi-bin/appmsgpublish", {"sub": "list", "fakeid": BIZ})
WHOSECARD = ("/api/wx/article/search", {"keyword": "泡脚"})
SOGOU = ("/weixinwap", {"type": "2", "query": "泡脚"})
PAGE = ("/s", {"__biz": BIZ, "mid": "100", "idx": "1", "sn": "a0"})

Asked = tuple[str, dict[str, str]]


def get(client: httpx2.Client, asked: Asked, **more: Any) -> Any:
    response = client.get(asked[0], params=asked[1] | more)
    assert response.status_code == 200
    return response.json()


def published(answer: dict[str, Any]) -> dict[str, Any]:
    page: dict[str, Any] = json.loads(answer["publish_page"])
    for message in page["publish_list"]:
        message["publish_info"] = json.loads(message["publish_info"])
    return page


def test_s013a_mp_finds_accounts_by_a_part_of_the_name(client: httpx2.Client) -> None:
    answer = get(client, MP_ACCOUNT)

    assert answer["base_resp"] == {"ret": 0, "err_msg": "ok"}
    assert [account["nickname"] for account in answer["list"]] == ["养生课堂", "养生课堂二号"]
    assert answer["list"][0]["fakeid"] == BIZ
    assert get(client, MP_ACCOUNT, begin=1, count=1)["list"] == answer["list"][1:]
    assert get(client, (MP_ACCOUNT[0], {"query": "没有"}))["list"] == []


def test_s013a_mp_lists_messages_in_json_inside_json(client: httpx2.Client) -> None:
    page = published(get(client, MP_LIST, begin=2, count=3))

    entries = [message["publish_info"]["appmsgex"][0] for message in page["publish_list"]]
    assert [entry["title"] for entry in entries] == ["泡脚第2讲", "泡脚第3讲", "泡脚第4讲"]
    assert (entries[0]["appmsgid"], entries[0]["itemidx"], entries[0]["create_time"]) == (102, 1, 1_699_999_998)
    assert page["total_count"] == 15
    assert published(get(client, MP_LIST, begin=60))["publish_list"] == []


def test_s013a_whosecard_pages_by_start(client: httpx2.Client) -> None:
    first = get(client, WHOSECARD)["result"]
    rest = get(client, WHOSECARD, start=5)["result"]

    assert (first["count"], first["hasMore"], first["total"]) == (7, False, 7)
    assert [item["title"] for item in rest["items"]] == ["泡脚第5讲", "泡脚第6讲"]
    assert rest["items"][0]["time"] == 1_699_999_995


def test_s013a_sogou_items_are_xml_texts(client: httpx2.Client) -> None:
    answer = get(client, SOGOU)

    assert (answer["totalItems"], answer["totalPages"]) == (7, 1)
    item = ET.fromstring(answer["items"][3].encode())
    assert item.findtext("item/display/title") == "泡脚第3讲"
    assert item.findtext("item/display/readnum") == "3"
    assert item.findtext("item/display/sourcename") == "养生课堂"


@pytest.mark.parametrize("asked", [MP_LIST, WHOSECARD, SOGOU], ids=["mp", "whosecard", "sogou"])
def test_gw7_vendors_have_endless_pages_too(client: httpx2.Client, asked: Asked) -> None:
    paging: dict[str, int] = {"begin": 400, "start": 400, "page": 40}
    answer = get(client, asked, fault="endless_pages", **paging)

    if asked is MP_LIST:
        assert len(published(answer)["publish_list"]) == 15
    elif asked is WHOSECARD:
        assert (answer["result"]["hasMore"], answer["result"]["nextStart"], answer["result"]["count"]) == (True, 410, 7)
    else:
        assert len(answer["items"]) == 7
        assert answer["totalPages"] > 40


@pytest.mark.parametrize("asked", [MP_ACCOUNT, MP_LIST], ids=["account", "list"])
def test_s011_mp_refuses_in_its_own_words(client: httpx2.Client, asked: Asked) -> None:
    assert get(client, asked, fault="freq_control")["base_resp"] == {"ret": 200013, "err_msg": "freq control"}
    assert get(client, asked, fault="error_code:200003")["base_resp"]["ret"] == 200003
    assert get(client, (asked[0], {}))["base_resp"]["ret"] == 200002


def test_s011_whosecard_refuses_in_its_own_words(client: httpx2.Client) -> None:
    for more in ({"fault": "freq_control"}, {"fault": "error_code"}, {"start": "x"}):
        answer = get(client, WHOSECARD, **more)
        assert answer["ok"] is False
        assert answer["error"]


@pytest.mark.parametrize(
    "asked, sentence",
    [(MP_LIST, "去验证"), (WHOSECARD, "去验证"), (SOGOU, "验证码"), (PAGE, "去验证")],
    ids=["mp", "whosecard", "sogou", "page"],
)
def test_wx6_every_vendor_can_ask_for_a_person(client: httpx2.Client, asked: Asked, sentence: str) -> None:
    response = client.get(asked[0], params=asked[1] | {"fault": "verify_page"})

    assert response.status_code == 200
    assert response.headers["content-type"].startswith("text/html")
    assert sentence in response.text


def test_wx5_a_public_page_can_be_deleted(client: httpx2.Client) -> None:
    assert "该内容已被发布者删除" in client.get(PAGE[0], params=PAGE[1] | {"fault": "deleted_article"}).text
    assert "艾草" in client.get("/s/shortid17").text
