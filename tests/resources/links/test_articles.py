"""Article links: one identity for the many forms of one article (S-020, WX1 … WX4, WX22, WX23, MY2)."""

from __future__ import annotations

import hashlib
import json
from datetime import UTC, datetime, timedelta, timezone
from itertools import permutations
from pathlib import Path
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from resources.links.articles import UnreadableUrl, UrlKind, read_url
from supply_assets.normalisation.temporary_links import temporary_identity

CLEAN = "https://mp.weixin.qq.com/s?__biz=MzA5OTA0NDIyMQ==&mid=2653887745&idx=2&sn=e1c2cabc0f"
TEMPORARY = "https://mp.weixin.qq.com/s?src=3&timestamp=1700000000&ver=1&signature=ab*cd-ef=="


@pytest.mark.parametrize(
    "form",
    [
        CLEAN.replace("https", "http"),
        CLEAN.replace("&", "&amp;"),
        CLEAN.replace("&", "&amp;amp;"),
        CLEAN.replace("&", "&amp;amp;amp;amp;"),
        CLEAN.replace("&", "&#38;"),
        CLEAN.replace("&", "\\x26amp;"),
        CLEAN.replace("&", "\\u0026"),
        CLEAN.replace("/", "\\/"),
        CLEAN.removeprefix("https:"),
        CLEAN.replace("mp.weixin", "MP.Weixin"),
        CLEAN.replace(".com", ".com:443"),
        CLEAN.replace("https", "http").replace(".com", ".com:80"),
        CLEAN + "#rd",
        CLEAN + "&chksm=8b53&scene=27&sessionid=1&ascene=7&devicetype=x#wechat_redirect",
        CLEAN + "&pass_ticket=SECRET&key=SECRET&uin=SECRET",
        CLEAN.replace("==", ""),
        CLEAN.replace("==", "%3D%3D"),
        CLEAN.replace("/s?", "/mp/appmsg/show?").replace("mid=", "appmsgid=").replace("idx=", "itemidx="),
        f"  {CLEAN}\u200b\n",
    ],
)
def test_wx1_wx3_every_form_of_an_article_is_one_identity(form: str) -> None:
    article = read_url(form)
    assert article.canonical == CLEAN
    assert article.identity_hash == hashlib.sha256(CLEAN.encode()).hexdigest()
    assert (article.kind, article.resolved) == (UrlKind.LONG, True)
    assert (article.biz, article.mid, article.idx, article.sn) == ("MzA5OTA0NDIyMQ==", "2653887745", "2", "e1c2cabc0f")
    assert article.content_id == "MzA5OTA0NDIyMQ==:2653887745:2"


def test_wx3_the_order_of_parameters_makes_no_difference() -> None:
    parts = CLEAN.split("?")[1].split("&")
    forms = {read_url("https://mp.weixin.qq.com/s?" + "&".join(order)).identity_hash for order in permutations(parts)}
    assert len(forms) == 1


@pytest.mark.parametrize(
    ("old", "new"), [("idx=2", "idx=1"), ("mid=26", "mid=27"), ("sn=e1", "sn=e2"), ("MzA5", "MzA6")]
)
def test_wx3_another_id_is_another_article(old: str, new: str) -> None:
    assert read_url(CLEAN.replace(old, new)).identity_hash != read_url(CLEAN).identity_hash


def test_s020_a_long_link_without_sn_is_joined_by_its_content_id() -> None:
    bare = read_url(CLEAN.partition("&sn=")[0])
    assert bare.sn is None
    assert bare.identity_hash != read_url(CLEAN).identity_hash
    assert bare.content_id == read_url(CLEAN).content_id


def test_wx4_a_short_link_stays_as_it_is() -> None:
    article = read_url("http://mp.weixin.qq.com/s/aB_c-9?scene=1&pass_ticket=SECRET#rd")
    assert article.canonical == "https://mp.weixin.qq.com/s/aB_c-9"
    assert (article.kind, article.resolved, article.content_id) == (UrlKind.SHORT, True, "aB_c-9")
    assert read_url("https://mp.weixin.qq.com/s/ab_c-9").identity_hash != article.identity_hash


@pytest.mark.parametrize(
    "link",
    [
        TEMPORARY,
        TEMPORARY.replace("&", "&amp;"),
        "https://weixin.sogou.com/link?url=dn9a&type=2",
        "http://mp.weixin.qq.com/s?tempkey=x",
    ],
)
def test_wx4_an_expiring_link_is_marked_unresolved(link: str) -> None:
    article = read_url(link)
    assert (article.kind, article.resolved, article.content_id) == (UrlKind.TEMPORARY, False, None)


def test_wx4_ids_beside_a_signature_resolve_a_link() -> None:
    assert read_url(CLEAN + "&src=3&timestamp=1&signature=x").canonical == CLEAN


def test_wx4_two_expiring_links_of_one_article_share_their_identity() -> None:
    at = datetime(2023, 11, 15, 6, 13, tzinfo=UTC)
    there = at.astimezone(timezone(timedelta(hours=8)))
    one = temporary_identity("高考志愿！", "新闻哥", at)
    assert temporary_identity("<em>高考</em>志愿", "新闻哥", there) == one
    others = {
        temporary_identity("高考志愿第二集", "新闻哥", at),
        temporary_identity("高考志愿", "别人", at),
        temporary_identity("高考志愿", None, at),
        temporary_identity("高考志愿", "新闻哥", None),
        read_url(TEMPORARY).identity_hash,
    }
    assert len(others - {one}) == 5
    assert temporary_identity("👍", "a", at) != temporary_identity("😀", "a", at)
    with pytest.raises(UnreadableUrl, match="visible title"):
        temporary_identity("\u200b", "新闻哥", at)


@pytest.mark.parametrize(
    ("raw", "canonical"),
    [
        ("http://Example.com/a?b=2&utm_source=x&a=1&spm=9&pass_ticket=s#top", "http://example.com/a?a=1&b=2"),
        ("https://example.com", "https://example.com/"),
        ("https://example.com:443/路?q=中 文", "https://example.com/%E8%B7%AF?q=%E4%B8%AD%20%E6%96%87"),
        ("http://127.0.0.1:8800/s?x=", "http://127.0.0.1:8800/s?x="),
        (
            "http://mp.weixin.qq.com/mp/homepage?hid=3&__biz=MzA=&scene=1",
            "https://mp.weixin.qq.com/mp/homepage?__biz=MzA=&hid=3",
        ),
    ],
)
def test_s020_other_pages_lose_only_tracking(raw: str, canonical: str) -> None:
    article = read_url(raw)
    assert (article.canonical, article.kind) == (canonical, UrlKind.OTHER)
    assert read_url(article.canonical) == article


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        (None, "blank"),
        (" \u200b ", "blank"),
        ("javascript:alert(1)", "neither http nor https"),
        ("ftp://example.com/a", "neither http nor https"),
        ("example.com/a", "no usable host"),
        ("https:///s", "no usable host"),
        ("https://a b/", "no usable host"),
        ("https://example.com:99999/", "cannot be read"),
        ("https://[::1/", "cannot be read"),
        ("https://me:secret@example.com/", "credentials"),
        ("https://mp.weixin.qq.com/s", "without the ids"),
        ("https://mp.weixin.qq.com/s?__biz=MzA=&mid=1", "without the ids"),
        ("https://example.com/" + "a" * 1005, "1025 characters"),
    ],
)
def test_s020_an_unreadable_link_says_why_and_repeats_no_secret(raw: str | None, reason: str) -> None:
    with pytest.raises(UnreadableUrl, match=reason) as caught:
        read_url(raw)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("shared", [255, 640])
def test_my2_links_with_a_long_common_beginning_stay_two(shared: int) -> None:
    start = ("https://example.com/" + "a" * shared)[:shared]
    one, other = read_url(start + "x"), read_url(start + "y")
    assert one.canonical != other.canonical
    assert one.identity_hash != other.identity_hash


def test_my2_the_longest_link_is_kept_whole() -> None:
    assert len(read_url("https://example.com/" + "a" * 1004).canonical) == 1024


@given(
    st.text(max_size=60),
    st.sampled_from(["", "https://mp.weixin.qq.com/s?", "https://mp.weixin.qq.com/s/", "https://x.cn/"]),
)
def test_s020_any_text_is_read_or_refused_and_reading_twice_changes_nothing(raw: str, start: str) -> None:
    try:
        article = read_url(start + raw)
    except UnreadableUrl:
        return
    assert read_url(article.canonical) == article
    article.canonical.encode("ascii")


@pytest.mark.real_data
def test_s020_every_real_link_is_long_and_distinct_articles_stay_distinct(real_data: Path) -> None:
    with (real_data / "wechat" / "articles_with_counts.jsonl").open(encoding="utf-8") as lines:
        links = {json.loads(line)["url"] for line in lines}
    articles = [read_url(link) for link in links]
    assert {article.kind for article in articles} <= {UrlKind.LONG, UrlKind.SHORT}
    assert len({article.identity_hash for article in articles}) == len(links)


@pytest.mark.parametrize(
    ("raw", "canonical"),
    [
        ("…?src=11&timestamp=149&copy=2&signature=s", "https://mp.weixin.qq.com/s?signature=s&src=11&timestamp=149"),
        ("https://example.org/v?id=4&times=3", "https://example.org/v?id=4&times=3"),
        ("https://example.org/v?id=4&amp;copy2024=1&amp;amp;lt=2", "https://example.org/v?copy2024=1&id=4&lt=2"),
        ("https://example.org/v?q=a&#x3D;b&amp;#38;r=1", "https://example.org/v?q=a=b&r=1"),
    ],
)
def test_wx2_only_what_ends_with_a_semicolon_is_an_entity_of_a_link(raw: str, canonical: str) -> None:
    assert read_url(raw.replace("…", "https://mp.weixin.qq.com/s")).canonical == canonical


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("https://example.org/view?key=1", "https://example.org/view?key=2"),
        ("https://example.org/view?scene=7", "https://example.org/view?scene=8"),
        ("https://example.org/view?uin=5", "https://example.org/view"),
        ("https://example.org/#/article/1", "https://example.org/#/article/2"),
        ("https://example.org/#!/a?id=1", "https://example.org/#!/a?id=2"),
    ],
)
def test_wx22_what_is_tracking_here_names_a_page_elsewhere(one: str, other: str) -> None:
    assert read_url(one).canonical == one
    assert read_url(one).identity_hash != read_url(other).identity_hash


def test_wx22_tracking_across_sites_and_places_in_a_page_go_everywhere() -> None:
    raw = "https://example.org/view?key=1&utm_source=a&gclid=b&fbclid=c&isappinstalled=0&pass_ticket=SECRET#part-2"
    assert read_url(raw).canonical == "https://example.org/view?key=1"


@pytest.mark.parametrize("form", ["yv~5JB", "yv_5JB", "yv%7E5JB", "yv~5JB/?scene=1"])
def test_wx23_a_tilde_in_a_short_id_is_an_underscore(form: str) -> None:
    article = read_url(f"https://mp.weixin.qq.com/s/{form}")
    assert (article.canonical, article.content_id) == ("https://mp.weixin.qq.com/s/yv_5JB", "yv_5JB")


CAPTCHA = "https://mp.weixin.qq.com/mp/wappoc_appmsgcaptcha?poc_token=HP&target_url="
WRAPPERS = [
    CAPTCHA,
    "https://weixin110.qq.com/cgi-bin/mmspamsupport-bin/newredirectconfirmcgi?main_type=2&url=",
    "https://weixin110.qq.com/security/readtemplate?t=w_redirect&anything=",
    "https://c.pc.qq.com/middlem.html?pfurl=",
    "https://wx.qq.com/cgi-bin/mmwebwx-bin/webwxcheckurl?requrl=",
    "https://link.zhihu.com/?target=",
    "https://example.org/redirect?to=",
    "https://www.google.com/url?sa=t&q=",
]


@pytest.mark.parametrize("wrapper", WRAPPERS)
@pytest.mark.parametrize("inner", [CLEAN, CLEAN.replace("&", "&amp;"), "https://mp.weixin.qq.com/s/AbC-1", TEMPORARY])
def test_s020_a_redirect_page_around_an_article_is_the_article(wrapper: str, inner: str) -> None:
    article = read_url(inner)
    assert read_url(wrapper + quote(inner, safe="") + "&key=1#wechat_redirect") == article
    assert read_url(wrapper + quote(quote(inner, safe=""), safe="")) == article
    assert read_url(wrapper + inner) == article


def test_s020_redirect_pages_in_one_another_are_taken_off_within_bounds() -> None:
    link = CLEAN
    for _ in range(5):
        link = CAPTCHA + quote(link, safe="")
    assert read_url(link) == read_url(CLEAN)
    with pytest.raises(UnreadableUrl, match="more than 5 redirect pages"):
        read_url(CAPTCHA + quote(link, safe=""))


@pytest.mark.parametrize(
    "page",
    [
        "https://example.org/view?url=https%3A%2F%2Fmp.weixin.qq.com%2Fs%2FAbC-1",
        "https://example.org/redirect?url=https%3A%2F%2Fexample.com%2F",
        "https://example.org/redirect?title=https%3A%2F%2Fmp.weixin.qq.com%2Fs%2FAbC-1",
        "https://t.cn/A6x",
    ],
)
def test_s020_a_page_that_only_quotes_a_link_is_itself(page: str) -> None:
    assert read_url(page).kind is UrlKind.OTHER
    assert read_url(page).canonical == page


def test_s020_an_article_that_carries_another_link_is_itself() -> None:
    assert read_url(CLEAN + "&target_url=" + quote("https://mp.weixin.qq.com/s/AbC-1", safe="")) == read_url(CLEAN)


@pytest.mark.parametrize(
    "link",
    [
        CLEAN,
        "https://mp.weixin.qq.com/mp/homepage?__biz=MzAwMDAwMDAwMQ==&hid=2",
    ],
)
def test_s020_d089_a_checksum_is_in_no_identity(link: str) -> None:
    assert read_url(f"{link}&chksm=8a1b2c3d4e").identity_hash == read_url(link).identity_hash
