"""Pages told apart: an article, and what stands in its place (S-011, WX4, WX5, WX6, WX16, WX18, WX20, WX24)."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from resources.calls.outcomes.answers import Code
from resources.calls.outcomes.verdicts import Verdict
from resources.tool_gateway.results.models import ArticleDetail
from resources.tool_gateway.results.pages import read_article_page

URL = "https://mp.weixin.qq.com/s/abcdef"
SENTENCES = {
    "该内容已被发布者删除": Code.DELETED,
    "此内容因违规无法查看": Code.VIOLATION,
    "该公众号已迁移": Code.MOVED,
    "链接已过期": Code.EXPIRED_LINK,
    "该内容暂时无法查看": Code.UNAVAILABLE,
    "参数错误": Code.BAD_ARGUMENT,
    "当前环境异常，完成验证后即可继续访问。": Code.BLOCKED,
    "您的访问过于频繁，请输入验证码": Code.BLOCKED,
    "Please complete the verification to continue": Code.BLOCKED,
    "続行するには認証が必要です": Code.BLOCKED,
    "Подтвердите, что вы не робот": Code.BLOCKED,
    "系统繁忙，请稍后再试": Code.BUSY,
    "Service temporarily unavailable, please try again later": Code.BUSY,
    "此帐号处于帐号迁移流程中": Code.MOVED,
    "此帐号已自主注销，内容无法查看": Code.CLOSED,
    "此帐号已被封禁，内容无法查看": Code.CLOSED,
    "This account has been suspended.": Code.CLOSED,
    "该文章不存在": Code.NOT_FOUND,
    "链接不存在": Code.NOT_FOUND,
    "This post has been deleted by its author": Code.DELETED,
}


def notice(sentence: str, head: str = "") -> str:
    return f'<html><head>{head}</head><body><div class="weui-msg"><h2>{sentence}</h2></div></body></html>'


def article(body: str, title: str = "题目", script: str = "", head: str = "") -> str:
    return (
        f'<html><head>{head}<script>{script}</script></head><body><h1 id="activity-name"> {title} </h1>'
        f'<a id="js_name">账号</a><div id="js_content" style="visibility: hidden">{body}</div></body></html>'
    )


def read(html: str) -> ArticleDetail:
    page = read_article_page(html, URL)
    assert isinstance(page, ArticleDetail), page
    return page


@pytest.mark.parametrize(("sentence", "code"), SENTENCES.items())
def test_wx5_a_notice_is_what_it_says(sentence: str, code: Code) -> None:
    page = read_article_page(notice(sentence), URL)

    assert isinstance(page, Verdict)
    assert page.code is code


@pytest.mark.parametrize("sentence", SENTENCES)
def test_wx5_an_article_that_quotes_the_sentence_is_an_article(sentence: str) -> None:
    assert read(article(f"<p>{sentence}</p>", title=sentence)).text == sentence


@pytest.mark.parametrize("sentence", SENTENCES)
def test_wx5_a_sentence_in_a_script_is_no_notice(sentence: str) -> None:
    page = read_article_page(notice(f"你好<script>var msg = '{sentence}'</script>"), URL)

    assert isinstance(page, Verdict)
    assert (page.code, page.message.partition(";")[0]) == (Code.UNKNOWN_PAGE, "#js_content: missing")


def test_wx5_a_list_of_titles_with_such_a_sentence_is_no_notice() -> None:
    page = read_article_page("<body>" + "<h3>该内容已被发布者删除，怎么办</h3>" + "<p>另一篇文章</p>" * 300, URL)

    assert isinstance(page, Verdict)
    assert page.code is Code.UNKNOWN_PAGE


@pytest.mark.parametrize("mark", ['<a id="js_verify">继续</a>', '<form id="seccodeForm"></form>'])
def test_wx6_a_challenge_is_known_by_its_form(mark: str) -> None:
    page = read_article_page(notice(mark), URL)

    assert isinstance(page, Verdict)
    assert page.code is Code.BLOCKED


@pytest.mark.parametrize("body", ["", "  ", "<p> </p><br>", "<script>x</script>", "\u200b", "<p>&#8203;</p><br>\ufeff"])
def test_s011_wx24_an_empty_body_is_no_article(body: str) -> None:
    page = read_article_page(article(body), URL)

    assert isinstance(page, Verdict)
    assert (page.code, page.message.partition(";")[0]) == (Code.UNKNOWN_PAGE, "#js_content: empty")


def test_s011_an_empty_body_under_a_notice_is_the_notice() -> None:
    page = read_article_page(notice("该内容已被发布者删除" + '<div id="js_content"></div>'), URL)

    assert isinstance(page, Verdict)
    assert page.code is Code.DELETED


def test_s021_text_is_one_line_a_paragraph_without_scripts_and_styles() -> None:
    page = read(
        article(
            "<section><p>第一<b>段</b>\n 的话</p><p><br></p><style>p{}</style><script>x</script>第二段<br>第三段"
            "<ul><li>甲</li><li>乙</li></ul><p style='display: none'>不见</p></section>"
        )
    )

    assert page.text.split("\n") == ["第一段 的话", "第二段", "第三段", "甲", "乙"]


def test_s021_pictures_and_films_are_counted_once_and_only_in_the_body() -> None:
    page = read(
        article(
            "<p>文</p><img data-src='https://a/1'><img src='https://a/2'><img data-src='https://a/3' src='b'><img>"
            "<iframe class='video_iframe' data-src='https://v.qq.com/x'></iframe><mpvideo><video></video></mpvideo>"
        )
        + "<img src='https://a/outside'>"
    )

    assert (page.image_count, page.video_count) == (3, 2)


def test_s021_an_article_of_pictures_alone_is_an_article() -> None:
    page = read(article("<img data-src='https://a/1'>"))

    assert (page.text, page.image_count) == ("", 1)


@pytest.mark.parametrize(
    ("body", "cites"),
    [
        ("（来源：新华社）", True),
        ("来源丨人民日报", True),
        ("参考资料", True),
        ("原文链接见下", True),
        ("本文转自某号", True),
        ("能量来源很多", False),
        ("阅读全文", False),
    ],
)
def test_s021_a_named_source_counts(body: str, cites: bool) -> None:
    assert read(article(f"<p>{body}</p>")).has_source_reference is cites


def test_s021_a_source_link_counts() -> None:
    assert read(article("<p>文</p>", script="var msg_source_url = 'https://a.example/x';")).has_source_reference
    assert not read(article("<p>文</p>", script="var msg_source_url = '';")).has_source_reference


IDS = 'var biz = "" || "MzA5OTA0NDIyMQ==";\nvar mid = "2653887745" || "";\nvar idx = "2";\nvar sn = "e1c2cabc0f584c6c";'
LONG = "https://mp.weixin.qq.com/s?__biz=MzA5OTA0NDIyMQ==&mid=2653887745&idx=2&sn=e1c2cabc0f584c6c"


def test_wx4_the_long_form_is_preferred_and_the_short_one_taken_without_ids() -> None:
    short = 'var msg_link = "http://mp.weixin.qq.com/s/AbC_d-1";'

    assert read(article("<p>文</p>", script=IDS + short)).canonical_url == LONG
    assert read(article("<p>文</p>", script=short)).canonical_url == "https://mp.weixin.qq.com/s/AbC_d-1"


def test_wx4_ids_come_from_the_share_link_where_the_scripts_are_silent() -> None:
    link = LONG.replace("&", "&amp;") + "&amp;chksm=1&amp;scene=27#rd"
    page = read(article("<p>文</p>", head=f'<meta property="og:url" content="{link}">'))

    assert (page.canonical_url, page.biz, page.idx) == (LONG, "MzA5OTA0NDIyMQ==", "2")


def test_wx4_a_temporary_link_is_never_canonical() -> None:
    link = "https://mp.weixin.qq.com/s?src=3&amp;timestamp=1&amp;signature=x"

    assert read(article("<p>文</p>", head=f'<meta property="og:url" content="{link}">')).canonical_url is None


def test_s013a_marks_come_from_the_surest_place() -> None:
    script = (
        "user_name: 'gh_decoy0000',\ndata.mid = \"999\";\nvar biz = null;\nvar mid = start + end >> 1;\n"
        + IDS
        + '\nvar user_name = "gh_real";\nvar ct = "1762243169";\nvar nickname = htmlDecode("甲&amp;乙");'
    )
    page = read(article("<p>文</p>", script=script).replace('<a id="js_name">账号</a>', ""))

    assert (page.account_id, page.mid, page.publish_time, page.account_name) == (
        "gh_real",
        "2653887745",
        1762243169,
        "甲&乙",
    )


def test_s013a_a_shared_picture_has_its_description_as_text() -> None:
    html = (
        '<head><meta property="og:title" content="图"><meta property="og:image" content="https://a/1">'
        '<meta property="og:description" content="第一行\\x0a\\x0a第二行 &amp;quot;引&amp;quot;"></head>'
        "<script>window.item_show_type = '8' || '';window.ct = '1762338600' || '';</script><body></body>"
    )
    page = read(html)

    assert (page.text, page.image_count, page.publish_time) == ('第一行\n第二行 "引"', 1, 1762338600)


def test_s013a_a_description_never_stands_in_for_a_missing_body_of_a_plain_article() -> None:
    head = '<meta property="og:title" content="题"><meta property="og:description" content="摘要">'
    page = read_article_page(article("", head=head, script='var item_show_type = "0";'), URL)

    assert isinstance(page, Verdict)
    assert page.code is Code.UNKNOWN_PAGE


PICTURES = (
    "[{cdn_url: 'https://a/1?x=[', width: '1' * 1, share_cover: {cdn_url: 'b'}}, {cdn_url: \"c\"}, {}].slice(0, 20)"
)


def picture_post(words: str = "", head: str = "", kind: str = "'8' || ''") -> str:
    return (
        f'<head><meta property="og:title" content="图"><meta property="og:image" content="https://a/1">{head}</head>'
        f"<script>window.item_show_type = {kind};window.picture_page_info_list = {PICTURES};</script>"
        f"<body>{words}</body>"
    )


@pytest.mark.parametrize(
    ("html", "text"),
    [
        (picture_post(), ""),
        (picture_post(kind="8"), ""),
        (picture_post('<p id="js_image_desc">第一行<br>第二行</p>'), "第一行\n第二行"),
        (picture_post(head='<meta property="og:description" content="说明">'), "说明"),
        (picture_post('<div id="js_content">\u200b</div>'), ""),
    ],
)
def test_wx16_a_picture_post_is_its_pictures_with_the_words_where_there_are_any(html: str, text: str) -> None:
    page = read(html)

    assert (page.kind, page.title, page.text, page.image_count) == ("pictures", "图", text, 3)


@pytest.mark.parametrize(
    ("body", "kind", "counted"),
    [("<mpvoice></mpvoice>", "0", (1, 0)), ("", "7", (1, 0)), ("", "5", (0, 1)), ("<audio></audio>", "5", (1, 1))],
)
def test_wx16_sound_and_film_alone_are_an_article(body: str, kind: str, counted: tuple[int, int]) -> None:
    page = read(article(body, script=f"var item_show_type = '{kind}';"))

    assert (page.text, page.audio_count, page.video_count) == ("", *counted)


def test_wx16_a_post_of_a_number_on_no_list_is_read_and_named() -> None:
    page = read(picture_post(kind="'4711'", head='<meta property="og:description" content="说明">'))

    assert (page.kind, page.text, page.image_count) == ("type_4711", "说明", 3)


def test_wx18_a_page_on_no_list_is_named_by_title_length_and_hash_and_may_pass() -> None:
    html = "<title>Ойлгомжгүй&pass_ticket=S3CR</title><script>window.item_show_type = '4711'</script>"
    page = read_article_page(html, URL)

    assert isinstance(page, Verdict)
    assert page.retryable
    assert "type_4711" in page.message
    assert "Ойлгомжгүй" in page.message
    assert f"{len(html)} characters, sha256 {hashlib.sha256(html.encode()).hexdigest()[:12]}" in page.message
    assert "S3CR" not in page.message


def test_wx18_share_marks_on_a_notice_make_no_article() -> None:
    head = '<meta property="og:title" content="微信公众平台"><meta property="og:description" content="再小的个体">'
    page = read_article_page(notice("系统繁忙，请稍后再试", head + "<script>var mid = '12';</script>"), URL)

    assert isinstance(page, Verdict)
    assert page.code is Code.BUSY


@given(
    st.text()
    | st.lists(st.sampled_from(["<p>", "</p>", "<div id=js_content>", "文", "<script>", "var ct='1'"])).map("".join)
)
def test_s013a_any_text_is_read_without_an_exception(html: str) -> None:
    assert isinstance(read_article_page(html, URL), ArticleDetail | Verdict)
