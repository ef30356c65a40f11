"""Pages that stand where an article was due: verification, deletion, violation, expiry, … (S-011, WX5, WX6).

Only what a reader sees counts: sentences inside scripts and attributes are no notice. Whether a page is an article
is decided before, in :mod:`resources.tool_gateway.results.pages`: an article may quote any of these sentences.
"""

from __future__ import annotations

from selectolax.lexbor import LexborHTMLParser

from resources.calls.outcomes.answers import Code
from resources.calls.outcomes.verdicts import Verdict

NOTICE_CHARACTERS = 1000
"""A notice is short; a longer page that holds such a sentence (a list of titles, say) is no notice."""

_CHALLENGE_MARKS = "#js_verify, #seccodeForm, #seccodeImage, form[action*='captcha'], script[src*='antispider']"
_SENTENCES = (
    (Code.DELETED, ("已被发布者删除", "已被作者删除", "文章已被删除", "内容已被删除")),
    (
        Code.VIOLATION,
        ("因违规无法查看", "因违规已无法查看", "被投诉且经审核", "涉嫌违反", "内容违规", "已被屏蔽", "已停止访问"),
    ),
    (Code.MOVED, ("公众号已迁移", "帐号已迁移", "账号已迁移")),
    (Code.EXPIRED_LINK, ("链接已过期", "链接已失效")),
    (Code.UNAVAILABLE, ("暂时无法查看", "发送失败无法查看", "此内容无法查看")),
    (Code.BAD_ARGUMENT, ("参数错误", "链接不存在")),
    (
        Code.BLOCKED,
        (
            "环境异常",
            "去验证",
            "完成验证后",
            "访问过于频繁",
            "操作频繁",
            "操作过于频繁",
            "请输入验证码",
            "需要您协助验证",
            "安全验证",
        ),
    ),
)


def read_notice(html: str | LexborHTMLParser) -> Verdict | None:
    """The notice of a page that is no article, or ``None`` when it says nothing of the kind."""
    tree = html if isinstance(html, LexborHTMLParser) else LexborHTMLParser(html)
    if tree.css_first(_CHALLENGE_MARKS) is not None:
        return Verdict(Code.BLOCKED, "a verification page")
    seen = _seen_text(tree)
    if len(seen) > NOTICE_CHARACTERS:
        return None
    for code, sentences in _SENTENCES:
        for sentence in sentences:
            if sentence in seen:
                return Verdict(code, f"a page that says {sentence}")
    return None


def _seen_text(tree: LexborHTMLParser) -> str:
    title = tree.css_first("title")
    tree.strip_tags(["script", "style", "noscript", "template"])
    body = tree.body
    text = (title.text() if title else "") + (body.text() if body else "")
    return "".join(text.split())
