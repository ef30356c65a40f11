"""A 200 whose JSON body says failure: the vendors' code fields and what their values mean (S-011, WX7).

Codes that no map knows are never content and never absence: a wrong shape that names field and value.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from resources.calls.foreign_text.json_bounds import check_json
from resources.calls.foreign_text.page_bounds import check_page
from resources.calls.foreign_text.unreadable import Unreadable
from resources.calls.outcomes.answers import Code
from resources.calls.outcomes.page_notices import read_notice, said_in, unknown_page
from resources.calls.outcomes.verdicts import OUTAGES, NoValue, Verdict, WrongShape, unreadable
from resources.calls.transport import Reply
from resources.foundation import strict_json

CODES = {
    -1: Code.RATE_LIMITED,
    -6: Code.RATE_LIMITED,
    101: Code.NOT_FOUND,
    103: Code.RATE_LIMITED,
    104: Code.RATE_LIMITED,
    105: Code.DELETED,
    106: Code.VIOLATION,
    107: Code.MOVED,
    404: Code.NOT_FOUND,
    10002: Code.NOT_PERMITTED,
    20001: Code.BUDGET_SPENT,
    20002: Code.BAD_ARGUMENT,
    50000: Code.SERVER_ERROR,
    200003: Code.NOT_PERMITTED,
    200008: Code.BLOCKED,
    200013: Code.RATE_LIMITED,
    200040: Code.NOT_PERMITTED,
}
"""Vendors' envelope codes (up to 50000) and the platform's own (-6 and from 200000 on); they never clash.

101 is "deleted, removed or moved" in one: gone, without saying by whom. 200003 and 200040 are an ended session.
"""

_HALF = b"\\ud"
_SENTENCES = (
    (("频繁", "freq"), Code.RATE_LIMITED),
    (("屏蔽", "违规"), Code.VIOLATION),
    (("删除",), Code.DELETED),
    (("迁移",), Code.MOVED),
    (("余额", "积分不足", "金额不足"), Code.BUDGET_SPENT),
)


def _whole(text: str) -> str:
    """Escaped halves of a character replaced: no store and no log could take them."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def json_object(reply: Reply) -> dict[str, Any] | Verdict:
    """The body as a JSON object, or why it is none.

    A page where JSON was due is read as a page: a verification page is a block, not a broken body (WX6).
    """
    try:
        if reply.body.lstrip()[:1] == b"<":
            page = reply.text()
            check_page(page)
            return read_notice(page) or unknown_page(page, "body: a page where JSON was due")
        check_json(reply.body)
        body = strict_json.loads(reply.body)
    except Unreadable as error:
        return unreadable(error)
    except strict_json.JsonRefused as error:
        return Verdict(Code.WRONG_SHAPE, f"body: {error.message[:200]}", passing=True)
    if not isinstance(body, dict):
        return Verdict(Code.WRONG_SHAPE, f"body: {type(body).__name__} where an object was due")
    return strict_json.with_texts(body, _whole) if _HALF in reply.body.lower() else body


def good_body(reply: Reply) -> dict[str, Any]:
    """The body as a JSON object that states no failure.

    Raises:
        NoValue: with the reason why it is none.
    """
    body = json_object(reply)
    if isinstance(body, Verdict):
        raise NoValue(body)
    refused = stated_failure(body)
    if refused is not None:
        raise NoValue(refused, body)
    return body


def stated_failure(body: Mapping[str, Any]) -> Verdict | None:
    """The failure that a body states, or ``None``.

    Looked at: ``base_resp.ret``, ``ret``, ``retCode``, ``code`` (0 is good), ``ok`` and ``flag`` (true is good).
    """
    base = body.get("base_resp")
    base = base if isinstance(base, dict) else {}
    message = _message(body) or _message(base)
    numbers = [("base_resp.ret", base.get("ret")), *((name, body.get(name)) for name in ("ret", "retCode", "code"))]
    for name, value in numbers:
        if not _is_good(value):
            return _mapped(name, value, message)
    for name in ("ok", "flag"):
        if body.get(name) is False:
            return Verdict(_by_sentence(message), f"{name} is false: {message}"[:300])
    return None


def field(body: Mapping[str, Any], name: str, place: str = "") -> Any:
    """A field that must be there; ``place`` (``data.``) is named before it.

    Raises:
        WrongShape: it is missing or null.
    """
    if body.get(name) is None:
        raise WrongShape(f"{place}{name}", "missing")
    return body[name]


def _is_good(value: Any) -> bool:
    return value is None or value in (0, "0")


def _mapped(name: str, value: Any, message: str) -> Verdict:
    try:
        code = CODES.get(int(value))
    except (TypeError, ValueError):
        code = None
    if code is None:
        said = said_in(message)
        unmapped = f"{name}: {str(value)[:40]!r} is on no map ({message})"[:300]
        return Verdict(said[0] if said and said[0] in OUTAGES else Code.WRONG_SHAPE, unmapped, passing=True)
    return Verdict(code, f"{name} {value}: {message}"[:300])


def _message(body: Mapping[str, Any]) -> str:
    found = next((body[key] for key in ("msg", "err_msg", "errmsg", "error") if isinstance(body.get(key), str)), "")
    return " ".join(found.split())


def _by_sentence(message: str) -> Code:
    lowered = message.lower()
    marked = next((code for marks, code in _SENTENCES if any(mark in lowered for mark in marks)), None)
    said = said_in(message)
    return marked or (said[0] if said else Code.SERVER_ERROR)
