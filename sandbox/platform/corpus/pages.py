"""Pages as the public platform would serve them: an article, and what stands there instead of one.

Belongs here: HTML with the marks that readers of such pages look for (``#activity-name``, ``#js_content``,
``var ct``, ``og:url`` …). Does not belong here: wording of bodies (``bodies``), which page is due (``detail``).
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from sandbox.platform.corpus.articles import Account, Article, shanghai_time
from sandbox.platform.corpus.bodies import Block

DELETED, VIOLATION = "该内容已被发布者删除", "此内容因违规无法查看"
EXPIRED, UNAVAILABLE = "链接已过期", "该内容暂时无法查看"
_HEAD = (
    '<meta charset="utf-8">\n<meta http-equiv="X-UA-Compatible" content="IE=edge">\n'
    '<meta name="viewport" content="width=device-width,initial-scale=1.0,viewport-fit=cover">\n'
    '<meta name="format-detection" content="telephone=no">'
)


INVENTED_MARK = '\n<meta name="pattern2plan:body" content="invented" />'


def article_page(article: Article, account: Account, blocks: Sequence[Block]) -> str:
    """The page of an article; one whose body the sandbox wrote itself says so in its head."""
    mark = "" if article.text else INVENTED_MARK
    title, name = escape(article.title), escape(account.name)
    when = shanghai_time(article.published).strftime("%Y-%m-%d %H:%M") if article.published else ""
    return f"""<!DOCTYPE html>
<html class="">
<head>
{_HEAD}{mark}
<meta property="og:title" content="{title}" />
<meta property="og:url" content="{escape(article.page_link)}" />
<meta property="og:description" content="{escape(article.digest or "")}" />
<meta property="og:site_name" content="微信公众平台" />
<meta property="og:type" content="article" />
<meta name="author" content="{name}" />
<title>{title}</title>
<script>
var biz = "" || "{_quoted(article.biz)}";
var sn = "" || "{_quoted(article.sn)}";
var mid = "" || "{_quoted(article.mid)}";
var idx = "" || "{_quoted(article.idx)}";
</script>
</head>
<body id="activity-detail" class="zh_CN mm_appmsg">
<div id="js_article" class="rich_media">
<div id="page-content" class="rich_media_area_primary">
<div id="img-content" class="rich_media_wrp">
<h1 class="rich_media_title" id="activity-name">
{title}
</h1>
<div id="meta_content" class="rich_media_meta_list">
<span class="rich_media_meta rich_media_meta_text">{escape(article.author)}</span>
<span class="rich_media_meta rich_media_meta_nickname" id="profileBt">
<a href="javascript:void(0);" id="js_name">
{name} </a>
<div id="js_profile_qrcode" class="profile_container" style="display:none;">
<strong class="profile_nickname">{name}</strong>
</div>
</span>
<em id="publish_time" class="rich_media_meta rich_media_meta_text">{when}</em>
</div>
<div class="rich_media_content" id="js_content" style="visibility: hidden; opacity: 0; ">
{"".join(map(_block, blocks))}</div>
</div>
</div>
</div>
{_script(article, account)}
</body>
</html>
"""


def _script(article: Article, account: Account) -> str:
    return f"""<script>
var item_show_type = "0";
var nickname = htmlDecode("{_quoted(account.name)}");
var ct = "{article.published or ""}";
var user_name = "{account.account_id}";
var msg_title = '{_quoted(article.title)}'.html(false);
var msg_desc = htmlDecode("{_quoted(article.digest or "")}");
var msg_link = "{escape(article.page_link)}";
var author = "{_quoted(article.author)}";
</script>"""


def _block(block: Block) -> str:
    if block.tag == "img":
        address = f"https://mmbiz.qpic.cn/mmbiz_jpg/{block.text}/640?wx_fmt=jpeg"
        return f'<section><img data-ratio="0.66" data-src="{address}" data-type="jpeg" data-w="1080"></section>\n'
    if block.tag == "video":
        address = f"https://v.qq.com/iframe/preview.html?vid={block.text}"
        return f'<iframe class="video_iframe" data-src="{address}" allowfullscreen></iframe>\n'
    return f"<{block.tag}>{escape(block.text)}</{block.tag}>\n"


def _quoted(text: str) -> str:
    """``text`` as it may stand inside a string of a script."""
    return escape(" ".join(text.split())).replace("\\", "\\x5c")


def deleted_page() -> str:
    """The publisher took the article back."""
    return _notice(f'<div class="weui-msg__title warn">{DELETED}</div>')


def violation_page() -> str:
    """The platform took the article down."""
    reason = '<p class="tips">由用户投诉并经平台审核，涉嫌过度营销、骚扰用户，查看<a href="#">对应规则</a></p>'
    return _notice(f'<div class="weui-msg__title warn">\n{VIOLATION}\n</div>\n{reason}')


def expired_page() -> str:
    """A temporary link has run out."""
    return _notice(f'<div class="weui_msg"><h4 class="weui_msg_title">\n{EXPIRED}\n</h4></div>')


def unavailable_page() -> str:
    """The article cannot be seen just now; also what an unknown link shows."""
    return _notice(f'<div class="mesg-block"><p>{UNAVAILABLE}</p></div>', title=UNAVAILABLE)


def verify_page() -> str:
    """The platform wants to see a person first."""
    text = "当前环境异常，完成验证后即可继续访问。"
    button = '<a class="weui-btn weui-btn_primary" id="js_verify" href="javascript:;">去验证</a>'
    return _notice(f'<h2 class="weui-msg__title">环境异常</h2><p>{text}</p>{button}', title="微信公众平台")


def search_verify_page() -> str:
    """The page with a captcha that a web search shows to a caller who is too quick."""
    text = "用户您好，您的访问过于频繁，为确认本次访问为正常用户行为，需要您协助验证。"
    form = '<form name="authform" id="seccodeForm"><label>验证码：<input id="seccodeInput"></label></form>'
    return _notice(f'<p class="p2">您的访问出错了</p><p class="p3">{text}</p>{form}', title="搜狗搜索")


def _notice(content: str, title: str = "") -> str:
    return (
        f"<!DOCTYPE html>\n<html>\n<head>\n{_HEAD}\n<title>{title}</title>\n</head>\n"
        f'<body>\n<div class="weui-msg">\n{content}\n</div>\n</body>\n</html>\n'
    )
