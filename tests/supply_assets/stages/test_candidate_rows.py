"""From what a search answers to rows of the pool: one row an article, counts as they were said (S-020, S-022)."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from resources.databases.supply_store.articles.candidates import read_candidates, upsert_candidates
from resources.tool_gateway.results.models import SearchItem, Statistics
from supply_assets.stages.recall.candidate_rows import DELETED, Found, PageRows, page_rows
from tests.supply_chain import SupplyChain, request

NOW = datetime(2026, 6, 1, 8, tzinfo=UTC)
FOUND = Found("t1", "猫 治愈", 2, 3, "house", "r-1")
LINK = "https://mp.weixin.qq.com/s?__biz=MzA5MDAwMDAwMQ==&mid=2650000001&idx=1&sn=abcdef"
TEMPORARY = "https://mp.weixin.qq.com/s?src=3&timestamp=1780000000&ver=1&signature="


def item(**fields: Any) -> SearchItem:
    statistics = Statistics(**fields.pop("statistics", {}))
    raw = fields.pop("raw", {})
    return SearchItem(**{"title": "猫与治愈", "url": LINK, "statistics": statistics, "raw": raw, **fields})


def rows(*items: SearchItem) -> PageRows:
    return page_rows(items, FOUND, NOW)


def only(*items: SearchItem) -> Any:
    [row] = rows(*items).rows
    return row


def test_s020_a_row_says_where_it_was_found() -> None:
    row = only(item())
    assert (row.task_id, row.source_keyword, row.recall_round, row.recall_page) == ("t1", "猫 治愈", 2, 3)
    assert (row.raw_payload["provider"], row.raw_payload["request_id"]) == ("house", "r-1")


@pytest.mark.parametrize(
    "form",
    [
        LINK,
        LINK.replace("https", "http"),
        LINK.replace("&", "&amp;"),
        f"{LINK}#rd",
        f"{LINK}&chksm=1234&scene=27&sessionid=7#wechat_redirect",
        "https://mp.weixin.qq.com/s?sn=abcdef&idx=1&mid=2650000001&__biz=MzA5MDAwMDAwMQ%3D%3D",
    ],
)
def test_s020_one_article_is_one_row_in_whatever_form_its_link_comes(form: str) -> None:
    page = rows(item(), item(url=form, title="别的标题"))
    assert (len(page.rows), page.left_out) == (1, {"repeated_on_page": 1})
    assert page.rows[0].url == LINK


def test_s020_links_that_share_their_first_255_characters_stay_two() -> None:
    shared = "https://example.com/" + "x" * 300
    page = rows(item(url=f"{shared}/1"), item(url=f"{shared}/2"))
    assert len({row.dedup_hash for row in page.rows}) == 2


def test_wx4_a_link_that_expires_is_known_by_title_account_and_time_and_marked() -> None:
    first = item(url=f"{TEMPORARY}aaa", account_name="养生课", publish_time=1_780_000_000)
    again = item(url=f"{TEMPORARY}bbb", account_name="养生课", publish_time=1_780_000_000)
    other = item(url=f"{TEMPORARY}ccc", account_name="别的", publish_time=1_780_000_000)
    page = rows(first, again, other)
    assert [row.raw_payload["link_resolved"] for row in page.rows] == [False, False]
    assert page.left_out == {"repeated_on_page": 1}


@pytest.mark.parametrize("title", ["", " ", "\u200b", "<em></em>", "！？"])
def test_s020_an_item_without_a_title_is_counted_and_not_kept(title: str) -> None:
    assert (rows(item(title=title)).rows, rows(item(title=title)).left_out) == ([], {"blank_title": 1})


@pytest.mark.parametrize("url", ["not a link", "javascript:alert(1)", "https://", "https://h/" + "x" * 2_000])
def test_s020_an_item_without_a_link_is_counted_and_not_kept(url: str) -> None:
    assert (rows(item(url=url)).rows, rows(item(url=url)).left_out) == ([], {"unreadable_link": 1})


@pytest.mark.parametrize(
    ("said", "value", "capped"),
    [("10万+", 100_000, True), ("100000+", 100_000, True), ("1.2万", 12_000, False), (0, 0, False), (7, 7, False)],
)
def test_s022_a_count_keeps_what_was_said_beside_what_was_read(said: Any, value: int, capped: bool) -> None:
    row = only(item(statistics={"view_count": said}))
    assert row.view_count == value
    assert row.raw_statistics["view_count"] == {"raw": str(said), "capped": capped}


def test_s022_a_count_that_was_not_shown_is_not_zero() -> None:
    row = only(item(statistics={"view_count": None}))
    assert row.view_count is None
    assert "view_count" not in row.raw_statistics


@pytest.mark.parametrize(
    ("said", "instant"),
    [
        (1_780_000_000, datetime(2026, 5, 28, 20, 26, 40, tzinfo=UTC)),
        (1_780_000_000_000, datetime(2026, 5, 28, 20, 26, 40, tzinfo=UTC)),
        ("2026-05-29 04:26", datetime(2026, 5, 28, 20, 26, tzinfo=UTC)),
        (None, None),
        ("昨天以前的某一天", None),
    ],
)
def test_s022_a_time_lands_as_utc_or_as_unknown(said: Any, instant: datetime | None) -> None:
    row = only(item(publish_time=said))
    assert row.publish_time == instant
    assert row.raw_statistics["publish_time"]["raw"] == (None if said is None else str(said))


def test_s022_marks_of_a_search_and_invisible_characters_leave_the_title() -> None:
    assert only(item(title="<em>猫</em>&amp;\u200b治愈\n🫠")).title == "猫&治愈 🫠"


def test_my2_texts_are_cut_to_their_columns_and_a_cover_that_is_too_long_is_none() -> None:
    cover = "https://h/" + "x" * 1_100
    row = only(item(title="猫" * 600, digest="治" * 1_200, cover_url=cover, account_name="号" * 300))
    assert (len(row.title), len(row.digest), row.cover_url, len(row.account_name)) == (512, 1000, None, 255)


def test_wx5_an_article_that_its_publisher_deleted_is_kept_as_such() -> None:
    row = only(item(is_deleted=True))
    assert (row.is_deleted, row.quality_flag, row.reject_reason) == (True, "REJECT", DELETED)


def test_s012_session_secrets_do_not_reach_the_payload() -> None:
    url = f"{LINK}&key=SECRET1&uin=SECRET2&pass_ticket=SECRET3#rd"
    raw = {"url": url, "nested": [{"link": url.replace("&", "&amp;")}], "text": "a\x00b"}
    row = only(item(url=url, raw=raw))
    assert "SECRET" not in str(row)
    assert row.raw_payload["item"]["text"] == "ab"
    assert row.raw_payload["item"]["url"].startswith(LINK)


TEXTS = st.text(max_size=30)


@given(
    st.lists(
        st.builds(
            item,
            title=TEXTS,
            url=st.one_of(TEXTS.filter(str.strip), st.sampled_from([LINK, f"{TEMPORARY}x"])),
            digest=st.none() | TEXTS,
            account_name=st.none() | TEXTS,
            account_id=st.none() | TEXTS,
            publish_time=st.none() | st.integers(-(2**70), 2**70) | TEXTS,
        ),
        max_size=5,
    )
)
def test_s020_any_items_give_distinct_rows_and_none_is_lost_without_a_count(items: list[SearchItem]) -> None:
    page = rows(*items)
    assert len(page.rows) + sum(page.left_out.values()) == len(items)
    assert len(set(page.identities)) == len(page.rows)
    assert all(row.title and row.url for row in page.rows)


def test_s041_a_page_of_odd_items_is_stored_as_it_was_read(any_chain: SupplyChain) -> None:
    [task] = any_chain.ask(request()).tasks
    found = Found(task.task_id, "猫", 1, 1, "house", "r-1")
    odd = [
        item(title="🫠神兵𠮷 C:\\x %s 'q'", statistics={"view_count": "10万+", "like_count": 0}),
        item(url=f"{TEMPORARY}aaa", publish_time="2026-05-29", digest="\u200b", account_id="gh_1"),
        item(url="https://mp.weixin.qq.com/s/abcdefghij", is_deleted=True, raw={"n": 1.5, "t": "🫠"}),
    ]
    page = page_rows(odd, found, NOW)
    any_chain.supply.write(lambda connection: upsert_candidates(connection, page.rows))
    stored = any_chain.read(lambda connection: read_candidates(connection, [task.task_id]))
    assert [(row.title, row.url, row.dedup_hash) for row in stored] == [
        (row.title, row.url, row.dedup_hash) for row in page.rows
    ]
    assert [row.raw_payload for row in stored] == [row.raw_payload for row in page.rows]
    assert [row.publish_time for row in stored] == [row.publish_time for row in page.rows]
